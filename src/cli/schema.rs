//! `gpusched schema`: the file formats as JSON schemas.

use schemars::{Schema, schema_for};

use super::{Global, Outcome};
use crate::accelsim::TraceSummary;
use crate::bandwidth::{BudgetResults, Nominal};
use crate::cli::report::{Column, Output, Table};
use crate::error::{Error, Result};
use crate::kernel_wcet::fit::scaling::Fit;
use crate::model::machine::MachineShape;
use crate::model::{
    Benchmarks, Bound, Device, Group, Kernel, MemoryProfile, Plan, Platform, Program, Scenario, System,
    TaskSet, WarpRun, WarpScenario,
};
use crate::simulator::blocks::Comparison;
use crate::simulator::regulation::Summary;
use crate::simulator::regulation::sequence::SequenceSummary;
use crate::study::{Findings, Provenance, Shape};

/// Prints a JSON schema.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The format; without it, all are listed.
    name: Option<String>,
}

const EXAMPLE: &str = "\
Example:
  gpusched schema task-set";

/// A file format: its name, what it is, its schema.
type Entry = (&'static str, &'static str, fn() -> Schema);

const FORMATS: &[Entry] = &[
    (
        "task-set",
        "what `test` and `partition` read, and `generate` writes",
        || schema_for!(TaskSet),
    ),
    ("verdict", "what `test` answers", || {
        schema_for!(super::test::Response)
    }),
    ("plan", "what `partition` answers", || schema_for!(Plan)),
    ("kernel", "what `wcet bound` reads", || schema_for!(Kernel)),
    ("bound", "what `wcet bound` answers", || schema_for!(Bound)),
    ("nominal", "what `budget nominal` answers", || {
        schema_for!(Nominal)
    }),
    ("simulation", "what `budget simulate` answers", || {
        schema_for!(Summary)
    }),
    ("system", "what `budget sequence` reads", || schema_for!(System)),
    ("sequence", "what `budget sequence` answers", || {
        schema_for!(SequenceSummary)
    }),
    ("task-simulation", "what `simulate tasks` answers", || {
        schema_for!(super::simulate::Summary)
    }),
    ("validation", "what `validate` answers", || {
        schema_for!(super::validate::Validation)
    }),
    (
        "shared-validation",
        "what `validate --shared-memory` answers",
        || schema_for!(super::validate::SharedValidation),
    ),
    ("scenario", "what `simulate blocks` reads", || {
        schema_for!(Scenario)
    }),
    (
        "program",
        "a kernel program of tasksets/kernels/programs, which `import ptx` writes",
        || schema_for!(Program),
    ),
    ("block-simulation", "what `simulate blocks` answers", || {
        schema_for!(super::simulate::Answer<'_>)
    }),
    ("warp-scenario", "what `simulate warps` reads", || {
        schema_for!(WarpScenario)
    }),
    ("warp-simulation", "what `simulate warps` answers", || {
        schema_for!(super::simulate::WarpAnswer<'_>)
    }),
    (
        "warp-run",
        "what `simulate warps` reads: kernels on a machine",
        || schema_for!(WarpRun),
    ),
    (
        "warp-results",
        "what `simulate warps` answers of kernels on a machine",
        || schema_for!(super::simulate::WarpRunAnswer),
    ),
    ("warp-profile", "what `simulate profile` answers", || {
        schema_for!(super::simulate::ProfileAnswer)
    }),
    ("group", "what `predict` reads", || schema_for!(Group)),
    (
        "memory-profile",
        "what is known of a kernel alone, for `predict`",
        || schema_for!(MemoryProfile),
    ),
    ("prediction", "what `predict` answers", || {
        schema_for!(super::predict::Answer)
    }),
    ("comparison", "what `import examiner --compare` answers", || {
        schema_for!(Comparison)
    }),
    ("trace-summary", "what `import accel-sim` answers", || {
        schema_for!(TraceSummary)
    }),
    ("study", "what `study run` reads (as TOML)", || schema_for!(Shape)),
    (
        "findings",
        "what became of a study's claims: NAME.claims.json",
        || schema_for!(Findings),
    ),
    (
        "provenance",
        "where results come from: NAME.provenance.json",
        || schema_for!(Provenance),
    ),
    ("wcet-fit", "what `wcet fit` answers", || schema_for!(Fit)),
    (
        "benchmarks",
        "published figures of tasksets/kernels, which studies read",
        || schema_for!(Benchmarks),
    ),
    (
        "budget-results",
        "published figures of budgets at run time, which studies read",
        || schema_for!(BudgetResults),
    ),
    (
        "machine",
        "a GPU of the warp level: what `import gpgpusim-config` writes",
        || schema_for!(MachineShape),
    ),
    (
        "device",
        "a GPU of tasksets/devices, and how it can be divided",
        || schema_for!(Device),
    ),
    ("platform", "a GPU of tasksets/platforms", || {
        schema_for!(Platform)
    }),
];

impl Args {
    /// Prints the schema, or the list.
    ///
    /// # Errors
    /// An unknown name, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let text = match &self.name {
            None => list(),
            Some(name) => match FORMATS.iter().find(|(known, ..)| known == name) {
                Some((.., schema)) => pretty(&schema())?,
                None => {
                    let known: Vec<&str> = FORMATS.iter().map(|(name, ..)| *name).collect();
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

fn list() -> String {
    let mut table = Table::new([Column::Left("schema"), Column::Left("of")]);
    for (name, description, _) in FORMATS {
        table.row([(*name).to_owned(), (*description).to_owned()]);
    }
    table.render(anstyle::Style::new())
}

fn pretty(schema: &Schema) -> Result<String> {
    let mut text =
        serde_json::to_string_pretty(schema).map_err(|cause| Error::io("-", "write", cause.into()))?;
    text.push('\n');
    Ok(text)
}
