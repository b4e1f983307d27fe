//! Options for the memory demand of best-effort cores and for the sharing of a budget.

use crate::arguments::{named, whole};
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::time::Time;
use gpusched_sim::regulation::{CoreTasks, Demand};

/// Options for the memory demand of best-effort cores and for the sharing of a budget.
#[derive(Debug, clap::Args)]
pub struct Consumers {
    /// Share of time that best-effort cores need for memory access
    ///
    /// Give a number or the name of a program: `bandwidth` (1), `libquantum` (0.6), `gcc` (0.2)
    /// or `sjeng` (0.14). The numbers for the programs are assumptions.
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "bandwidth",
        conflicts_with_all = ["cores", "tasks"]
    )]
    demand: Demand,
    /// Memory demands of the best-effort cores: one value per core, as for --demand
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    cores: Vec<Demand>,
    /// How the cores of --cores share the budget of a regulation period
    #[arg(long, value_parser = named::<Sharing>(), default_value_t, requires = "cores")]
    pub sharing: Sharing,
    /// Tasks of one best-effort core, with values as for --demand
    ///
    /// The core gets the whole budget, and all tasks are always ready. At each tick, the scheduler of the core (CFS) chooses the task
    /// with the least execution time.
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', conflicts_with_all = ["cores", "optimum"])]
    tasks: Vec<Demand>,
    /// Weight of throttled time for a task (TFS)
    ///
    /// If the core has used its budget, it stands still until the next regulation period. With throttle-fair scheduling (TFS), the
    /// scheduler counts N times this time as execution time of the stopped task. 0 is CFS without TFS.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "tasks", value_parser = whole::<u32>(0..=1_000_000))]
    throttle_factor: u32,
    /// Time between two scheduling decisions of --tasks
    #[arg(long, value_name = "TIME", default_value = "1ms", requires = "tasks")]
    tick: Time,
}

impl Consumers {
    /// Returns the total demand of all cores as a share of time, at most 1.
    pub fn demand(&self) -> Factor {
        if self.cores.is_empty() {
            return self.demand.0;
        }
        let billionths = |demand: &Demand| {
            let (numerator, denominator) = demand.0.ratio();
            numerator * (1_000_000_000 / denominator)
        };
        let sum = self.cores.iter().map(billionths).fold(0, u64::saturating_add);
        Factor::from_billionths(sum).map_or(Factor::ONE, |sum| sum.min(Factor::ONE))
    }

    /// Returns the tasks of the core with `--tasks`.
    pub fn tasks(&self) -> Option<CoreTasks> {
        (!self.tasks.is_empty()).then(|| CoreTasks {
            demands: self.tasks.iter().map(|demand| demand.0).collect(),
            throttle_factor: self.throttle_factor,
            tick_ns: self.tick,
        })
    }

    /// Returns the demand of each core. The list is empty without `--cores`.
    pub fn cores(&self) -> Vec<Factor> {
        self.cores.iter().map(|demand| demand.0).collect()
    }
}
