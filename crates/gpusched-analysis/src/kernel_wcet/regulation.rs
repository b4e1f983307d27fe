//! The memory time of best-effort cores in a window, and the number of boundaries of regulation periods in the window.
//! Both values limit the delay of a kernel ([Aghilinasab20] §IV-B).

use gpusched_model::Refusal;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel, Straddling};

/// Regulation of the memory traffic of best-effort CPU cores: a memory bandwidth budget per
/// regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Regulation {
    /// Q: memory bandwidth budget, the fraction of each regulation period during which
    /// best-effort CPU cores may access memory, from 0 to 1.
    budget: Factor,
    /// T: regulation period [ns].
    period: u64,
    /// Q·T: memory time of best-effort cores per regulation period [ns], rounded up, so that all results are integers.
    burst: u64,
    /// Whether the kernel starts together with a regulation period.
    sync: bool,
    straddling: Straddling,
}

/// Limits on the best-effort traffic that may delay a kernel in a window. The limits are the
/// right-hand sides of Eqs 9 and 10.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Exposure {
    /// B = M·t_mem: longest memory time of best-effort cores in the window, summed over all M active blocks [ns].
    pub memory_ns: u64,
    /// K = M·(⌈t/T⌉ + 1), or twice this number: largest number of blocks that overlap the memory time of best-effort
    /// cores only in part.
    pub partial_blocks: u64,
}

/// Error: the memory bandwidth budget exceeds 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("q: found {found}, expected a budget from 0 to 1")]
pub struct BudgetError {
    /// Invalid memory bandwidth budget.
    pub found: Factor,
}

impl From<BudgetError> for Refusal {
    fn from(error: BudgetError) -> Refusal {
        Refusal::new("q", error.found, "a budget from 0 to 1")
    }
}

impl Regulation {
    /// Creates a regulation with the budget Q = `budget` and the regulation period of `kernel`.
    /// With `sync`, the kernel starts together with a regulation period.
    ///
    /// # Errors
    /// Returns a [`BudgetError`] if the budget exceeds 1.
    pub fn new(kernel: &Kernel, budget: Factor, sync: bool) -> Result<Regulation, BudgetError> {
        if budget > Factor::ONE {
            return Err(BudgetError { found: budget });
        }
        let period = kernel.regulation_period().ns();
        let (numerator, denominator) = budget.ratio();
        let burst = (u128::from(period) * u128::from(numerator)).div_ceil(u128::from(denominator));
        Ok(Regulation {
            budget,
            period,
            burst: u64::try_from(burst).unwrap_or(period), // at most the period
            sync,
            straddling: Straddling::default(),
        })
    }

    /// Sets the rule for blocks that overlap the memory time of best-effort cores only in part. It states which of
    /// these blocks count as delayed.
    pub fn straddling(mut self, straddling: Straddling) -> Regulation {
        self.straddling = straddling;
        self
    }

    /// Returns Q, the fraction of each regulation period during which best-effort CPU cores may
    /// access memory.
    pub fn budget(&self) -> Factor {
        self.budget
    }

    /// Returns whether the kernel starts together with a regulation period.
    pub fn sync(&self) -> bool {
        self.sync
    }

    /// Returns the worst-case time from the start of the kernel to the start of the first
    /// complete regulation period ([Aghilinasab20] Eq. 5) [ns].
    fn initial(&self) -> u64 {
        if self.sync { 0 } else { self.burst }
    }

    /// Returns t_mem(t), the longest total memory time of best-effort cores in a window of length `window`
    /// ([Aghilinasab20] Eq. 7).
    pub fn memory_time(&self, window: Time) -> Time {
        let (t, initial) = (window.ns(), self.initial());
        if t <= initial {
            return window;
        }
        let (periods, rest) = ((t - initial) / self.period, (t - initial) % self.period);
        // Each summand is at most the length of the window, so the sum cannot overflow.
        Time::from_ns(initial + periods * self.burst + rest.min(self.burst))
    }

    /// Returns the first bend after `time`. At a bend, the growth rate of the memory time or the number of regulation
    /// periods changes.
    pub(super) fn next_bend(&self, time: u64) -> u64 {
        let (initial, period) = (u128::from(self.initial()), u128::from(self.period));
        let time = u128::from(time);
        let next = [0, initial, initial + u128::from(self.burst)]
            .into_iter()
            .map(|offset| {
                // Compute offset + k·T for the least k ≥ 0 with offset + k·T > `time`.
                match time.checked_sub(offset) {
                    Some(since) => offset + (since / period + 1) * period,
                    None => offset,
                }
            });
        u64::try_from(next.min().unwrap_or(time + 1)).unwrap_or(u64::MAX)
    }

    /// Returns the window length from which on the memory time grows periodically [ns].
    pub(super) fn settled(&self) -> u64 {
        self.initial()
    }

    /// Returns the regulation period T [ns].
    pub(super) fn period(&self) -> u64 {
        self.period
    }

    /// Returns the exposure of a kernel with `active` active blocks in a window of length
    /// `window` ([Aghilinasab20] Eqs 9 and 10, with ⌈t/T⌉ instead of the printed ⌈t/P⌉). If Q =
    /// 0, the exposure is 0.
    pub fn exposure(&self, window: Time, active: u32) -> Exposure {
        if self.budget == Factor::ZERO {
            return Exposure {
                memory_ns: 0,
                partial_blocks: 0,
            };
        }
        let memory = u128::from(self.memory_time(window).ns()) * u128::from(active);
        let periods = u128::from(window.ns().div_ceil(self.period)) + 1;
        let ends = match self.straddling {
            Straddling::End => 1,
            Straddling::Both => 2,
        };
        let saturated = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        Exposure {
            memory_ns: saturated(memory),
            partial_blocks: saturated(periods * ends * u128::from(active)),
        }
    }
}
