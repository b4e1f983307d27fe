//! `gpusched show`: states in words what a file is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::experiments::study::check;
use crate::other_tools::recording::summary;
use crate::report::{Cell, Output, Palette, Report, Table, clip, numbered, wrap};
use crate::{Global, Outcome, Run};
use gpusched_model::assumptions::Assumption;
use gpusched_model::counted;
use gpusched_model::end_to_end::{Answer, Draft, SystemPlan};
use gpusched_model::error::{Error, Result, excerpt};
use gpusched_model::identity::sha256;
use gpusched_model::plan::{Partition, Plan};
use gpusched_model::reader::Plans;
use gpusched_model::{Bound, Identity, TaskSet};

/// Arguments of `gpusched show`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan, verdict on a system, bound, task set, system, recording, or results folder of a study
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
        } else if raw.has("verdict") && raw.has("schedulable") {
            of_system_plan(raw.parse(&shown)?, &shown)
        } else if raw.has("response_times_ns") && raw.has("chains") {
            of_answer(raw.parse(&shown)?, &shown)
        } else if raw.is_end_to_end() {
            of_system(&raw.parse(&shown)?, &shown)
        } else if raw.has("tasks") {
            of_set(&raw.parse(&shown)?, &shown)
        } else {
            let expected = "a plan, a verdict on a system, a bound, a task set, a system, a recording, or results of a study";
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

fn verdict(schedulable: bool) -> &'static str {
    if schedulable {
        "schedulable"
    } else {
        "not proven schedulable"
    }
}

fn of_plan(plan: &Plan, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    let gpu = plan.hardware.as_ref().map(|hardware| {
        format!(
            "{}, partitions of granularity {}",
            hardware.device.name(),
            hardware.granularity
        )
    });
    facts.insert(
        "GPU",
        gpu.unwrap_or_else(|| format!("any with {}", counted(plan.gpu_sms, "SM"))),
    );
    if let Some(interference) = plan.interference {
        facts.insert("interference", interference.to_string());
    }
    let mut policies: Vec<String> = Vec::new();
    for partition in &plan.partitions {
        let policy = partition.verdict.policy.to_string();
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    facts.insert("policy", policies.join(", "));
    if let Some(overheads) = plan.overheads {
        facts.insert("overheads", overheads.to_string());
    }
    if let Some(bound) = &plan.bound {
        facts.insert(
            "lower bound",
            format!("every plan has at least {}", counted(bound.sms, "SM")),
        );
    }
    if let Some(failure) = &plan.failure {
        facts.insert("reason", failure.to_string());
    }
    let identity = plan.identity.as_ref();
    facts.extend(identity.into_iter().flat_map(of_identity));
    if plan.identity.is_none() {
        facts.insert(
            "task set",
            "unknown, because the plan does not state its identity".to_owned(),
        );
    }
    let name = |task: &usize| {
        let tasks = identity.and_then(|identity| identity.tasks.as_ref());
        let name = tasks.and_then(|tasks| tasks.get(*task)?.name.clone());
        name.map_or(format!("#{task}"), |name| clip(&name, 40))
    };
    let names = |partition: &Partition| wrap(partition.tasks.iter().map(name), 60);
    let table = Table::of(plan.partitions.iter().enumerate())
        .number(("partition", "partition"), |(index, _)| *index)
        .number(("SMs", "sms"), |(_, partition)| partition.sms)
        .text(("tasks", "tasks"), |(_, partition)| Cell::from(names(partition)))
        .text(("place", "place"), |(_, partition)| {
            Cell::or(
                partition.place.as_ref().map(|place| clip(&place.to_string(), 40)),
                "-",
            )
        })
        .text(("evidence", "evidence"), |(_, partition)| {
            Cell::from(partition.verdict.evidence.reason().to_owned())
        })
        .done();
    Description {
        kind: "plan",
        claim: format!(
            "a plan of {} for {}: {}, on {} of {}",
            counted(plan.partitions.len(), "partition"),
            counted(
                plan.partitions
                    .iter()
                    .map(|partition| partition.tasks.len())
                    .sum::<usize>(),
                "task"
            ),
            verdict(plan.schedulable),
            plan.sms_used,
            counted(plan.gpu_sms, "SM")
        ),
        facts,
        table,
        assumptions: plan.assumptions.clone().unwrap_or_default(),
        check: Some(format!("gpusched verify {file} SET")),
        quiet: false,
    }
}

fn of_identity(identity: &Identity) -> Vec<(&'static str, String)> {
    let name = identity
        .set_name
        .as_ref()
        .map_or("without a name".to_owned(), |name| {
            format!("`{}`", clip(name, 40))
        });
    let revision = identity.revision.as_ref().map_or(String::new(), |revision| {
        format!(", revision {}", excerpt(revision))
    });
    let options: Vec<String> = { identity.options.iter() }
        .map(|(name, value)| {
            if value.is_empty() {
                format!("--{name}")
            } else {
                format!("--{name} {value}")
            }
        })
        .collect();
    let mut facts = vec![
        (
            "task set",
            format!("{name}, SHA-256 {}", digits(&identity.set_sha256)),
        ),
        (
            "written by",
            format!("gpusched {}{revision}", excerpt(&identity.gpusched)),
        ),
    ];
    facts.extend(
        identity
            .device_sha256
            .as_ref()
            .map(|digest| ("device", format!("SHA-256 {}", digits(digest)))),
    );
    facts.extend((!options.is_empty()).then(|| ("options", clip(&options.join(" "), 300))));
    facts
}

/// Returns the hexadecimal digits of a digest.
fn digits(digest: &str) -> String {
    digest.chars().filter(char::is_ascii_hexdigit).take(64).collect()
}

fn of_bound(bound: Bound, file: &str) -> Description {
    let name = bound.kernel.as_ref().map_or("a kernel".to_owned(), |name| {
        format!("kernel `{}`", clip(name, 40))
    });
    let mut facts = BTreeMap::new();
    facts.insert("memory bandwidth budget Q", bound.q.to_string());
    facts.insert(
        "start",
        if bound.sync {
            "with a regulation period"
        } else {
            "at any time"
        }
        .to_owned(),
    );
    facts.insert(
        "memory time of best-effort cores",
        bound.memory_time_ns.to_string(),
    );
    let proof = match bound.certificate {
        Some(_) => "multipliers of weak duality, which `wcet verify` evaluates",
        None => "none: the bound is from a linear program in floating point",
    };
    facts.insert("proof", proof.to_owned());
    Description {
        kind: "bound",
        claim: format!("a WCET bound: {name} takes at most {}", bound.wcet_ns),
        facts,
        table: Table::default(),
        assumptions: bound.assumptions.unwrap_or_default(),
        check: Some(format!("gpusched wcet verify {file} KERNEL")),
        quiet: false,
    }
}

fn of_answer(answer: Answer, file: &str) -> Description {
    let bounded = answer.response_times_ns.iter().flatten().count();
    let mut facts = BTreeMap::new();
    facts.insert(
        "tasks with a bound",
        format!("{bounded} of {}", answer.response_times_ns.len()),
    );
    facts.insert("chains", answer.chains.len().to_string());
    Description {
        kind: "verdict on a system",
        claim: format!(
            "the verdict on an end-to-end system: {}",
            verdict(answer.schedulable)
        ),
        facts,
        table: Table::default(),
        assumptions: answer.assumptions,
        check: Some(format!("gpusched verify {file} SYSTEM")),
        quiet: false,
    }
}

fn of_system_plan(plan: SystemPlan, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("partitions", plan.partitions.len().to_string());
    Description {
        kind: "plan of a system",
        claim: format!("a plan of an end-to-end system: {}", verdict(plan.schedulable)),
        facts,
        table: Table::default(),
        assumptions: plan.verdict.map(|answer| answer.assumptions).unwrap_or_default(),
        check: Some(format!("gpusched verify {file} SYSTEM")),
        quiet: false,
    }
}

fn of_set(set: &TaskSet, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("SHA-256", sha256(set));
    let measured = { set.tasks().iter() }
        .filter(|task| set.measured_on(task).is_some())
        .count();
    facts.insert(
        "tasks with a stated measurement",
        format!("{measured} of {}", set.tasks().len()),
    );
    Description {
        kind: "task set",
        claim: format!(
            "a task set{} with {}",
            set.name()
                .map_or(String::new(), |name| format!(" `{}`", clip(name, 40))),
            counted(set.tasks().len(), "task")
        ),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched partition {file} --gpu GPU")),
        quiet: false,
    }
}

fn of_system(draft: &Draft, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("SHA-256", sha256(draft));
    facts.insert("cores", draft.cores.len().to_string());
    facts.insert("copy engines", draft.copy_engines.len().to_string());
    facts.insert("partitions", draft.partitions.len().to_string());
    facts.insert("chains", draft.chains.len().to_string());
    Description {
        kind: "system",
        claim: format!(
            "an end-to-end system{} with {}",
            draft
                .name
                .as_ref()
                .map_or(String::new(), |name| format!(" `{}`", clip(name, 40))),
            counted(draft.tasks.len(), "task")
        ),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched test {file}")),
        quiet: false,
    }
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
            let _ = write!(text, "\n{}", numbered(&self.assumptions));
        }
        if let Some(check) = &self.check {
            let words = if self.kind.contains("set") || self.kind == "system" {
                "next"
            } else {
                "not checked here; to check it"
            };
            let _ = writeln!(text, "\n{words}: {check}");
        }
        Ok(text)
    }
}
