//! Options for the memory demand of best-effort cores and for the sharing of a budget.

use crate::arguments::named;
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_sim::regulation::Demand;

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
        conflicts_with = "cores"
    )]
    demand: Demand,
    /// Memory demands of the best-effort cores: one value per core, as for --demand
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    cores: Vec<Demand>,
    /// How the cores of --cores share the budget of a regulation period
    #[arg(long, value_parser = named::<Sharing>(), default_value_t, requires = "cores")]
    pub sharing: Sharing,
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

    /// Returns the demand of each core. The list is empty without `--cores`.
    pub fn cores(&self) -> Vec<Factor> {
        self.cores.iter().map(|demand| demand.0).collect()
    }
}
