//! What a validation found, as JSON, CSV and text.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::cli::report::{Column, Palette, Report, Rows, Table};
use crate::error::Result;
use crate::model::Policy;
use crate::model::counted;
use crate::model::policy::Strength;
use crate::validation::check::Breach;
use crate::validation::{self, Campaign, PolicyTally};

/// What `validate` answers.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Validation {
    /// Random systems: a task set, a GPU, a heuristic, a policy and an interference model.
    systems: u64,
    /// The seed of everything random.
    seed: u64,
    /// Accepted partitions with a missed deadline, or with a response time above its bound.
    breaches: u64,
    /// By policy.
    policies: Vec<PolicyResult>,
    /// The first broken promise in its smallest form.
    #[serde(skip_serializing_if = "Option::is_none")]
    reproducer: Option<Found>,
}

/// What became of the systems of one policy.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PolicyResult {
    /// The test, and the scheduler.
    policy: Policy,
    /// What a positive answer of this test is worth.
    strength: Strength,
    /// Systems.
    systems: u64,
    /// Those with a schedulable plan.
    schedulable: u64,
    /// Partitions that the analysis accepts; all were simulated.
    partitions: u64,
    /// Simulations of them.
    runs: u64,
    /// Jobs in these.
    jobs: u64,
    /// Preemptions in these.
    preemptions: u64,
    /// Accepted partitions with a missed deadline.
    misses: u64,
    /// Accepted partitions without, but with a response time above its bound.
    above_bound: u64,
    /// Rejected partitions that were simulated under critical releases.
    rejected: u64,
    /// Those of them with a missed deadline.
    rejected_missed: u64,
    /// Those of the others with a utilization above 1 as the test sees it: a deadline may be missed later.
    rejected_overloaded: u64,
    /// Tasks of accepted partitions with a bound on their response times.
    bounded: u64,
    /// The mean over these tasks of the longest response time by the bound, each rounded up to hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_ratio: Option<f64>,
}

/// A broken promise.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Found {
    /// The system it was found in.
    system: u64,
    /// `miss` or `above-bound`.
    breach: &'static str,
    /// The file with the task set.
    file: String,
    /// The command that shows it.
    command: String,
    /// How many tasks are left.
    tasks: usize,
}

impl PolicyResult {
    fn new(policy: Policy, tally: &PolicyTally) -> PolicyResult {
        PolicyResult {
            policy,
            strength: policy.strength(),
            systems: tally.systems,
            schedulable: tally.schedulable,
            partitions: tally.partitions,
            runs: tally.runs,
            jobs: tally.jobs,
            preemptions: tally.preemptions,
            misses: tally.misses,
            above_bound: tally.above_bound,
            rejected: tally.rejected,
            rejected_missed: tally.rejected_missed,
            rejected_overloaded: tally.rejected_overloaded,
            bounded: tally.bounded(),
            mean_ratio: tally.mean_ratio(),
        }
    }
}

impl Validation {
    /// What `report` says about `campaign`; the reproducer, if there is one, goes to `file`.
    pub fn new(campaign: &Campaign, report: &validation::Report, file: &Path) -> Validation {
        let file = file.display().to_string();
        let policies = report.policies.iter();
        Validation {
            systems: campaign.systems,
            seed: campaign.seed,
            breaches: report.breaches(),
            policies: policies
                .map(|(policy, tally)| PolicyResult::new(*policy, tally))
                .collect(),
            reproducer: report.reproducer.as_ref().map(|found| Found {
                system: found.system,
                breach: match found.breach {
                    Breach::Miss => "miss",
                    Breach::AboveBound => "above-bound",
                },
                command: format!("gpusched {}", found.arguments.replace("FILE", &file)),
                tasks: found.set.tasks().len(),
                file,
            }),
        }
    }
}

/// The columns of the CSV: a row per policy.
pub const COLUMNS: &str = "policy,strength,systems,schedulable,partitions,runs,jobs,preemptions,misses,above_bound,\
    rejected,rejected_missed,rejected_overloaded,bounded,mean_ratio";

impl Report for Validation {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        for row in &self.policies {
            rows.add((
                (row.policy.to_string(), row.strength.to_string()),
                (row.systems, row.schedulable, row.partitions, row.runs, row.jobs),
                (row.preemptions, row.misses, row.above_bound),
                (row.rejected, row.rejected_missed, row.rejected_overloaded),
                (row.bounded, row.mean_ratio.map(|ratio| format!("{ratio:.4}"))),
            ))?;
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (good, bad) = (palette.good, palette.bad);
        let sum = |number: fn(&PolicyResult) -> u64| self.policies.iter().map(number).sum::<u64>();
        let headline = match self.breaches {
            0 => format!("{good}NO PROMISE BROKEN{good:#}"),
            1 => format!("{bad}1 PROMISE BROKEN{bad:#}"),
            many => format!("{bad}{many} PROMISES BROKEN{bad:#}"),
        };
        let mut text = format!(
            "{headline}: {}, seed {}: {}, {} of them with {}\n\n",
            counted(self.systems, "system"),
            self.seed,
            counted(sum(|row| row.partitions), "accepted partition"),
            counted(sum(|row| row.runs), "simulation"),
            counted(sum(|row| row.jobs), "job")
        );
        let mut table = Table::new([
            Column::Left("policy"),
            Column::Left("test"),
            Column::Right("systems"),
            Column::Right("schedulable"),
            Column::Right("partitions"),
            Column::Right("jobs"),
            Column::Right("broken"),
            Column::Right("rejected"),
            Column::Right("of which miss"),
            Column::Right("response / bound"),
        ]);
        for row in &self.policies {
            table.row([
                row.policy.to_string(),
                row.strength.to_string(),
                row.systems.to_string(),
                row.schedulable.to_string(),
                row.partitions.to_string(),
                row.jobs.to_string(),
                (row.misses + row.above_bound).to_string(),
                row.rejected.to_string(),
                match row.rejected {
                    0 => "-".to_owned(),
                    rejected => format!("{:.2} %", row.rejected_missed as f64 / rejected as f64 * 100.0),
                },
                row.mean_ratio
                    .map_or("-".to_owned(), |ratio| format!("{ratio:.3}")),
            ]);
        }
        text += &table.render(palette.header);
        if let Some(found) = &self.reproducer {
            let _ = writeln!(
                text,
                "\nsystem {} breaks a promise ({}); down to {} in {}:\n{}",
                found.system,
                found.breach,
                counted(found.tasks, "task"),
                found.file,
                found.command
            );
        }
        Ok(text)
    }
}

/// How many of the tasks with a bound have a longest response time of at most so much of it.
pub fn pessimism(report: &validation::Report) -> String {
    let mut text = String::from("policy,ratio,tasks,share\n");
    for (policy, tally) in &report.policies {
        let bounded = tally.bounded();
        let mut sum = 0;
        for (hundredths, tasks) in tally.ratios.iter().enumerate().filter(|_| bounded > 0) {
            sum += tasks;
            let share = sum as f64 / bounded as f64;
            let ratio = hundredths as f64 / 100.0;
            let _ = writeln!(text, "{policy},{ratio:.2},{tasks},{share:.6}"); // a string takes everything
        }
    }
    text
}
