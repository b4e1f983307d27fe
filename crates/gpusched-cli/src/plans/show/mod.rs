//! `gpusched show`: states in words what a file is.

mod described;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use described::{of_answer, of_bound, of_chosen, of_kernel, of_plan, of_set, of_system, of_system_plan};

use crate::experiments::study::check;
use crate::other_tools::recording::summary;
use crate::report::{Output, Palette, Report, Table, numbered_for};
use crate::{Global, Outcome, Run};
use gpusched_model::assumptions::Assumption;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::Plans;

/// Arguments of `gpusched show`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan, verdict on a system, budgets, bound, task set, kernel, system, recording, or results folder of a study
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const EXAMPLE: &str = "\
`show` states what a file is, what it claims, for which inputs it was computed, and how to check it. It does not check the claims. For a
recording, it prints the result of `recording summary`, and for results of a study the result of `study check`.
Exit code 0: gpusched knows the file. 1: a claim of the study fails.

Example:
  gpusched partition tasksets/tasksets/adas.json --gpu orin -o plan.json && gpusched show plan.json";

/// Number of bytes at the start of a file that show whether it may be a document of gpusched.
const START: u64 = 4096;

/// Description of a file.
#[derive(Serialize)]
struct Description {
    /// Kind of the file.
    kind: &'static str,
    /// Claim of the file, in one sentence.
    claim: String,
    /// Inputs and options.
    facts: BTreeMap<&'static str, String>,
    /// Partitions of a plan.
    #[serde(skip)]
    table: Table,
    /// Assumptions of the claim, which gpusched does not check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<Assumption>,
    /// Command that checks the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<String>,
    /// Whether the claim is that no plan exists.
    #[serde(skip)]
    negative: bool,
    #[serde(skip)]
    quiet: bool,
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if self.file.is_dir() {
            return check::Args::of(self.file.clone()).run(global);
        }
        if !is_object(&self.file)? {
            return summary::Args::of(self.file.clone()).run(global);
        }
        let raw = Plans::only_raw(&self.file, "document")?;
        let shown = self.file.display().to_string();
        raw.check_syntax(&shown)?;
        let mut description = if raw.has("gpu_sms") {
            of_plan(&raw.parse(&shown)?, &shown)
        } else if raw.has("certificate") || (raw.has("q") && raw.has("wcet_ns")) {
            of_bound(raw.parse(&shown)?, &shown)
        } else if raw.has("verdict") && raw.has("groups") {
            of_chosen(&raw.parse(&shown)?, &shown)
        } else if raw.has("verdict") && raw.has("schedulable") {
            of_system_plan(raw.parse(&shown)?, &shown)
        } else if raw.has("response_times_ns") && raw.has("chains") {
            of_answer(raw.parse(&shown)?, &shown)
        } else if raw.has("clusters") {
            of_kernel(&raw.parse(&shown)?, &shown)
        } else if raw.is_end_to_end() {
            of_system(&raw.parse(&shown)?, &shown)
        } else if raw.has("tasks") {
            of_set(&raw.parse(&shown)?, &shown)
        } else {
            let expected = "a plan, a verdict on a system, budgets, a bound, a task set, a kernel, a system, a recording, or results of a study";
            return Err(Error::file(
                &self.file,
                "a document that `show` does not describe",
                expected,
            ));
        };
        description.quiet = global.quiet;
        Output::open(global)?.last(&description)?;
        Ok(Outcome::Positive)
    }
}

/// Whether the file starts as a JSON object that is no recording.
fn is_object(path: &Path) -> Result<bool> {
    if path == Path::new("-") {
        return Ok(true);
    }
    let file = File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
    let mut start = Vec::new();
    { file.take(START).read_to_end(&mut start) }.map_err(|cause| Error::io(path, "read", cause))?;
    let start = String::from_utf8_lossy(&start);
    let of_recording = [
        "traceEvents",
        "schemaVersion",
        "rocprofiler",
        "gpusched_trace",
        "baseTimeNanoseconds",
    ];
    // A field whose name begins with one of these words.
    let is_field = |name: &str| {
        start.match_indices(&format!("\"{name}")).any(|(at, _)| {
            let rest = start[at + 1..].split_once('"').map(|(_, rest)| rest.trim_start());
            rest.is_some_and(|rest| rest.starts_with(':'))
        })
    };
    Ok(start.trim_start().starts_with('{') && !of_recording.into_iter().any(is_field))
}

impl Report for Description {
    fn table(&self) -> Table {
        let facts = { self.facts.iter() }.map(|(name, value)| (*name, value.clone()));
        let rows = [("kind", self.kind.to_owned()), ("claim", self.claim.clone())]
            .into_iter()
            .chain(facts);
        Table::of(rows.collect::<Vec<_>>())
            .exact("name", |(name, _)| *name)
            .exact("value", |(_, value)| value.clone())
            .done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut text = format!("{}\n", self.claim);
        let width = self.facts.keys().map(|name| name.len()).max().unwrap_or(0);
        // Writing to a string never fails.
        for (name, value) in self.facts.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = writeln!(text, "  {name:<width$}  {value}");
        }
        if !self.table.is_empty() {
            let _ = write!(text, "\n{}", self.table.render(palette.header));
        }
        if !self.assumptions.is_empty() && !self.quiet {
            let _ = write!(text, "\n{}", numbered_for(&self.assumptions, self.negative));
        }
        if let Some(check) = &self.check {
            let words = if self.kind.contains("set") || ["system", "kernel"].contains(&self.kind) {
                "next"
            } else {
                "not checked here; to check it"
            };
            let _ = writeln!(text, "\n{words}: {check}");
        }
        Ok(text)
    }
}
