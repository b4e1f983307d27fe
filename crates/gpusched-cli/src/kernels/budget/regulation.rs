//! Common options of all simulations of memory bandwidth budgets.

use crate::arguments::{named, whole};
use crate::report::{Content, OutputPath};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::Policy;
use gpusched_model::assumptions::{Assumption, BudgetBasis, Runs};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel, Straddling};
use gpusched_sim::regulation::{AccessPattern, Offset, Setting};
use gpusched_study as study;
use gpusched_study::plot::{self, Names, Options};

/// Options of a simulation, for the regulation of best-effort cores, the runs, and the figure.
#[derive(Debug, clap::Args)]
pub struct Regulation {
    /// Which partial overlaps of a block with best-effort memory access count as delays
    #[arg(long, value_parser = named::<Straddling>(), default_value_t)]
    pub straddling: Straddling,
    /// Budget policies to simulate
    #[arg(long, alias = "policy", value_parser = named::<Policies>(), default_value = "all")]
    pub budget_policy: Policies,
    /// Memory access pattern of best-effort cores within a regulation period
    #[arg(long, value_parser = named::<AccessPattern>(), default_value_t)]
    pattern: AccessPattern,
    /// Time from the start of a regulation period to the first kernel start, or `random`
    #[arg(long, value_name = "TIME", default_value = "0ns")]
    offset: Offset,
    /// Time from the computation of a budget to the start of the period that uses it
    #[arg(long, value_name = "TIME", default_value = "50us")]
    lead: Time,
    /// Memory requests per ms of the process that computes budgets, from 0 to 60,000
    ///
    /// A process computes the budgets at run time. gpusched subtracts the memory requests of this process from the
    /// budget of the best-effort cores.
    #[arg(long, value_name = "N", default_value_t = 470, value_parser = whole::<u64>(0..=60_000))]
    pub process: u64,
    /// Number of runs under each budget policy
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..))]
    pub runs: u64,
    /// Also draw the budget Q over time in the first run, to an SVG file
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    pub svg: Option<OutputPath>,
}

impl Regulation {
    /// Returns the assumptions of simulated runs of `kernels`, each with its nominal budget.
    pub fn assumptions(&self, kernels: Vec<(&Kernel, Factor)>, dispatch: Option<Policy>) -> Vec<Assumption> {
        let dynamic = self.budget_policy != Policies::Nominal;
        let kernels = kernels
            .into_iter()
            .map(|(kernel, q)| (kernel, (!dynamic).then_some(q)));
        let basis = BudgetBasis {
            kernels: kernels.collect(),
            sync: false,
            straddling: self.straddling,
        };
        basis.of_runs(Runs {
            dynamic,
            process_requests: self.process,
            lead: self.lead,
            dispatch,
        })
    }

    /// Returns the setting of a simulation with these options.
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

/// Budget policies to simulate.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Policies {
    /// All policies.
    All,
    /// Constant nominal budget.
    Nominal,
    /// Each remaining regulation period gets an equal share of the slack.
    Fair,
    /// The next regulation period gets all slack.
    Greedy,
    /// Budget of `greedy` after a low-pass filter, but at least the budget of `fair`.
    Smooth,
}

impl Policies {
    /// Whether `self` includes `policy`.
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

/// Draws the budget Q over the time since `origin`, with one line per policy ([Aghilinasab20]
/// Fig. 3). `csv` contains the budgets. `name` is the name of the kernel or of the system.
pub fn figure(csv: &str, name: &str, origin: &str) -> Result<String> {
    let table = study::Table::from_reader("periods", csv.as_bytes())?;
    let options = Options {
        x: Some("time_ms".to_owned()),
        y: Some("q".to_owned()),
        series: Some(Names::one("policy")),
        title: Some(format!("{name}: memory budget of best-effort cores over time")),
        x_title: Some(format!("{origin} [ms]")),
        y_title: Some("Q".to_owned()),
        ..Options::default()
    };
    plot::svg(&[table], &options)
}
