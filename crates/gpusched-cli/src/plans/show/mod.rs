//! `gpusched show`: states in words what a file is.

mod described;
mod known;

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
use gpusched_model::reader::Documents;
use gpusched_model::task_table::is_header;
use gpusched_model::{TaskSet, counted};
use gpusched_study::{Overrides, Spec};

/// Arguments of `gpusched show`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// File of gpusched in any format of `gpusched schema`, recording, study, or results folder of a study
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
    /// Command that checks the claim, or that uses the file.
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
        if let Some(folder) = known::results_with(&self.file) {
            return check::Args::of(folder).run(global);
        }
        let start = start_of(&self.file)?;
        let header = start.lines().next().unwrap_or_default();
        let mut description = if { self.file.extension() }.is_some_and(|ending| ending == "toml") {
            known::of_study(&Spec::read(&self.file, Overrides::default())?)
        } else if is_document(&start) || is_header(header.as_bytes()) {
            self.describe()?
        } else if let Some(table) = known::of_table(header, &self.file.display().to_string()) {
            table
        } else {
            return summary::Args::of(self.file.clone()).run(global);
        };
        description.quiet = global.quiet;
        Output::open(global)?.last(&description)?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Describes the first document of the file.
    fn describe(&self) -> Result<Description> {
        let mut documents = Documents::<TaskSet>::open(&self.file)?;
        let shown = documents.file().to_owned();
        // A file without documents is an error of `batch`.
        let raw = documents.batch(1)?.pop().ok_or_else(|| unknown(&self.file))?;
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
        } else if raw.has("clusters") && raw.has("active_blocks") {
            of_kernel(&raw.parse(&shown)?, &shown)
        } else if raw.is_end_to_end() {
            of_system(&raw.parse(&shown)?, &shown)
        } else if raw.has("tasks") {
            of_set(&raw.parse(&shown)?, &shown)
        } else {
            known::of_format(&raw, &shown).ok_or_else(|| unknown(&self.file))?
        };
        let mut more = 0;
        loop {
            match documents.batch(1000)?.len() {
                0 => break,
                read => more += read,
            }
        }
        if more > 0 {
            let note = format!("the first of {} in this file", counted(more + 1, "document"));
            description.facts.insert("document", note);
        }
        Ok(description)
    }
}

/// The error for a document of unknown kind.
fn unknown(path: &Path) -> Error {
    let expected = "a file with a format of `gpusched schema`, a study, a recording, or results of a study";
    Error::file(path, "a document that `show` does not describe", expected)
}

/// Returns the start of the file. Standard input is always a document.
fn start_of(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        return Ok("{".to_owned());
    }
    let file = File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
    let mut start = Vec::new();
    { file.take(START).read_to_end(&mut start) }.map_err(|cause| Error::io(path, "read", cause))?;
    Ok(String::from_utf8_lossy(&start).into_owned())
}

/// Whether a file with this `start` is a JSON object that is no recording.
fn is_document(start: &str) -> bool {
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
    start.trim_start().starts_with('{') && !of_recording.into_iter().any(is_field)
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
            let words = match check.contains(" verify ") {
                true => "not checked here; to check it",
                false => "next",
            };
            let _ = writeln!(text, "\n{words}: {check}");
        }
        Ok(text)
    }
}
