//! Placement of the buffers of several programs in memory.

use crate::program::Program;
use crate::program::{ALIGNMENT, FIRST_ADDRESS};

/// Memory that is allocated in order of ascending addresses and never freed.
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
    /// Returns the address of a new buffer of `bytes` bytes.
    pub fn reserve(&mut self, bytes: u64) -> u64 {
        let address = self.next;
        let end = address.saturating_add(bytes);
        self.next = end.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT);
        address
    }

    /// Assigns an address to each buffer of `program` that has no address.
    pub fn place(&mut self, program: &mut Program) {
        for (_, buffer) in &mut program.buffers {
            let address = *buffer.address.get_or_insert(self.next);
            let end = address.saturating_add(buffer.bytes);
            self.next = end.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT);
        }
    }
}
