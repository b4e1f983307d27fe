//! Cache geometries of a machine, in the form that the simulator uses.

use std::sync::Arc;

use crate::cache::{Geometry, Index, Writes};
use gpusched_model::machine::{Cache, Decoder, MachineShape, Replacement};

fn geometry(cache: &Cache, index: Index, writes: Writes, dirty_percent: u64) -> Geometry {
    Geometry {
        sets: cache.sets as usize,
        ways: cache.ways as usize,
        index,
        fifo: cache.replacement == Replacement::Fifo,
        writes,
        mshr_entries: cache.mshr_entries as usize,
        mshr_merges: cache.mshr_merge as usize,
        miss_queue: cache.miss_queue as usize,
        port_bytes: u64::from(cache.port_bytes),
        dirty_percent,
    }
}

/// Returns the geometry of L1 if shared memory occupies `shared` bytes. A machine without L1 gets a placeholder
/// cache that never receives requests.
pub fn l1(machine: &MachineShape, shared: u32) -> Geometry {
    let cache = machine.l1_beside(shared).unwrap_or(machine.memory.l2);
    let index = Index(Arc::new(move |address| cache.set(address) as usize));
    geometry(
        &cache,
        index,
        Writes::Through,
        u64::from(machine.l1.write_ratio_percent),
    )
}

/// Returns the geometry of an L2 slice.
pub fn l2(machine: &MachineShape, decoder: &Decoder) -> Geometry {
    let cache = machine.memory.l2;
    let decoder = decoder.clone();
    let index = Index(Arc::new(move |address| {
        cache.set(decoder.within_slice(address)) as usize
    }));
    geometry(&cache, index, Writes::Back, 0)
}
