//! `gpusched validate --shared-memory`: validation of partitions that share a memory.

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::{Column, Palette, Report, Rows, Table};
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

/// CSV columns; one row per policy.
pub const COLUMNS: &str = "policy,systems,blind,blind_missed,accepted,accepted_missed,runs,jobs";

impl PolicyResult {
    /// Returns the numbers of the CSV columns after `policy`, in the order of the columns.
    fn numbers(&self) -> [u64; 7] {
        [
            self.systems,
            self.blind,
            self.blind_missed,
            self.accepted,
            self.accepted_missed,
            self.runs,
            self.jobs,
        ]
    }
}

impl Report for SharedValidation {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        self.policies
            .iter()
            .try_for_each(|result| rows.add((result.policy.to_string(), result.numbers())))
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let sum = |sums: [u64; 7], result: &PolicyResult| {
            let numbers = result.numbers();
            std::array::from_fn(|index| sums[index] + numbers[index])
        };
        let total = self.policies.iter().fold([0; 7], sum);
        let [_, blind, blind_missed, accepted, ..] = total;
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
        let mut table = Table::new([
            Column::Left("policy"),
            Column::Right("systems"),
            Column::Right("conflict"),
            Column::Right("of these miss"),
            Column::Right("conflict+bandwidth"),
            Column::Right("of these miss"),
            Column::Right("runs"),
            Column::Right("jobs"),
        ]);
        let results = self.policies.iter();
        let results = results.map(|result| (result.policy.to_string(), result.numbers()));
        for (name, numbers) in results.chain([("total".to_owned(), total)]) {
            let numbers = numbers.iter().map(u64::to_string);
            table.row([name].into_iter().chain(numbers).collect::<Vec<String>>());
        }
        Ok(text + &table.render(palette.header))
    }
}
