//! Skips cycles when the GPU is certainly inactive.

use super::wakes::NEVER;
use crate::gpu::{Failure, Gpu};

impl Gpu<'_> {
    /// Advances to the next cycle when the GPU may be active. Stops at the first cycle that the
    /// memory side has not yet simulated.
    pub(in crate::gpu) fn skip(&mut self, limit: u64) -> Result<(), Failure> {
        let now = self.now;
        if self.sm_wakes.iter().any(|&at| at <= now) || !self.has_no_requests() {
            return Ok(());
        }
        let below = self.below_wakes_at();
        if below <= now {
            return Ok(());
        }
        let launch = self.dispatcher.next_launch(now, self.kernels).map(|at| at - 1);
        let next = self.sm_wakes.iter().copied().chain(launch);
        let next = next.chain([below, self.next_restart()]).min().unwrap_or(NEVER);
        if next == NEVER {
            // The memory side may have been active after cycle `now`.
            let cycle = now.max(self.below.busy_until);
            return Err(match cycle >= limit {
                true => Failure::Limit { cycles: limit },
                false => Failure::Deadlock { cycle },
            });
        }
        if next > limit {
            return Err(Failure::Limit { cycles: limit });
        }
        if self.skips && next > now + 1 {
            self.edges.skip_to(next);
            self.now = next;
            self.below.now = self.below.now.max(next);
        }
        Ok(())
    }

    /// Returns the next cycle when the memory side may be active. If the memory side is ahead of the SMs, returns the
    /// first cycle that it has not yet simulated.
    fn below_wakes_at(&self) -> u64 {
        if self.below.now <= self.now {
            match self.below.replies.filled().with(self.responding).is_empty() {
                true => self.below.next_event(&self.edges),
                false => self.now,
            }
        } else if self.below.is_idle() {
            NEVER
        } else {
            self.below.now
        }
    }
}
