//! What best-effort cores do with a budget.

use super::Setting;
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

/// The most best-effort cores that are told apart.
pub const MAX_CORES: usize = 1024;

/// Best-effort cores: one, or several that share the budget.
#[derive(Clone, Debug)]
pub(super) struct Cores {
    /// d·T of all together, where they are not told apart [ns].
    demand: f64,
    /// What each of them wants in a period [ns].
    demands: Vec<u64>,
    sharing: Sharing,
}

impl Cores {
    /// Those of `setting`.
    pub fn new(setting: &Setting, period: Time) -> Result<Cores> {
        if setting.cores.len() > MAX_CORES {
            let found = setting.cores.len();
            return Err(Error::parameter("cores", found, format!("at most {MAX_CORES}")));
        }
        let wanted = |demand: &Factor| {
            let (numerator, denominator) = demand.ratio();
            let time = u128::from(period.ns()) * u128::from(numerator) / u128::from(denominator);
            u64::try_from(time).map_or(period.ns(), |time| time.min(period.ns()))
        };
        Ok(Cores {
            demand: setting.demand.as_f64() * period.ns() as f64,
            demands: setting.cores.iter().map(wanted).collect(),
            sharing: setting.sharing,
        })
    }

    /// How many are told apart: none if there is but one demand of all.
    pub fn count(&self) -> usize {
        self.demands.len()
    }

    /// What they use of `budget` [ns]; into `shares`, what each of them does.
    pub fn spend(&self, budget: u64, shares: &mut Vec<u64>) -> f64 {
        if self.demands.is_empty() {
            return (budget as f64).min(self.demand);
        }
        self.sharing.divide(budget, &self.demands, shares);
        shares.iter().sum::<u64>() as f64
    }
}
