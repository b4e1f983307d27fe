//! `gpusched validate --shared-memory`: partitions that share a memory.

use std::fmt::Write as _;

use serde::Serialize;

use crate::cli::output::Palette;
use crate::cli::question::csv_line;
use crate::cli::table::{Column, Table};
use crate::error::Result;
use crate::model::Policy;
use crate::model::words::counted;
use crate::validation::shared::{Campaign, Report, Tally};

/// What `validate --shared-memory` answers.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SharedValidation {
    /// Random systems of two to four partitions at one memory.
    systems: u64,
    /// The seed of everything random.
    seed: u64,
    /// Systems that `conflict+bandwidth` accepts and that miss a deadline.
    breaches: u64,
    /// By policy.
    policies: Vec<PolicyResult>,
    /// The first such system.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<u64>,
}

/// What became of the systems of one policy.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "SharedPolicyResult", deny_unknown_fields)]
struct PolicyResult {
    /// The test, and the scheduler.
    policy: Policy,
    /// Systems.
    systems: u64,
    /// Those that `conflict` accepts, which is blind to the memory.
    blind: u64,
    /// Those of them that miss a deadline when bandwidth is short.
    blind_missed: u64,
    /// Those that `conflict+bandwidth` accepts.
    accepted: u64,
    /// Those of them that miss a deadline.
    accepted_missed: u64,
    /// Simulations.
    runs: u64,
    /// Jobs in these.
    jobs: u64,
}

impl SharedValidation {
    /// What `report` says about `campaign`.
    pub fn new(campaign: &Campaign, report: &Report) -> SharedValidation {
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

/// One line per policy.
pub fn csv(validation: &SharedValidation) -> Result<String> {
    let mut text = "policy,systems,blind,blind_missed,accepted,accepted_missed,runs,jobs\n".to_owned();
    for result in &validation.policies {
        let numbers = [
            result.systems,
            result.blind,
            result.blind_missed,
            result.accepted,
            result.accepted_missed,
            result.runs,
            result.jobs,
        ];
        let fields =
            std::iter::once(result.policy.to_string()).chain(numbers.map(|number| number.to_string()));
        text += &csv_line(fields)?;
    }
    Ok(text)
}

/// For people.
pub fn text(validation: &SharedValidation, report: &Report, palette: &Palette) -> String {
    let total = report.total();
    let (good, bad) = (palette.good, palette.bad);
    let mut text = match validation.breaches {
        0 => format!("{good}NO MISS{good:#}"),
        1 => format!("{bad}1 BROKEN PROMISE{bad:#}"),
        breaches => format!("{bad}{breaches} BROKEN PROMISES{bad:#}"),
    };
    let _ = writeln!(
        text,
        " in {} accepted under conflict+bandwidth; of {} accepted under conflict alone, {} miss a deadline",
        counted(total.accepted, "system"),
        total.blind,
        total.blind_missed
    );
    if let Some(system) = validation.broken {
        let _ = writeln!(text, "the first is system {system} of seed {}", validation.seed);
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
    let mut row = |name: String, tally: &Tally| {
        table.row([
            name,
            tally.systems.to_string(),
            tally.blind.to_string(),
            tally.blind_missed.to_string(),
            tally.accepted.to_string(),
            tally.accepted_missed.to_string(),
            tally.runs.to_string(),
            tally.jobs.to_string(),
        ]);
    };
    for (policy, tally) in &report.policies {
        row(policy.to_string(), tally);
    }
    row("total".to_owned(), &total);
    text + &table.render(palette.header)
}
