//! `gpusched validate --shared-memory`: validation of partitions that share a memory.

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::{Palette, Report, Table};
use gpusched_model::Policy;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_sim::validation::shared::{self, Campaign, Tally};

/// Result of `validate --shared-memory`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct SharedValidation {
    /// Number of random systems. Each system has two to four partitions that share one memory.
    systems: u64,
    /// Seed of all random numbers.
    seed: u64,
    /// Number of violations. In a violation, `conflict+bandwidth` accepts a system, but the system misses a deadline in
    /// a simulation.
    breaches: u64,
    /// Results for each policy.
    policies: Vec<PolicyResult>,
    /// Position of the first random system that misses a deadline although `conflict+bandwidth` accepts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<u64>,
}

/// Results of the systems with one policy.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(rename = "SharedPolicyResult", deny_unknown_fields)
)]
struct PolicyResult {
    /// Scheduling policy and test.
    policy: Policy,
    /// Number of systems.
    systems: u64,
    /// Number of systems that `conflict` accepts. The model `conflict` ignores memory traffic.
    blind: u64,
    /// Number of systems that `conflict` accepts, but that miss a deadline because the memory bandwidth is insufficient.
    blind_missed: u64,
    /// Number of systems that `conflict+bandwidth` accepts.
    accepted: u64,
    /// Number of systems that `conflict+bandwidth` accepts, but that miss a deadline.
    accepted_missed: u64,
    /// Number of simulations.
    runs: u64,
    /// Number of jobs in all simulations.
    jobs: u64,
}

impl SharedValidation {
    /// Creates the result of `campaign` from its `report`.
    pub fn new(campaign: &Campaign, report: &shared::Report) -> SharedValidation {
        let result = |&(policy, tally): &(Policy, Tally)| PolicyResult {
            policy,
            systems: tally.systems,
            blind: tally.blind,
            blind_missed: tally.blind_missed,
            accepted: tally.accepted,
            accepted_missed: tally.accepted_missed,
            runs: tally.runs,
            jobs: tally.jobs,
        };
        SharedValidation {
            systems: campaign.systems,
            seed: campaign.seed,
            breaches: report.total().accepted_missed,
            policies: report.policies.iter().map(result).collect(),
            broken: report.broken,
        }
    }
}

/// A count, with its title in text and its name in CSV.
type Number = (&'static str, &'static str, fn(&PolicyResult) -> u64);

const NUMBERS: [Number; 7] = [
    ("systems", "systems", |row| row.systems),
    ("conflict", "blind", |row| row.blind),
    ("of these miss", "blind_missed", |row| row.blind_missed),
    ("conflict+bandwidth", "accepted", |row| row.accepted),
    ("of these miss", "accepted_missed", |row| row.accepted_missed),
    ("runs", "runs", |row| row.runs),
    ("jobs", "jobs", |row| row.jobs),
];

impl Report for SharedValidation {
    fn table(&self) -> Table {
        let sum = |number: fn(&PolicyResult) -> u64| self.policies.iter().map(number).sum::<u64>();
        let table = Table::of(&self.policies)
            .text(("policy", "policy"), |row| row.policy.to_string())
            .foot("total");
        let table = table.each(NUMBERS, |table, (title, name, number)| {
            table.number((title, name), |row| number(row)).foot(sum(number))
        });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let sum = |number: fn(&PolicyResult) -> u64| self.policies.iter().map(number).sum::<u64>();
        let (blind, blind_missed) = (sum(|row| row.blind), sum(|row| row.blind_missed));
        let accepted = sum(|row| row.accepted);
        let (good, bad) = (palette.good, palette.bad);
        let mut text = match self.breaches {
            0 => format!("{good}NO MISS{good:#}"),
            1 => format!("{bad}1 VIOLATION FOUND{bad:#}"),
            breaches => format!("{bad}{breaches} VIOLATIONS FOUND{bad:#}"),
        };
        let _ = writeln!(
            text,
            " in {} accepted under conflict+bandwidth; {blind_missed} of {blind} systems accepted under \
             conflict alone miss a deadline",
            counted(accepted, "system"),
        );
        if let Some(system) = self.broken {
            let _ = writeln!(
                text,
                "the first violation is in system {system} of seed {}",
                self.seed
            );
        }
        text.push('\n');
        Ok(text + &self.table().render(palette.header))
    }
}
