//! What fits on an SM: thread blocks, and the L1 that is left beside their shared memory.

use crate::machine::{Allocation, Cache, MachineShape, WARP_SIZE};

/// What a thread block needs of an SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockNeed {
    /// Threads.
    pub threads: u32,
    /// Registers of each thread.
    pub registers: u32,
    /// Shared memory [bytes].
    pub shared_bytes: u32,
}

impl BlockNeed {
    /// Threads in whole warps.
    pub fn padded_threads(&self) -> u64 {
        u64::from(self.threads).next_multiple_of(u64::from(WARP_SIZE))
    }

    /// Registers of the block; those of a thread are handed out by fours.
    pub fn block_registers(&self) -> u64 {
        let per_thread = u64::from(self.registers).next_multiple_of(4);
        self.padded_threads().saturating_mul(per_thread)
    }
}

impl MachineShape {
    /// How many blocks fit on one SM at a time; 0: none does.
    pub fn blocks_per_sm(&self, need: &BlockNeed) -> u32 {
        let times = |has: u32, needs: u64| u64::from(has).checked_div(needs).unwrap_or(u64::MAX);
        let fit = u64::from(self.sm.blocks)
            .min(times(self.sm.threads, need.padded_threads()))
            .min(times(self.sm.registers, need.block_registers()))
            .min(times(self.shared_memory.bytes, u64::from(need.shared_bytes)));
        fit as u32
    }

    /// The limit of blocks per SM for a grid of `grid` blocks: as many as fit, but no more than it takes to spread a small
    /// grid evenly over all SMs.
    pub fn blocks_per_sm_of_grid(&self, need: &BlockNeed, grid: u64) -> u32 {
        let fit = self.blocks_per_sm(need);
        let spread = grid.div_ceil(u64::from(self.sms()));
        spread.min(u64::from(fit)) as u32
    }

    /// The L1 data cache beside `shared_bytes` of shared memory in use on the SM; none where there is no L1.
    ///
    /// An adaptive L1 gets what the smallest sufficient size of shared memory leaves, in whole ways, to the nearest; more
    /// shared memory than there is counts as the largest size. A streaming one allocates on a miss if it has everything.
    pub fn l1_beside(&self, shared_bytes: u32) -> Option<Cache> {
        let mut cache = self.l1.cache?;
        let Some(adaptive) = &self.l1.adaptive else {
            return Some(cache);
        };
        let unified = u64::from(adaptive.unified_kib);
        let mut sizes = adaptive.shared_kib.iter();
        let enough = sizes.find(|&&kib| u64::from(kib) * 1024 >= u64::from(shared_bytes));
        let shared = u64::from(*enough.or(adaptive.shared_kib.last())?);
        let way = u64::from(cache.sets) * u64::from(cache.line_bytes);
        let most = unified * 1024 / way;
        let ways = (2 * most * unified.saturating_sub(shared) + unified) / (2 * unified);
        cache.ways = u32::try_from(ways).ok()?.max(1);
        if cache.allocation == Allocation::Streaming {
            cache.allocation = if shared_bytes == 0 {
                Allocation::OnMiss
            } else {
                Allocation::OnFill
            };
        }
        Some(cache)
    }
}
