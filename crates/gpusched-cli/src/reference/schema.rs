//! `gpusched schema`: prints the JSON schemas of the file formats.

use schemars::{Schema, schema_for};

use super::{Global, Outcome};
use crate::part::parts;
use crate::report::{Column, Output, Table};
use crate::{end_to_end, predict, simulate, test, validate};
use gpusched_analysis::bandwidth::{BudgetResults, Nominal};
use gpusched_analysis::kernel_wcet::fit::scaling::Fit;
use gpusched_model::end_to_end::{Answer as EndToEndAnswer, Draft, SystemPlan};
use gpusched_model::error::{Error, Result};
use gpusched_model::{
    Benchmarks, Bound, Device, Group, Kernel, MemoryProfile, Plan, Platform, Scenario, System, TaskSet,
    WarpScenario,
};
use gpusched_recording::audit::Audit;
use gpusched_recording::summary::Summary as RecordingSummary;
use gpusched_sim::blocks::Comparison;
use gpusched_sim::regulation::Summary;
use gpusched_sim::regulation::sequence::SequenceSummary;
use gpusched_study::{Findings, Provenance, Reasons, Shape};

/// Arguments of `gpusched schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Name of the file format [default: list all formats]
    name: Option<String>,
}

const EXAMPLE: &str = "\
Example:
  gpusched schema task-set";

/// A file format: its name, its description, and a function that returns its schema.
type Entry = (&'static str, &'static str, fn() -> Schema);

const FORMATS: &[Entry] = &[
    (
        "task-set",
        "input of `test` and `partition`, result of `generate`",
        || schema_for!(TaskSet),
    ),
    ("verdict", "result of `test`", || schema_for!(test::Response)),
    ("plan", "result of `partition`", || schema_for!(Plan)),
    (
        "end-to-end-system",
        "input of `test`, `partition`, `simulate tasks` and `verify`: tasks with segments",
        || schema_for!(Draft),
    ),
    (
        "end-to-end-verdict",
        "result of `test` for an end-to-end system",
        || schema_for!(EndToEndAnswer),
    ),
    (
        "end-to-end-plan",
        "result of `partition` for an end-to-end system",
        || schema_for!(SystemPlan),
    ),
    (
        "end-to-end-simulation",
        "result of `simulate tasks` for an end-to-end system",
        || schema_for!(end_to_end::Simulation),
    ),
    ("kernel", "input of `wcet bound`", || schema_for!(Kernel)),
    ("bound", "result of `wcet bound`", || schema_for!(Bound)),
    ("nominal", "result of `budget nominal`", || schema_for!(Nominal)),
    ("simulation", "result of `budget simulate`", || {
        schema_for!(Summary)
    }),
    ("system", "input of `budget sequence`", || schema_for!(System)),
    ("sequence", "result of `budget sequence`", || {
        schema_for!(SequenceSummary)
    }),
    ("task-simulation", "result of `simulate tasks`", || {
        schema_for!(simulate::Summary)
    }),
    ("validation", "result of `validate`", || {
        schema_for!(validate::Validation)
    }),
    (
        "shared-validation",
        "result of `validate --shared-memory`",
        || schema_for!(validate::SharedValidation),
    ),
    (
        "end-to-end-validation",
        "result of `validate --end-to-end`",
        || schema_for!(validate::EndToEndValidation),
    ),
    ("recording-summary", "result of `recording summary`", || {
        schema_for!(RecordingSummary)
    }),
    ("recording-audit", "result of `recording audit`", || {
        schema_for!(Audit)
    }),
    ("scenario", "input of `simulate blocks`", || schema_for!(Scenario)),
    ("block-simulation", "result of `simulate blocks`", || {
        schema_for!(simulate::Answer<'_>)
    }),
    ("warp-scenario", "input of `simulate warps`", || {
        schema_for!(WarpScenario)
    }),
    ("group", "input of `predict`", || schema_for!(Group)),
    (
        "memory-profile",
        "measurements of a kernel in isolation, for `predict`",
        || schema_for!(MemoryProfile),
    ),
    ("prediction", "result of `predict`", || {
        schema_for!(predict::Answer)
    }),
    ("comparison", "result of `import examiner --compare`", || {
        schema_for!(Comparison)
    }),
    ("study", "input of `study run` (as TOML)", || schema_for!(Shape)),
    (
        "reasons",
        "reasons for deviations: reasons.json, for `study reproduction`",
        || schema_for!(Reasons),
    ),
    (
        "findings",
        "evaluated claims of a study: NAME.claims.json",
        || schema_for!(Findings),
    ),
    (
        "provenance",
        "origin of the results of a study: NAME.provenance.json",
        || schema_for!(Provenance),
    ),
    ("wcet-fit", "result of `wcet fit`", || schema_for!(Fit)),
    (
        "benchmarks",
        "published values in tasksets/kernels, input of studies",
        || schema_for!(Benchmarks),
    ),
    (
        "budget-results",
        "published values of run-time budgets, input of studies",
        || schema_for!(BudgetResults),
    ),
    (
        "device",
        "device with its partition rules, as in tasksets/devices",
        || schema_for!(Device),
    ),
    ("platform", "platform preset, as in tasksets/platforms", || {
        schema_for!(Platform)
    }),
];

impl Args {
    /// Prints the schema of one format, or the list of all formats.
    ///
    /// # Errors
    /// Fails for an unknown name, or if output cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let text = match &self.name {
            None => list(),
            Some(name) => match formats().iter().find(|(known, ..)| known == name) {
                Some((.., schema)) => pretty(&schema())?,
                None => {
                    let known: Vec<&str> = formats().iter().map(|(name, ..)| *name).collect();
                    return Err(Error::parameter(
                        "schema",
                        format!("{name:?}"),
                        format!("one of {}", known.join(", ")),
                    ));
                }
            },
        };
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }
}

/// Returns the formats of this crate and of all parts.
fn formats() -> Vec<Entry> {
    let mut all = FORMATS.to_vec();
    for format in parts().flat_map(|part| part.formats) {
        let before = all.iter().position(|(name, ..)| *name == format.after);
        let entry = (format.name, format.description, format.schema);
        all.insert(before.map_or(all.len(), |before| before + 1), entry);
    }
    all
}

fn list() -> String {
    let mut table = Table::new([Column::Left("schema"), Column::Left("of")]);
    for (name, description, _) in formats() {
        table.row([name.to_owned(), description.to_owned()]);
    }
    table.render(anstyle::Style::new())
}

fn pretty(schema: &Schema) -> Result<String> {
    let mut text =
        serde_json::to_string_pretty(schema).map_err(|cause| Error::io("-", "write", cause.into()))?;
    text.push('\n');
    Ok(text)
}
