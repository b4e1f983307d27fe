//! Where the buffers of several programs lie.

use gpusched_model::Program;
use gpusched_model::program::{ALIGNMENT, FIRST_ADDRESS};

/// Memory that is given out from low to high addresses, as an allocator does that frees nothing.
#[derive(Debug)]
pub struct Layout {
    next: u64,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { next: FIRST_ADDRESS }
    }
}

impl Layout {
    /// Gives every buffer of `program` that has no address the next one that is free.
    pub fn place(&mut self, program: &mut Program) {
        for (_, buffer) in &mut program.buffers {
            let address = *buffer.address.get_or_insert(self.next);
            let end = address.saturating_add(buffer.bytes);
            self.next = end.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT);
        }
    }
}
