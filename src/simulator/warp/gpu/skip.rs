//! Cycles in which nothing can happen are left out.

use super::clocks::{self, Domain};
use super::wakes::NEVER;
use super::{Failure, Gpu};

impl Gpu<'_> {
    /// Goes on to the next cycle in which something can happen.
    pub(super) fn skip(&mut self, limit: u64) -> Result<(), Failure> {
        let now = self.now;
        if self.sm_wakes.iter().any(|&at| at <= now)
            || !self.requests.is_empty()
            || !self.replies.is_empty()
            || !self.responding.is_empty()
            || !self.replying.is_empty()
        {
            return Ok(());
        }
        let launch = self.dispatcher.next_launch(now, self.kernels).map(|at| at - 1);
        let next = self.sm_wakes.iter().copied().chain(launch);
        let next = next.chain([self.dram_wakes_at(), self.slice_wakes.earliest()]);
        let next = next.min().unwrap_or(NEVER);
        if next == NEVER {
            return Err(Failure::Deadlock { cycle: now });
        }
        if next > limit {
            return Err(Failure::Limit { cycles: limit });
        }
        if self.skips && next > now + 1 {
            self.edges.skip_to(next);
            self.now = next;
        }
        Ok(())
    }

    /// The core cycle from which on something can happen in some partition, or an earlier one.
    fn dram_wakes_at(&self) -> u64 {
        let clocks = &self.machine.clocks;
        match self.partition_wakes.earliest() {
            NEVER => NEVER,
            wake => {
                let ticks = wake.saturating_sub(self.edges.count(Domain::Dram));
                self.now + clocks::edges_before(ticks, clocks.dram_khz, clocks.core_khz)
            }
        }
    }
}
