//! Cache geometries of a machine, in the form that the simulator uses.

use std::sync::Arc;

use super::parts::Parts;
use crate::machine::{Cache, MachineShape, Replacement};
use crate::memory::cache::{Geometry, Index, Writes};

/// Returns a geometry that repeats the sets of `cache` once for each entry of `ways`. The entry is the number of lines
/// in each of these sets.
pub(super) fn geometry(
    cache: &Cache,
    ways: impl Iterator<Item = u32>,
    index: Index,
    writes: Writes,
    dirty_percent: u64,
) -> Geometry {
    let sets = cache.sets as usize;
    Geometry {
        ways: ways.flat_map(|ways| std::iter::repeat_n(ways, sets)).collect(),
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

/// Returns the geometry of an L2 slice. Each part of L2 has its own sets.
pub fn l2(machine: &MachineShape, parts: &Arc<Parts>) -> Geometry {
    let cache = machine.memory.l2;
    let of = Arc::clone(parts);
    let index = Index(Arc::new(move |kernel, address| {
        let (part, address) = of.within_slice(kernel, address);
        part * cache.sets as usize + cache.set(address) as usize
    }));
    geometry(&cache, parts.ways(cache.ways), index, Writes::Back, 0)
}
