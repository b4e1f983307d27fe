//! WCET of a segment under a memory bandwidth budget: equations (1) to (6) of `docs/explanation/budgets-end-to-end.md`.

use gpusched_model::end_to_end::{SegmentTimes, share};
use gpusched_model::time::Time;
use gpusched_model::{Cluster, Factor, Kernel};

use crate::kernel_wcet::{Estimator, list_scheduling};

/// Interruptions of a segment between its start and its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// The segment is never interrupted.
    Whole,
    /// More urgent segments on the core may preempt the segment. A window of the table of bounds contains its progress.
    Window,
    /// Other kernels may preempt the segment, and no bound counts the regulation periods of its progress.
    Divided,
}

/// Execution times of a segment [ns].
#[derive(Clone, Debug)]
pub(super) enum Times {
    /// Execution times of a segment without a profile.
    Measured {
        /// e⁰: WCET in isolation; > 0.
        isolated: u64,
        /// e¹: WCET while best-effort cores access memory all the time; at least `isolated`.
        contended: u64,
        /// σ: longest delay per nanosecond of memory time.
        rate: Factor,
        /// Longest thread block in isolation, at most `isolated`.
        block: u64,
    },
    /// A kernel whose thread blocks are known. Its regulation period is the period of the system.
    Profile(Kernel),
}

/// A segment of a system with budgets.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub times: Times,
    pub progress: Progress,
}

impl Demand {
    /// Returns the WCET in isolation [ns].
    pub fn isolated(&self) -> u64 {
        match &self.times {
            Times::Measured { isolated, .. } => *isolated,
            Times::Profile(kernel) => list_scheduling::isolated(kernel).ns(),
        }
    }

    /// Returns G, the WCET under the memory time `burst` per regulation period of `period` [ns], and the longest thread block.
    /// `window` is the length of an interval that contains the progress of the segment, or `u64::MAX`. Only the progress
    /// [`Progress::Window`] uses it. If it is `None`, the result is the WCET in isolation, which is a lower bound.
    pub fn under(&self, burst: u64, period: u64, window: Option<u64>) -> SegmentTimes {
        let (wcet, block): (u64, Option<u64>) = match &self.times {
            _ if burst == 0 => (self.isolated(), self.block(false)),
            Times::Measured {
                isolated, contended, ..
            } => {
                let delay = match self.progress {
                    Progress::Whole => self.uninterrupted(burst, period),
                    Progress::Window => window.map_or(0, |window| {
                        self.delay(u128::from(burst) * (u128::from(window.div_ceil(period)) + 1))
                    }),
                    Progress::Divided => contended - isolated,
                };
                // e⁰ and e¹ of the kernel do not bound the delay of one block, so the kernel counts as one block.
                (isolated.saturating_add(delay), None)
            }
            Times::Profile(kernel) => {
                let most = list_scheduling::contended(kernel).ns();
                let clusters = kernel.clusters().iter();
                let longest = clusters
                    .clone()
                    .map(|found| u128::from(found.contended().ns()))
                    .max();
                let work: u128 = clusters
                    .map(|found| u128::from(found.blocks()) * u128::from(found.isolated().ns()))
                    .sum();
                // With so little work, the bound might grow with the number of active blocks.
                let little = longest.is_some_and(|longest| work < longest);
                let wcet = match self.progress {
                    Progress::Whole if !little => {
                        let q = share(burst, Time::from_ns(period));
                        let bound = Estimator::new(kernel).bound(q, false);
                        bound.map_or(most, |bound| bound.wcet_ns.ns()) // a safe value; no budget above 1 occurs here
                    }
                    _ => most,
                };
                (wcet, self.block(true))
            }
        };
        SegmentTimes {
            wcet: Time::from_ns(wcet),
            block: block.map(|block| Time::from_ns(block.min(wcet))),
        }
    }

    /// Returns the least memory time above 0 from which no larger memory time changes the WCET, at most `period`.
    pub fn saturation(&self, period: u64) -> u64 {
        let full = self.under(period, period, Some(u64::MAX));
        let saturates = |burst: u64| match (&self.times, self.progress) {
            // The window is at least the WCET, so (4) is at least (3).
            (Times::Measured { isolated, .. }, Progress::Window) => {
                isolated.saturating_add(self.uninterrupted(burst, period)) == full.wcet.ns()
            }
            _ => self.under(burst, period, None) == full,
        };
        let (mut low, mut high) = (1, period);
        while low < high {
            let middle = low + (high - low) / 2;
            match saturates(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        high
    }

    /// Returns the longest thread block; `None` if it is the WCET.
    fn block(&self, contended: bool) -> Option<u64> {
        match &self.times {
            Times::Measured { isolated, block, .. } => (block < isolated).then_some(*block),
            Times::Profile(kernel) => {
                let time = |cluster: &Cluster| match contended {
                    true => cluster.contended().ns(),
                    false => cluster.isolated().ns(),
                };
                kernel.clusters().iter().map(time).max()
            }
        }
    }

    /// (2): the longest delay if the execution overlaps at most `memory` ns of memory time.
    fn delay(&self, memory: u128) -> u64 {
        let Times::Measured {
            isolated,
            contended,
            rate,
            ..
        } = &self.times
        else {
            return 0;
        };
        let (numerator, denominator) = rate.ratio();
        let delay = memory
            .saturating_mul(numerator.into())
            .div_ceil(denominator.into());
        u64::try_from(delay).unwrap_or(u64::MAX).min(contended - isolated)
    }

    /// (3): the delay of a segment without interruptions. It spans k regulation periods of time, and one boundary more.
    fn uninterrupted(&self, burst: u64, period: u64) -> u64 {
        let Times::Measured {
            isolated, contended, ..
        } = &self.times
        else {
            return 0;
        };
        let delay = |periods: u64| self.delay(u128::from(burst) * (u128::from(periods) + 1));
        let fits = |periods: u64| {
            u128::from(*isolated) + u128::from(delay(periods)) <= u128::from(periods) * u128::from(period)
        };
        // One more period adds at most `burst` to the delay, so `fits` changes once. It holds for the last value.
        let (mut low, mut high) = (1, contended.div_ceil(period));
        while low < high {
            let middle = low + (high - low) / 2;
            match fits(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        delay(low)
    }
}
