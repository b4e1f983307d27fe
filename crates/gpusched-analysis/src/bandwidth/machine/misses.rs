//! Misses of best-effort cores that a budget allows: K = BW·T·Q of [Aghilinasab20] §III, for a stated machine.

use gpusched_model::error::Error;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Factor};

/// Nanoseconds per second.
const SECOND: u128 = 1_000_000_000;

/// Best-effort cores of a machine, and the process that changes their budget.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// CPU numbers of the best-effort cores, in any order and without repetition; at least one.
    pub cores: Vec<u32>,
    /// Rate that all best-effort cores together reach at least while a kernel runs and no budget limits them. A rate
    /// that is too high is unsafe.
    pub rate: Bandwidth,
    /// Bytes per cache line: a power of two, from 1 to 4,096. A number that is too low is unsafe.
    pub line: u64,
    /// Misses of the process that computes budgets, per regulation period; 0 if budgets are constant.
    pub process_misses: u64,
    /// Misses of a core between its last permitted miss and the stop of the core.
    pub overshoot: u64,
    /// Time from the start of the process that computes budgets to the start of the next period.
    pub lead: Time,
    /// Largest rate of a best-effort core that runs alone without a budget. Required by `resctrl`.
    pub core_rate: Option<Bandwidth>,
    /// Memory bandwidth that the shares of MPAM refer to. Required by `mpam`.
    pub memory_rate: Option<Bandwidth>,
    /// Bits of a share of MPAM (`BWA_WD`), from 1 to 16. Required by `mpam`.
    pub share_bits: Option<u32>,
}

/// Misses that a budget allows on a [`Machine`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// Q: memory bandwidth budget of all best-effort cores together.
    pub q: Factor,
    /// T: regulation period.
    pub period: Time,
    /// ⌊BW·T·Q/line⌋: misses of all cores and of the process in a period.
    pub of_budget: u64,
    /// Misses of all cores in a period, without the misses of the process.
    pub of_cores: u64,
    /// K: misses of one core in a period before it stops; at least 1.
    pub per_core: u64,
}

impl Machine {
    /// Computes the misses that the budget `q` allows in a regulation period of length `period`. All divisions round
    /// down.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a value of the machine is out of range, if `q` exceeds 1, or if `period` is not
    /// between 1 µs and 1 s. Also fails if the budget allows less than one miss per core.
    pub fn allowance(&self, q: Factor, period: Time) -> Result<Allowance, Error> {
        self.check(q, period)?;
        let (numerator, denominator) = q.ratio();
        // The product is at most 10^15·10^9·10^9, below the limit of u128.
        let bytes =
            u128::from(self.rate.bytes_per_second()) * u128::from(period.ns()) * u128::from(numerator);
        let misses = bytes / (SECOND * u128::from(denominator) * u128::from(self.line));
        let of_budget = u64::try_from(misses).unwrap_or(u64::MAX);
        let of_cores = of_budget.saturating_sub(self.process_misses);
        let per_core = (of_cores / self.cores.len() as u64).saturating_sub(self.overshoot);
        if per_core == 0 {
            return Err(Error::parameter(
                "q",
                format!(
                    "{q}, which allows {of_budget} misses in {period}: less than one per core after {} of the process and {} of each core",
                    self.process_misses, self.overshoot
                ),
                "a budget with at least one miss per core and regulation period, because the tools ignore a limit of 0",
            ));
        }
        Ok(Allowance {
            q,
            period,
            of_budget,
            of_cores,
            per_core,
        })
    }

    fn check(&self, q: Factor, period: Time) -> Result<(), Error> {
        let refused = |field, found: String, expected| Err(Error::parameter(field, found, expected));
        if q > Factor::ONE {
            return refused("q", q.to_string(), "a budget from 0 to 1");
        }
        if !(1_000..=1_000_000_000).contains(&period.ns()) {
            return refused("period", period.to_string(), "a regulation period from 1us to 1s");
        }
        if self.cores.is_empty() {
            return refused(
                "cores",
                "no CPU".to_owned(),
                "the CPU numbers of all best-effort cores",
            );
        }
        let mut sorted = self.cores.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return refused("cores", format!("CPU {} twice", twice[0]), "each CPU once");
        }
        if self.rate.bytes_per_second() == 0 {
            return refused("rate", "0B/s".to_owned(), "a rate above 0");
        }
        if !(1..=4096).contains(&self.line) || !self.line.is_power_of_two() {
            return refused(
                "line",
                self.line.to_string(),
                "a power of two from 1 to 4096 bytes",
            );
        }
        if self.process_misses > 0 && self.lead >= period {
            return refused(
                "lead",
                self.lead.to_string(),
                "a time below the regulation period",
            );
        }
        Ok(())
    }

    /// Returns the largest whole number of parts, with `of` parts in `whole`, whose rate is at most the rate of
    /// `allowance`. `whole` must be above 0.
    pub(super) fn parts(&self, allowance: &Allowance, whole: u128, of: u64) -> u64 {
        let bytes = u128::from(allowance.of_cores) * u128::from(self.line);
        let window = u128::from(allowance.period.ns()) * whole;
        // `bytes` is at most 10^15, because the period is at most 1 s.
        let parts = (bytes * SECOND * u128::from(of)).checked_div(window);
        u64::try_from(parts.unwrap_or(0)).unwrap_or(of).min(of)
    }

    /// Returns budgets that are large enough for whole parts, with `of` parts in `whole` [10⁻⁶]: the budget per part, and the
    /// additional budget for the process and for the lines that divisions round down.
    pub(super) fn least(&self, allowance: &Allowance, whole: u128, of: u64) -> (u64, u64) {
        const MILLION: u128 = 1_000_000;
        let rate = u128::from(self.rate.bytes_per_second()).max(1);
        let part = (whole * MILLION).div_ceil(rate * u128::from(of.max(1)));
        let lines = u128::from(self.process_misses) + 2;
        let more = (lines * u128::from(self.line)).saturating_mul(SECOND * MILLION);
        let more = more.div_ceil(rate * u128::from(allowance.period.ns()).max(1));
        // A script multiplies the part by at most 100, so its 64-bit numbers do not overflow.
        let limited = |number: u128| u64::try_from(number.min(1_000_000_000_000)).unwrap_or(u64::MAX);
        (limited(part), limited(more))
    }
}
