//! Best-effort cores, which use the memory bandwidth budget.

use super::Setting;
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

/// Maximum number of best-effort cores that can be simulated separately.
pub const MAX_CORES: usize = 1024;

/// Best-effort cores: either one demand for all cores together, or several cores that share the budget.
#[derive(Clone, Debug)]
pub(super) struct Cores {
    /// Demand d·T of all cores together in a period [ns]. Used only if the setting has no separate cores.
    demand: f64,
    /// Demand of each core in a period [ns].
    demands: Vec<u64>,
    sharing: Sharing,
}

impl Cores {
    /// Creates the best-effort cores of `setting`.
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

    /// Returns the number of separate cores. The number is 0 if `setting` has one demand for all cores together.
    pub fn count(&self) -> usize {
        self.demands.len()
    }

    /// Returns the memory time that the cores use of `budget` [ns]. Writes the memory time of each core to `shares`.
    pub fn spend(&self, budget: u64, shares: &mut Vec<u64>) -> f64 {
        if self.demands.is_empty() {
            return (budget as f64).min(self.demand);
        }
        self.sharing.divide(budget, &self.demands, shares);
        shares.iter().sum::<u64>() as f64
    }
}
