//! What best-effort cores want, and how they share a budget.

use crate::bandwidth::Sharing;
use crate::cli::arguments::named;
use crate::model::Factor;
use crate::simulator::regulation::Demand;

/// What best-effort cores want, and how they share a budget.
#[derive(Debug, clap::Args)]
pub struct Consumers {
    /// In which share of a period best-effort cores want to access memory: a number, or bandwidth (1), libquantum (0.6),
    /// gcc (0.2) or sjeng (0.14), which are assumptions.
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "bandwidth",
        conflicts_with = "cores"
    )]
    demand: Demand,
    /// Tells best-effort cores apart: what each of them wants, as for --demand, separated by commas.
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',')]
    cores: Vec<Demand>,
    /// How these cores share the budget of a period.
    #[arg(long, value_parser = named::<Sharing>(), default_value_t, requires = "cores")]
    pub sharing: Sharing,
}

impl Consumers {
    /// What all of them want together, at most a whole period.
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

    /// What each of them wants; none if they are not told apart.
    pub fn cores(&self) -> Vec<Factor> {
        self.cores.iter().map(|demand| demand.0).collect()
    }
}
