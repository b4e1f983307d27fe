//! The budget policies: from the memory time that a deadline permits to the memory time of the next regulation period ([Aghilinasab20]
//! §V).

use crate::burst::{largest_burst, memory_time};

/// Filter constant `a` of the budget policy SMOOTH, as a fraction: 0.3.
const SMOOTHING: (u8, u8) = (3, 10);

/// Budget policy: rule that chooses the memory time of the next regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The nominal memory time in every period.
    Nominal,
    /// Divides the slack equally among all remaining periods (Algorithm 2).
    Fair,
    /// Uses the whole slack in the next period (Eq. 22).
    Greedy,
    /// Filters the memory times of GREEDY, and never chooses less than FAIR (Eq. 23).
    Smooth,
}

/// Chooses the memory time of best-effort cores in each regulation period, up to a deadline. All times are in ns. A decision takes a
/// constant number of steps in integers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Chooser {
    policy: Policy,
    nominal: u64,
    period: u64,
    /// Memory time that the latest decision chose.
    previous: u64,
}

impl Chooser {
    /// Creates a chooser that permits at least the memory time `nominal` in each regulation period of length `period`.
    pub fn new(policy: Policy, nominal: u64, period: u64) -> Chooser {
        Chooser {
            policy,
            nominal,
            period,
            previous: nominal,
        }
    }

    /// Returns the nominal memory time.
    pub fn nominal(&self) -> u64 {
        self.nominal
    }

    /// Returns the regulation period.
    pub fn period(&self) -> u64 {
        self.period
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
            (Policy::Nominal, _) => self.nominal,
            (_, None) => self.period,
            (policy, Some(memory)) => self.within(policy, memory, (window, first)),
        };
        self.previous = chosen.max(self.nominal);
        self.previous
    }

    fn within(&self, policy: Policy, memory: u64, (window, first): (u64, u64)) -> u64 {
        let later = window.saturating_sub(first);
        let fair = || match first == self.period {
            true => largest_burst(memory, window, self.period),
            // The boundaries up to the deadline divide the window into this number of parts.
            false => {
                let parts = later.div_ceil(self.period.max(1)).saturating_add(1);
                memory.checked_div(parts).unwrap_or(0).min(self.period)
            }
        };
        // Total memory time of all later periods, if each later period has the nominal budget (Eq. 22).
        let greedy = || {
            let later = memory_time(self.nominal, later, self.period);
            memory.saturating_sub(later).min(self.period)
        };
        match policy {
            Policy::Nominal => self.nominal,
            Policy::Fair => fair(),
            Policy::Greedy => greedy(),
            Policy::Smooth => {
                let (greedy, (a, unit)) = (greedy(), SMOOTHING);
                let new = u128::from(greedy).saturating_mul(a.into());
                let old = u128::from(self.previous).saturating_mul(unit.saturating_sub(a).into());
                let filtered = new.saturating_add(old).checked_div(unit.into()).unwrap_or(0);
                let filtered = u64::try_from(filtered).unwrap_or(greedy);
                greedy.min(filtered).max(fair())
            }
        }
    }
}
