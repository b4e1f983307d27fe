//! The budget policies: from the memory time that a deadline permits to the memory time of the next regulation period ([Aghilinasab20]
//! §V).

use super::inverse::{largest_burst, memory_time};
use gpusched_model::BudgetPolicy;

/// Filter constant `a` of the budget policy SMOOTH, as a fraction: 0.3.
const SMOOTHING: (u64, u64) = (3, 10);

/// Chooses the memory time of best-effort cores in each regulation period, up to a deadline. All times are in ns. A decision takes a
/// constant number of steps in integers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Chooser {
    policy: BudgetPolicy,
    nominal: u64,
    period: u64,
    /// Memory time that the latest decision chose.
    previous: u64,
}

impl Chooser {
    /// Creates a chooser that permits at least the memory time `nominal` in each regulation period of length `period`.
    pub fn new(policy: BudgetPolicy, nominal: u64, period: u64) -> Chooser {
        Chooser {
            policy,
            nominal,
            period,
            previous: nominal,
        }
    }

    /// Forgets all decisions.
    pub fn restart(&mut self) {
        self.previous = self.nominal;
    }

    /// Returns the memory time until the next boundary of a regulation period, which is `first` away: from `nominal` to the whole
    /// period. The deadline is `window` away, and permits the memory time `memory` until then, or any memory time if it is `None`.
    /// If the result exceeds `nominal`, each later period may get `nominal`, and `memory` is not exceeded.
    pub fn choose(&mut self, memory: Option<u64>, window: u64, first: u64) -> u64 {
        let chosen = match (self.policy, memory) {
            (BudgetPolicy::Nominal, _) => self.nominal,
            (_, None) => self.period,
            (policy, Some(memory)) => self.within(policy, memory, (window, first)),
        };
        self.previous = chosen.max(self.nominal);
        self.previous
    }

    fn within(&self, policy: BudgetPolicy, memory: u64, (window, first): (u64, u64)) -> u64 {
        let later = window.saturating_sub(first);
        let fair = match first == self.period {
            true => largest_burst(memory, window, self.period),
            // The boundaries up to the deadline divide the window into this number of parts.
            false => (memory / (1 + later.div_ceil(self.period.max(1)))).min(self.period),
        };
        // Total memory time of all later periods, if each later period has the nominal budget (Eq. 22).
        let later = memory_time(self.nominal, later, self.period);
        let greedy = memory.saturating_sub(later).min(self.period);
        match policy {
            BudgetPolicy::Nominal => self.nominal,
            BudgetPolicy::Fair => fair,
            BudgetPolicy::Greedy => greedy,
            BudgetPolicy::Smooth => {
                let (a, unit) = SMOOTHING;
                let filtered = (u128::from(greedy) * u128::from(a)
                    + u128::from(self.previous) * u128::from(unit - a))
                    / u128::from(unit);
                let filtered = u64::try_from(filtered).unwrap_or(greedy);
                greedy.min(filtered).max(fair)
            }
        }
    }
}
