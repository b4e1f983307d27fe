//! Options for the memory demand of best-effort cores and for the sharing of a budget.

use crate::bandwidth::Sharing;
use crate::cli::arguments::named;
use crate::model::Factor;
use crate::simulator::regulation::Demand;

/// Options for the memory demand of best-effort cores and for the sharing of a budget.
#[derive(Debug, clap::Args)]
pub struct Consumers {
    /// Memory demand of best-effort cores, as a share of time
    ///
    /// Give a number, or `bandwidth` (1), `libquantum` (0.6), `gcc` (0.2) or `sjeng` (0.14). The values of these names are
    /// assumptions.
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "bandwidth",
        conflicts_with = "cores"
    )]
    demand: Demand,
    /// Memory demand of each best-effort core, as in --demand, separated by commas
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    cores: Vec<Demand>,
    /// Sharing of the budget of a period among the cores of --cores
    #[arg(long, value_parser = named::<Sharing>(), default_value_t, requires = "cores")]
    pub sharing: Sharing,
}

impl Consumers {
    /// Returns the total demand of all cores, at most a whole period.
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

    /// Returns the demand of each core; empty if the cores are not modeled separately.
    pub fn cores(&self) -> Vec<Factor> {
        self.cores.iter().map(|demand| demand.0).collect()
    }
}
