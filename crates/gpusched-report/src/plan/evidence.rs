//! Evidence for each partition, files for a second check, and exports for tools.

use gpusched_analysis::export::Target;
use gpusched_model::error::Result;
use gpusched_model::{Evidence, Plan, Policy, TaskSet};
use serde::Serialize;

use super::verdict::naming;
use crate::file::File;
use crate::view::{Cell, Table};

/// Evidence of one partition.
#[derive(Serialize)]
pub struct Proof {
    partition: usize,
    policy: &'static str,
    strength: String,
    sentence: String,
    /// Remark about the evidence.
    note: Option<&'static str>,
    /// Checked intervals, or priorities with response times.
    table: Option<Table>,
}

impl Proof {
    /// Returns the table of the evidence.
    pub fn table(&self) -> &Option<Table> {
        &self.table
    }
}

/// Returns the evidence of each partition.
pub fn proofs(plan: &Plan, set: &TaskSet) -> Vec<Proof> {
    let partitions = plan.partitions.iter().enumerate();
    partitions
        .map(|(index, partition)| {
            let verdict = &partition.verdict;
            Proof {
                partition: index,
                policy: verdict.policy.name(),
                strength: verdict.strength.to_string(),
                sentence: format!("{}{}", verdict.evidence, naming(set, verdict.evidence.task())),
                note: note(&verdict.evidence),
                table: table((index, verdict.policy), &partition.tasks, &verdict.evidence, set),
            }
        })
        .collect()
}

/// Returns a remark for a reader of the evidence who misses the list of checked intervals.
fn note(evidence: &Evidence) -> Option<&'static str> {
    match evidence {
        Evidence::DemandWithinSupply { checked, .. } if checked.is_empty() => Some(
            "The list `checked` of the plan is empty, because this proof needs no interval. The verifier checks the reason.",
        ),
        _ => None,
    }
}

fn table(
    (index, policy): (usize, Policy),
    tasks: &[usize],
    evidence: &Evidence,
    set: &TaskSet,
) -> Option<Table> {
    match evidence {
        Evidence::DemandWithinSupply { checked, .. } if !checked.is_empty() => {
            let table = Table::of(checked)
                .time("Interval t", |(interval, _)| *interval)
                .time("Demand in t", |(_, demand)| *demand)
                .time("Supply − demand", |(interval, demand)| {
                    Cell::of(interval.checked_sub(*demand))
                });
            let caption = format!("Intervals of partition {index} that the evidence checks");
            Some(table.done().on_page(format!("evidence-{index}"), caption))
        }
        Evidence::ResponseTimes {
            priorities,
            response_times_ns,
        } => {
            let table = Table::of(priorities.iter().enumerate())
                .number("Rank", |(rank, _)| *rank)
                .text("Task", |(_, task)| set.label(**task))
                .heading()
                .time("Response time", |(_, task)| {
                    let position = tasks.iter().position(|other| other == *task);
                    Cell::of(position.and_then(|position| response_times_ns.get(position).copied()))
                });
            let order = match policy {
                Policy::NpFifo => "in the order of jobs with equal releases",
                Policy::Concurrent => "in the order of the task set",
                _ => "from the highest to the lowest priority",
            };
            let caption = format!("Tasks of partition {index}, {order}");
            Some(table.done().on_page(format!("evidence-{index}"), caption))
        }
        _ => None,
    }
}

/// Returns the plan and the task set as files.
///
/// # Errors
/// Fails under the same conditions as [`File::json`].
pub fn files(plan: &Plan, set: &TaskSet) -> Result<[File; 2]> {
    Ok([
        File::json("file-plan", "plan.json", "The plan with its evidence", plan)?,
        File::json("file-set", "set.json", "The task set", set)?,
    ])
}

/// Returns the exports that the GPU of `plan` supports, and a remark about these exports.
pub fn exports(plan: &Plan, set: &TaskSet, verified: bool) -> (Vec<File>, &'static str) {
    let Some(hardware) = &plan.hardware else {
        return (Vec::new(), "The plan names no GPU, so there is no export.");
    };
    if !verified || !plan.schedulable {
        return (
            Vec::new(),
            "gpusched exports only verified and schedulable plans.",
        );
    }
    let targets = [
        (Target::Libsmctrl, "partitions.h", "Masks of TPCs for libsmctrl"),
        (
            Target::Mps,
            "partitions.sh",
            "Script that creates SM partitions of MPS v2 and starts their processes",
        ),
        (
            Target::MpsV3,
            "partitions-v3.sh",
            "Script that creates SM partitions of MPS v3 and starts their processes",
        ),
        (
            Target::Mig,
            "instances.sh",
            "Script that creates the MIG instances and starts their processes",
        ),
        (
            Target::GreenContext,
            "partitions.hpp",
            "C++ header that creates CUDA green contexts and dispatches jobs",
        ),
        (
            Target::Csv,
            "partitions.csv",
            "Table of partitions for other tools",
        ),
    ];
    let exports = targets
        .into_iter()
        .filter(|(target, ..)| target.check(hardware).is_ok());
    let exports = exports.filter_map(|(target, name, about)| {
        let text = target.export(plan, set).ok()?;
        Some(File::new(format!("export-{target}"), name, about, text))
    });
    (
        exports.collect(),
        "The comments of each file list the assumptions of the plan.",
    )
}
