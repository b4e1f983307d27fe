//! Sizes of the L1 caches in a run.
//!
//! With an adaptive L1, an SM divides its memory into shared memory and L1. An SM changes the division only when it has
//! no blocks. GPGPU-Sim has one division for all SMs, and changes it at each launch. `docs/explanation/warp-level.md`
//! explains the difference.

use std::sync::Arc;

use super::geometry::geometry;
use crate::gpu::Launch;
use crate::machine::MachineShape;
use crate::memory::cache::{Geometry, Index, Writes};

/// Returns the geometry of L1 if shared memory occupies `shared` bytes. A machine without L1 gets a placeholder
/// cache that never receives requests.
fn beside(machine: &MachineShape, shared: u32) -> Geometry {
    let cache = machine.l1_beside(shared).unwrap_or(machine.memory.l2);
    let index = Index(Arc::new(move |_, address| cache.set(address) as usize));
    geometry(
        &cache,
        std::iter::once(cache.ways),
        index,
        Writes::Through,
        u64::from(machine.l1.write_ratio_percent),
    )
}

/// Divisions of the memory of all SMs.
#[derive(Debug)]
pub struct Divisions {
    /// Shared memory that all blocks of a kernel use on one SM, for each kernel [bytes].
    needs: Vec<u32>,
    /// Shared memory for which each SM has room [bytes].
    shared: Vec<u32>,
}

impl Divisions {
    /// Returns the divisions of `sms` SMs without blocks.
    pub fn new(machine: &MachineShape, kernels: &[Launch], sms: usize) -> Divisions {
        let need = |kernel: &Launch| {
            let blocks = machine.blocks_per_sm(&kernel.need);
            blocks.saturating_mul(kernel.need.shared_bytes)
        };
        Divisions {
            needs: kernels.iter().map(need).collect(),
            shared: vec![0; sms],
        }
    }

    /// Returns the geometry of the L1 of an SM without blocks.
    pub fn of_empty(machine: &MachineShape) -> Geometry {
        beside(machine, 0)
    }

    /// Divides the memory of SM `sm`, which has no blocks, for a block of `kernel`. Returns the new geometry of its L1,
    /// or `None` if the division stays the same.
    ///
    /// The SM has room for the shared memory of each kernel that may run on it while `kernel` runs. If kernels cannot
    /// share an SM, the other kernels in the queue of `kernel` do not count.
    pub fn divide(
        &mut self,
        machine: &MachineShape,
        kernels: &[Launch],
        sm: usize,
        kernel: usize,
    ) -> Option<Geometry> {
        let own = kernels[kernel].queue.map(|queued| queued.queue);
        let counts = |other: usize| {
            let waits = !machine.dispatch.share_sms
                && own.is_some()
                && kernels[other].queue.map(|queued| queued.queue) == own;
            let flags = kernels[other].sms.as_ref();
            other == kernel || !waits && flags.is_none_or(|sms| sms.get(sm) == Some(&true))
        };
        let shared = (0..kernels.len())
            .filter(|&other| counts(other))
            .map(|other| self.needs[other])
            .fold(0, u32::max);
        let same = std::mem::replace(&mut self.shared[sm], shared) == shared;
        (!same).then(|| beside(machine, shared))
    }
}
