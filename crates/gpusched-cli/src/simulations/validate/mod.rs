//! `gpusched validate`: compares analysis and simulation.

mod end_to_end;
mod report;
pub mod reproducer;
mod shared;

use crate::arguments::{policy, whole};
use gpusched_analysis::interference::model_of;
use std::path::PathBuf;

use crate::part::{Common, Validations};
use crate::report::{Content, Output, OutputPath};
use crate::{Global, Outcome, Run};
use gpusched_model::Policy;
use gpusched_model::error::{Error, Result};
use gpusched_sim::tasks::Discipline;
use gpusched_sim::validation::{Campaign, end_to_end as systems, shared as shared_memory};

pub use end_to_end::EndToEndValidation;
pub use report::Validation;
pub use shared::SharedValidation;

/// Compare analysis and simulation over random systems.
///
/// Each random system has a task set, a number of SMs, a heuristic, a policy and an interference model. gpusched
/// simulates one hyperperiod of every partition that the analysis accepts. The releases are critical or random, and the
/// execution times are WCETs or shorter.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Number of systems; 320 cover all combinations
    #[arg(long, value_name = "N", default_value_t = 3_200, value_parser = whole::<u64>(1..=10_000_000_000))]
    systems: u64,
    /// Only systems with this policy [default: all]
    #[arg(long, value_parser = policy(), conflicts_with_all = ["shared_memory", "end_to_end"])]
    policy: Option<Policy>,
    /// Validate the analysis of partitions that share a memory
    ///
    /// gpusched simulates all partitions of a system concurrently, under every priority order of
    /// the partitions at the memory and under max-min fairness. The result compares the
    /// interference models `conflict` and `conflict+bandwidth`.
    #[arg(long, conflicts_with = "pessimism")]
    shared_memory: bool,
    /// Validate the end-to-end analysis of cores, copy engines and partitions
    ///
    /// gpusched simulates each system in six runs with different arrivals and execution times. The result compares all
    /// bounds on segments, tasks and chains with the simulated times. If a time exceeds its bound, gpusched writes
    /// the system to the file of `--reproducer`. With `--shared-memory`, all resources of a system share a memory.
    #[arg(long, conflicts_with_all = ["pessimism", "devices"])]
    end_to_end: bool,
    /// Validate the end-to-end analysis of contexts that take turns
    ///
    /// Each system has a time-sliced partition. The runs differ in the order of the turns and in the overruns of slices.
    #[arg(long, requires = "end_to_end", conflicts_with = "shared_memory")]
    time_sliced: bool,
    /// Validate the end-to-end analysis of pipelined tasks
    ///
    /// Each system has tasks with several jobs in flight, and some of them have buffers. With `--time-sliced`, their kernels can
    /// be on contexts that take turns.
    #[arg(long, requires = "end_to_end", conflicts_with = "shared_memory")]
    pipelined: bool,
    /// Validate WCETs under memory bandwidth budgets
    ///
    /// Each system has budgets. In 18 runs, best-effort cores access memory as soon as the budgets permit, only while one segment
    /// executes, late in each regulation period, or at random. The first period begins at a random time.
    #[arg(long, requires = "end_to_end", conflicts_with_all = ["shared_memory", "time_sliced", "pipelined"])]
    budgets: bool,
    /// Use the GPUs that `gpusched gpus` lists, with their partition sizes
    ///
    /// The generated systems use all granularities in turn. Only with `--shared-memory`.
    #[arg(long, requires = "shared_memory")]
    devices: bool,
    #[command(flatten)]
    others: Validations,
    /// Also write the ratios of simulated response times to their bounds, as CSV
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Csv), value_hint = clap::ValueHint::FilePath)]
    pessimism: Option<OutputPath>,
    /// File for the smallest counterexample, if there is one
    #[arg(long, value_name = "PATH", default_value = "reproducer.json",
        value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    reproducer: OutputPath,
    /// File that stores the progress, so that a later run can continue
    #[arg(long, value_name = "PATH")]
    checkpoint: Option<PathBuf>,
}

/// Returns the end of the help.
fn after_help() -> String {
    let (mut negative, mut examples) = (String::new(), String::new());
    for added in Validations::all() {
        negative += added.negative;
        examples += added.examples;
    }
    format!(
        "\
Exit code 1: in a partition that the analysis accepts, a job misses its deadline or a response time exceeds its bound{negative}. \
To repeat such a violation, run the printed command. It simulates the file of
--reproducer. The name of the task set in the file contains the arguments of the command.

Examples:
  gpusched validate --shared-memory --systems 10000
  gpusched validate --end-to-end --systems 10000
  gpusched validate --end-to-end --time-sliced --systems 10000
  gpusched validate --end-to-end --budgets --systems 10000
{examples}  gpusched validate --systems 640 --pessimism pessimism.csv && \
gpusched plot pessimism.csv --x ratio --y share --series policy -o pessimism.svg"
    )
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let common = Common {
            systems: self.systems,
            reproducer: &self.reproducer,
            checkpoint: self.checkpoint.as_deref(),
        };
        if let Some(other) = self.others.chosen() {
            if let Some(policy) = self.policy {
                let expected = "no `--policy`, because only random systems of partitions have policies";
                return Err(Error::parameter("policy", policy, expected));
            }
            return other.run(common, global);
        }
        if self.end_to_end {
            return self.run_end_to_end(common, global);
        }
        if self.shared_memory {
            return self.run_shared(common, global);
        }
        if let Some(policy) = self.policy.filter(|&policy| Discipline::of(policy).is_none()) {
            return Err(Error::parameter(
                "policy",
                policy,
                "a policy with a scheduler, such as concurrent",
            ));
        }
        let mut output = Output::open(global)?;
        let pessimism = output.beside(self.pessimism.as_ref())?;
        let campaign = Campaign {
            systems: self.systems,
            seed: global.seed(),
            policy: self.policy,
            analysis: model_of,
        };
        let found = common.run(&campaign, global)?;
        let validation = Validation::new(&campaign, &found, &self.reproducer);
        let set = found.reproducer.as_ref().map(reproducer::set);
        common.write(&mut output, set.as_ref())?;
        if let Some(file) = pessimism {
            output.complete(file, report::pessimism(&found))?;
        }
        output.last(&validation)?;
        Ok((found.breaches() == 0).into())
    }
}

impl Args {
    fn run_shared(&self, common: Common<'_>, global: &Global) -> Result<Outcome> {
        let output = Output::open(global)?;
        let campaign = shared_memory::Campaign {
            systems: self.systems,
            seed: global.seed(),
            devices: self.devices,
            analysis: |system| shared_memory::campaign::verdicts(system, true),
        };
        let report = common.run(&campaign, global)?;
        output.last(&SharedValidation::new(&campaign, &report))?;
        Ok((report.broken.is_none()).into())
    }

    fn run_end_to_end(&self, common: Common<'_>, global: &Global) -> Result<Outcome> {
        let output = Output::open(global)?;
        if self.budgets {
            let campaign = systems::budgets::Campaign::new(self.systems, global.seed());
            let report = common.run(&campaign, global)?;
            return Args::written(common, (output, &report), global);
        }
        let sharing = match (self.shared_memory, self.time_sliced) {
            (true, _) => systems::Sharing::Memory,
            (false, true) => systems::Sharing::Time,
            (false, false) => systems::Sharing::Nothing,
        };
        let campaign = systems::Campaign {
            pipelined: self.pipelined,
            ..systems::Campaign::new(self.systems, global.seed(), sharing)
        };
        let report = common.run(&campaign, global)?;
        Args::written(common, (output, &report), global)
    }

    /// Writes the result of a campaign over end-to-end systems.
    fn written(
        common: Common<'_>,
        (mut output, report): (Output, &systems::Report),
        global: &Global,
    ) -> Result<Outcome> {
        common.write(&mut output, report.draft.as_ref())?;
        output.last(&EndToEndValidation::new(global.seed(), report))?;
        Ok((report.tally.exceeded == 0).into())
    }
}
