//! Counts of sectors that the memory side moved in cycles that the SMs have not yet simulated. The run may end
//! before these cycles.

use crate::gpu::Traffic;

/// Numbers of sectors that moved in one cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moved {
    pub l2_accesses: u64,
    pub l2_misses: u64,
    pub dram_reads: u64,
    pub dram_writes: u64,
}

/// Numbers of sectors that the memory side moved, for each cycle.
#[derive(Debug)]
pub struct Late {
    from: u64,
    moved: Vec<Moved>,
}

impl Late {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self {
            from: 0,
            moved: Vec::new(),
        }
    }

    /// Clears the list and prepares it for the cycles from `from` to `to` (exclusive).
    pub fn begin(&mut self, from: u64, to: u64) {
        self.from = from;
        self.moved.clear();
        let cycles = usize::try_from(to.saturating_sub(from)).unwrap_or(0);
        self.moved.resize(cycles, Moved::default());
    }

    /// Adds `moved` to the counts of cycle `cycle`, if the list covers this cycle.
    pub fn add(&mut self, cycle: u64, moved: Moved) {
        let place = usize::try_from(cycle.wrapping_sub(self.from)).unwrap_or(usize::MAX);
        if let Some(sum) = self.moved.get_mut(place) {
            sum.l2_accesses += moved.l2_accesses;
            sum.l2_misses += moved.l2_misses;
            sum.dram_reads += moved.dram_reads;
            sum.dram_writes += moved.dram_writes;
        }
    }

    /// Subtracts from `traffic` all sectors that moved in cycle `end` or later.
    pub fn taken_from(&self, traffic: &mut Traffic, end: u64) {
        let before = usize::try_from(end.saturating_sub(self.from)).unwrap_or(usize::MAX);
        for moved in self.moved.iter().skip(before) {
            traffic.l2_accesses -= moved.l2_accesses;
            traffic.l2_misses -= moved.l2_misses;
            traffic.dram_reads -= moved.dram_reads;
            traffic.dram_writes -= moved.dram_writes;
        }
    }
}
