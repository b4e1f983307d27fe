//! Best-effort cores, which access memory within the memory bandwidth budget.

use super::Setting;
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

/// Maximum number of best-effort cores with individual demands.
pub const MAX_CORES: usize = 1024;

/// Best-effort cores. Either all cores have one common demand, or each core has a demand and the
/// cores share the budget.
#[derive(Clone, Debug)]
pub(super) struct Cores {
    /// Memory time d·T that all cores together demand in a regulation period [ns]. Used only if the cores have no
    /// individual demands.
    demand: f64,
    /// Memory time that each core demands in a regulation period [ns].
    demands: Vec<u64>,
    sharing: Sharing,
}

impl Cores {
    /// Creates the best-effort cores of `setting`.
    pub fn new(setting: &Setting, period: Time) -> Result<Cores> {
        if setting.cores.len() > MAX_CORES {
            let found = setting.cores.len();
            return Err(Error::parameter(
                "cores",
                found,
                format!("at most {MAX_CORES} cores"),
            ));
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

    /// Returns the number of cores with individual demands.
    pub fn count(&self) -> usize {
        self.demands.len()
    }

    /// Returns the part of `budget` that the cores use [ns]. Writes the part of each core to
    /// `shares`.
    pub fn spend(&self, budget: u64, shares: &mut Vec<u64>) -> f64 {
        if self.demands.is_empty() {
            return (budget as f64).min(self.demand);
        }
        self.sharing.divide(budget, &self.demands, shares);
        shares.iter().sum::<u64>() as f64
    }
}
