//! What all simulations of budgets offer: the regulation, and how it is watched.

use crate::bandwidth::BudgetPolicy;
use crate::cli::arguments::{named, whole};
use crate::cli::report::{Content, OutputPath};
use crate::error::Result;
use crate::model::Straddling;
use crate::plot::{Options, line_chart};
use crate::simulator::regulation::{AccessPattern, Offset, Setting};
use crate::study;
use crate::time::Time;

/// How best-effort cores are regulated, and what is run and drawn.
#[derive(Debug, clap::Args)]
pub struct Regulation {
    /// Blocks that count as delayed if memory time covers them in part
    #[arg(long, value_parser = named::<Straddling>(), default_value_t)]
    pub straddling: Straddling,
    /// Budget policies to simulate
    #[arg(long, alias = "policy", value_parser = named::<Policies>(), default_value = "all")]
    pub budget_policy: Policies,
    /// Access pattern of best-effort cores in a regulation period
    #[arg(long, value_parser = named::<AccessPattern>(), default_value_t)]
    pattern: AccessPattern,
    /// First start after the beginning of a regulation period: a time, or `random`
    #[arg(long, value_name = "TIME", default_value = "0ns")]
    offset: Offset,
    /// Lead of the budget computation before its period
    #[arg(long, value_name = "TIME", default_value = "50us")]
    lead: Time,
    /// Memory requests per ms of the budget process, out of 60,000
    ///
    /// Best-effort cores get that many fewer.
    #[arg(long, value_name = "N", default_value_t = 470, value_parser = whole::<u64>(0..=60_000))]
    pub process: u64,
    /// Number of runs under each budget policy
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..))]
    pub runs: u64,
    /// Also draw Q over time in the first run, as SVG
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    pub svg: Option<OutputPath>,
}

impl Regulation {
    /// What it says of a simulation.
    pub fn setting(&self) -> Setting {
        Setting {
            pattern: self.pattern,
            offset_ns: match self.offset {
                Offset::Random => None,
                Offset::At(time) => Some(time),
            },
            lead_ns: self.lead,
            process_requests: self.process,
            ..Setting::default()
        }
    }
}

/// Which policies are simulated.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Policies {
    /// All of them.
    All,
    /// Always the nominal budget.
    Nominal,
    /// The slack is shared equally among all remaining periods.
    Fair,
    /// The next period gets all of it.
    Greedy,
    /// Greedy through a filter, and never below fair.
    Smooth,
}

impl Policies {
    /// Whether `policy` is one of them.
    pub fn include(self, policy: BudgetPolicy) -> bool {
        match self {
            Policies::All => true,
            Policies::Nominal => policy == BudgetPolicy::Nominal,
            Policies::Fair => policy == BudgetPolicy::Fair,
            Policies::Greedy => policy == BudgetPolicy::Greedy,
            Policies::Smooth => policy == BudgetPolicy::Smooth,
        }
    }
}

/// Q over the time since `origin` in a CSV of periods, a line per policy ([Aghilinasab20] Fig. 3); for what is called `name`.
pub fn figure(csv: &str, name: &str, origin: &str) -> Result<String> {
    let table = study::Table::from_reader("periods", csv.as_bytes())?;
    let options = Options {
        x: "time_ms".to_owned(),
        y: "q".to_owned(),
        series: "policy".to_owned(),
        title: Some(format!("{name}: memory budget of best-effort cores over time")),
        x_title: Some(format!("{origin} [ms]")),
        y_title: Some("Q".to_owned()),
        ..Options::default()
    };
    line_chart(&[table], &options)
}
