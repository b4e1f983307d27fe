//! Occupancy of an SM: the number of thread blocks that fit, and the size of an adaptive L1.

use crate::machine::{Allocation, Cache, MachineShape, WARP_SIZE};

/// Resources that one thread block uses on an SM.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockNeed {
    /// Number of threads of the block.
    pub threads: u32,
    /// Number of registers of each thread.
    pub registers: u32,
    /// Shared memory of the block [bytes].
    pub shared_bytes: u32,
}

impl BlockNeed {
    /// Returns the number of threads of the block, rounded up to a multiple of the warp size.
    pub fn padded_threads(&self) -> u64 {
        u64::from(self.threads).next_multiple_of(u64::from(WARP_SIZE))
    }

    /// Returns the number of registers of the block. The SM allocates the registers of a thread
    /// in units of four.
    pub fn block_registers(&self) -> u64 {
        let per_thread = u64::from(self.registers).next_multiple_of(4);
        self.padded_threads().saturating_mul(per_thread)
    }
}

impl MachineShape {
    /// Returns the number of blocks that fit on one SM at the same time. The result may be 0.
    pub fn blocks_per_sm(&self, need: &BlockNeed) -> u32 {
        let times = |has: u32, needs: u64| u64::from(has).checked_div(needs).unwrap_or(u64::MAX);
        let fit = u64::from(self.sm.blocks)
            .min(times(self.sm.threads, need.padded_threads()))
            .min(times(self.sm.registers, need.block_registers()))
            .min(times(self.shared_memory.bytes, u64::from(need.shared_bytes)));
        fit as u32
    }

    /// Returns the maximum number of blocks per SM for a grid of `grid` blocks. For a small grid, the result is `grid`
    /// divided by the number of SMs, rounded up.
    pub fn blocks_per_sm_of_grid(&self, need: &BlockNeed, grid: u64) -> u32 {
        let fit = self.blocks_per_sm(need);
        let spread = grid.div_ceil(u64::from(self.sms()));
        spread.min(u64::from(fit)) as u32
    }

    /// Returns the L1 data cache of an SM whose blocks use `shared_bytes` of shared memory. Returns `None` if the SM
    /// has no L1.
    ///
    /// With an adaptive L1, the SM chooses the smallest sufficient size of shared memory. If no size is sufficient, the
    /// SM chooses the largest size. The L1 uses the remaining memory, rounded to the nearest whole number of cache
    /// ways. If the blocks use no shared memory, a streaming L1 allocates lines when a miss occurs.
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
