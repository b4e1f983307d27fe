//! The time at which a partition completes the work of a busy window.

use super::contended::Contended;

/// Work of a window [ns]: `alone` is the work in isolation, and `slowest` is the work with every kernel at its
/// guaranteed bandwidth. If the work is unbounded, `slowest` is the largest number.
#[derive(Copy, Clone, Debug)]
pub(super) struct Work {
    pub alone: u128,
    pub slowest: u128,
}

/// Result of an iteration of a recurrence.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Done {
    /// The partition completes all work at this time.
    At(u64),
    /// The partition does not complete the work within the limit.
    Late,
    /// The iteration reached the step limit before it found the result.
    TooLong,
}

impl Contended<'_> {
    /// Returns the least t with t ≥ min(work(t) + lost(t), slowest(t)), if this t is at most
    /// `limit`. `work` must not decrease with t. `from` must be at most the result.
    pub(super) fn done(&self, from: u64, limit: u64, steps: &mut u64, work: impl Fn(u64) -> Work) -> Done {
        let mut time = from;
        loop {
            if time > limit {
                return Done::Late;
            }
            let Some(left) = steps.checked_sub(1) else {
                return Done::TooLong;
            };
            *steps = left;
            let Work { alone, slowest } = work(time);
            let lost = u128::from(self.delay.within(time));
            let next = alone.saturating_add(lost).min(slowest);
            match u64::try_from(next) {
                Ok(next) if next <= time => return Done::At(time),
                Ok(next) => time = next,
                Err(_) => return Done::Late,
            }
        }
    }

    /// Returns two sums of n·Cᵢ over all pairs of a task i and its number n of jobs in `jobs`: one with WCETs in
    /// isolation, and one with WCETs at the guaranteed bandwidth.
    pub(super) fn total(&self, jobs: impl Iterator<Item = (usize, u128)> + Clone) -> Work {
        let sum = |demands: &[crate::schedulability::Demand]| {
            jobs.clone().fold(0u128, |sum, (task, jobs)| {
                sum.saturating_add(jobs.saturating_mul(demands[task].wcet.ns().into()))
            })
        };
        Work {
            alone: sum(self.demands),
            slowest: self.slowest.map_or(u128::MAX, sum),
        }
    }
}

impl Work {
    /// Adds `alone` to the work in isolation, and `slowest` to the work at the guaranteed bandwidth.
    pub fn plus(self, alone: u64, slowest: u64) -> Work {
        Work {
            alone: self.alone.saturating_add(alone.into()),
            slowest: self.slowest.saturating_add(slowest.into()),
        }
    }
}
