//! Best-effort cores, which access memory within the memory bandwidth budget.

use super::{CoreTasks, Received, Setting};
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

/// Maximum number of best-effort cores with individual demands.
pub const MAX_CORES: usize = 1024;

/// Best-effort cores. Either all cores have one common demand, or each core has a demand and the
/// cores share the budget, or one core has several tasks.
#[derive(Clone, Debug)]
pub(super) struct Cores {
    /// Memory time d·T that all cores together demand in a regulation period [ns]. Used only if the cores have no
    /// individual demands.
    demand: f64,
    /// Memory time that each core demands in a regulation period [ns].
    demands: Vec<u64>,
    sharing: Sharing,
    tasks: Option<CoreTasks>,
    period: Time,
}

/// Memory accesses of the best-effort cores in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// Memory time of each core with an individual demand in the last period [ns].
    pub shares: Vec<u64>,
    /// Times of each task since the start of the run.
    pub tasks: Vec<Received>,
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
        if let Some(tasks) = &setting.tasks {
            tasks.check(period)?;
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
            tasks: setting.tasks.clone(),
            period,
        })
    }

    /// Returns the number of cores with individual demands.
    pub fn count(&self) -> usize {
        self.demands.len()
    }

    /// Returns the use of the cores at the start of a run.
    pub fn start(&self) -> Use {
        let count = self.tasks.as_ref().map_or(0, |tasks| tasks.demands.len());
        Use {
            shares: Vec::new(),
            tasks: vec![Received::default(); count],
        }
    }

    /// Returns the part of `budget` that the cores use in the next period [ns]. Writes the part of each core and the times of each task
    /// to `course`, which is from [`Cores::start`].
    pub fn spend(&self, budget: u64, course: &mut Use) -> f64 {
        match &self.tasks {
            Some(tasks) => tasks.spend(self.period, budget, &mut course.tasks) as f64,
            None => self.divide(budget, &mut course.shares),
        }
    }

    /// Returns the largest part of `budget` that the cores use in any period [ns]. For a core with tasks, this is an upper bound.
    pub fn most(&self, budget: u64) -> f64 {
        match self.tasks {
            Some(_) => budget as f64,
            None => self.divide(budget, &mut Vec::new()),
        }
    }

    /// Divides `budget` among cores without tasks.
    fn divide(&self, budget: u64, shares: &mut Vec<u64>) -> f64 {
        if self.demands.is_empty() {
            return (budget as f64).min(self.demand);
        }
        self.sharing.divide(budget, &self.demands, shares);
        shares.iter().sum::<u64>() as f64
    }
}
