//! JSON, CSV and text forms of the result of a validation.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::reproducer::arguments;
use crate::report::{Cell, Palette, Report, Table};
use gpusched_model::Policy;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::policy::Strength;
use gpusched_sim::validation::check::Breach;
use gpusched_sim::validation::{self, Campaign, PolicyTally};

/// Result of `validate`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Validation {
    /// Number of random systems. Each system has a task set, a GPU, a heuristic, a policy and an
    /// interference model.
    systems: u64,
    /// Seed of all random numbers.
    seed: u64,
    /// Number of violations. In a violation, the analysis accepts a partition, but the partition misses a deadline or
    /// exceeds a response-time bound.
    breaches: u64,
    /// Results for each policy.
    policies: Vec<PolicyResult>,
    /// Smallest counterexample that shows the first violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    reproducer: Option<Found>,
}

/// Results of the systems with one policy.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct PolicyResult {
    /// Scheduling policy and test.
    policy: Policy,
    /// Strength of the test.
    strength: Strength,
    /// Number of systems.
    systems: u64,
    /// Number of systems with a schedulable plan.
    schedulable: u64,
    /// Number of partitions that the analysis accepts. gpusched simulates all these partitions.
    partitions: u64,
    /// Number of simulations of accepted partitions.
    runs: u64,
    /// Number of jobs in the simulations of accepted partitions.
    jobs: u64,
    /// Number of preemptions in the simulations of accepted partitions.
    preemptions: u64,
    /// Number of accepted partitions with a missed deadline.
    misses: u64,
    /// Number of accepted partitions where no job misses its deadline, but a response time exceeds its bound.
    above_bound: u64,
    /// Number of rejected partitions that gpusched simulated with critical releases.
    rejected: u64,
    /// Number of rejected partitions with a missed deadline.
    rejected_missed: u64,
    /// Number of rejected partitions where no job misses its deadline, but whose utilization in the test is above 1.
    /// An overloaded partition may miss a deadline after the end of the simulation.
    rejected_overloaded: u64,
    /// Number of tasks with a response-time bound in accepted partitions.
    bounded: u64,
    /// Mean over all tasks with a bound: the longest simulated response time divided by its bound. Each ratio is
    /// rounded up to hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_ratio: Option<f64>,
}

/// Violation of a guarantee: the analysis accepts a partition, but a simulation refutes it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Found {
    /// Position of the random system with the violation.
    system: u64,
    /// Kind of violation: `miss` or `above-bound`.
    breach: &'static str,
    /// File with the task set of the smallest counterexample.
    file: String,
    /// Command line that repeats the violation in a simulation.
    command: String,
    /// Number of tasks in the smallest counterexample.
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
    /// Creates the result of `campaign` from its `report`. `file` is the file for the smallest
    /// counterexample.
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
                command: format!("gpusched {}", arguments(found).replace("FILE", &file)),
                tasks: found.partition.set.tasks().len(),
                file,
            }),
        }
    }
}

impl Report for Validation {
    fn table(&self) -> Table {
        let table = Table::of(&self.policies)
            .text(("policy", "policy"), |row| row.policy.to_string())
            .text(("test", "strength"), |row| row.strength.to_string())
            .number(("systems", "systems"), |row| row.systems)
            .number(("schedulable", "schedulable"), |row| row.schedulable)
            .number(("partitions", "partitions"), |row| row.partitions)
            .exact("runs", |row| row.runs)
            .number(("jobs", "jobs"), |row| row.jobs)
            .exact("preemptions", |row| row.preemptions)
            .exact("misses", |row| row.misses)
            .exact("above_bound", |row| row.above_bound)
            .number("violations", |row| row.misses + row.above_bound)
            .number(("rejected", "rejected"), |row| row.rejected)
            .number("with a miss", |row| {
                let share = row.rejected_missed as f64 / row.rejected as f64 * 100.0;
                Cell::or((row.rejected > 0).then(|| format!("{share:.2} %")), "-")
            })
            .exact("rejected_missed", |row| row.rejected_missed)
            .exact("rejected_overloaded", |row| row.rejected_overloaded)
            .exact("bounded", |row| row.bounded)
            .number(("response / bound", "mean_ratio"), |row| {
                let ratio = |ratio| Cell::valued(format!("{ratio:.3}"), format!("{ratio:.4}"));
                Cell::or(row.mean_ratio.map(ratio), "-")
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (good, bad) = (palette.good, palette.bad);
        let sum = |number: fn(&PolicyResult) -> u64| self.policies.iter().map(number).sum::<u64>();
        let headline = match self.breaches {
            0 => format!("{good}NO VIOLATION FOUND{good:#}"),
            1 => format!("{bad}1 VIOLATION FOUND{bad:#}"),
            many => format!("{bad}{many} VIOLATIONS FOUND{bad:#}"),
        };
        let mut text = format!(
            "{headline}: {}, seed {}: {}, {} of these partitions with {}\n\n",
            counted(self.systems, "system"),
            self.seed,
            counted(sum(|row| row.partitions), "accepted partition"),
            counted(sum(|row| row.runs), "simulation"),
            counted(sum(|row| row.jobs), "job")
        );
        text += &self.table().render(palette.header);
        if let Some(found) = &self.reproducer {
            let _ = writeln!(
                text,
                "\nsystem {} violates a guarantee ({}); the smallest counterexample has {} and is in {}:\n{}",
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

/// Returns CSV with the distribution of a ratio: the longest simulated response time of a task divided by its bound.
/// Each row is for one policy and one ratio. It contains the share of the tasks with a bound that have at most this
/// ratio.
pub fn pessimism(report: &validation::Report) -> String {
    let mut text = String::from("policy,ratio,tasks,share\n");
    for (policy, tally) in &report.policies {
        let bounded = tally.bounded();
        let mut sum = 0;
        for (hundredths, tasks) in tally.ratios.iter().enumerate().filter(|_| bounded > 0) {
            sum += tasks;
            let share = sum as f64 / bounded as f64;
            let ratio = hundredths as f64 / 100.0;
            let _ = writeln!(text, "{policy},{ratio:.2},{tasks},{share:.6}"); // writing to a string never fails
        }
    }
    text
}
