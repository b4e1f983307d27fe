//! Evidence for each partition, files for a second check, and exports for tools.

use gpusched_analysis::export::Target;
use gpusched_model::error::Result;
use gpusched_model::plan::{Failure, LowerBound, Proof as BoundProof, UNITS_PER_SM};
use gpusched_model::policy::Strength;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Partition, Plan, Policy, TaskSet, counted};
use serde::Serialize;

use super::verdict::naming;
use crate::file::File;
use crate::view::{Cell, Table};

/// Why the evidence of EDF ends at an interval.
const LONGEST: &str = "Intervals longer than the stated length cannot fail. This length is at most (B + Σ max(0, T − D) · C/T) / (1 − U), or \
                       max(D − T) if this is larger. D counts from the latest release, and U < 1 is the utilization of the partition. B is the \
                       blocking at the earliest deadline, and 0 under preemptive EDF. The page docs/explanation/tests.md contains the \
                       proof, and the case U = 1.";

/// Why the evidence of EDF checks only some intervals.
const CHECKED: &str = "QPA chooses the checked intervals (Zhang & Burns 2009). The demand of one interval covers all \
                       shorter intervals down to the next one.";

/// What the evidence of EDF with limited preemption counts as blocking. `Supply` in the verifier computes this maximum.
const BLOCKING: &str = "The demand of an interval of length t contains the blocking. The blocking is the longest job of the tasks \
                        of the partition with a deadline later than t, minus 1 ns (George et al. 1996). This job starts at least 1 ns \
                        before the interval. Under lp-edf, the longest block takes the place of the longest job. Deadlines count from the latest \
                        release, so they are D − J.";

/// Evidence of one partition.
#[derive(Serialize)]
pub struct Proof {
    partition: usize,
    policy: &'static str,
    strength: String,
    sentence: String,
    /// Checked intervals, or priorities with response times.
    table: Option<Table>,
}

impl Proof {
    /// Returns the table of the evidence.
    pub fn table(&self) -> &Option<Table> {
        &self.table
    }
}

/// Returns the evidence of the lower bound and of a claim that no plan exists.
pub fn claim(plan: &Plan) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(bound) = &plan.bound {
        let sms = counted(bound.sms, "SM");
        sentences.push(match (bound.proof, rounded(bound)) {
            (BoundProof::Prices, sum) => format!(
                "Evidence of the lower bound of {sms}: the dual prices in the table of tasks. {sum} The verifier checks that no \
                 candidate partition has a larger sum of prices than SMs."
            ),
            (BoundProof::Search, sum) => format!(
                "Evidence of the lower bound of {sms}: the dual prices in the table of tasks, and a complete search for the \
                 remaining part, which leaves no evidence. {sum}"
            ),
        });
    }
    sentences.extend(plan.failure.as_ref().map(|failure| match failure {
        Failure::BoundExceedsGpu => format!(
            "Evidence that no plan fits: this lower bound is larger than the {} of the GPU.",
            counted(plan.capacity(), "SM")
        ),
        Failure::HeuristicFailed => {
            "There is no evidence that no plan fits: the heuristic found none.".to_owned()
        }
        failure => format!("Evidence that no plan fits: {failure}."),
    }));
    let exact = { plan.partitions.iter() }.all(|partition| partition.verdict.strength == Strength::Exact);
    let strength = { plan.bound.is_some() && !plan.partitions.is_empty() }.then_some(match exact {
        true => {
            "The test is exact: a candidate partition that it rejects misses a deadline if its jobs take their WCETs and arrive as often as \
             stated."
        }
        false => "The lower bound is about plans that this test accepts. The strength of the test stands at each partition.",
    });
    sentences.extend(strength.map(str::to_owned));
    if !plan.partitions.is_empty() {
        let text = match plan.failure {
            None => {
                "Evidence that the tasks meet their deadlines: each partition passes its test, as follows."
            }
            Some(_) => {
                "The partitions below show what the search tried. They are no part of the evidence for the claim."
            }
        };
        sentences.push(text.to_owned());
    }
    let intervals = |empty: bool| {
        let mut evidence = plan
            .partitions
            .iter()
            .map(|partition| &partition.verdict.evidence);
        evidence.any(|evidence| matches!(evidence, Evidence::DemandWithinSupply { checked, .. } if checked.is_empty() == empty))
    };
    if plan.memory.is_none() && (intervals(true) || intervals(false)) {
        sentences.push(LONGEST.to_owned());
    }
    if intervals(false) {
        sentences.push(CHECKED.to_owned());
    }
    let blocks = |partition: &Partition| matches!(partition.verdict.policy, Policy::NpEdf | Policy::LpEdf);
    if plan.memory.is_none() && (intervals(true) || intervals(false)) && plan.partitions.iter().any(blocks) {
        sentences.push(BLOCKING.to_owned());
    }
    if intervals(true) {
        let text = "For a partition without a table of intervals, the list `checked` of the plan is empty, because the proof needs no \
                    interval. The verifier checks the reason.";
        sentences.push(text.to_owned());
    }
    sentences
}

/// Returns a sentence about the sum of the dual prices, and how it rounds up.
pub fn rounded(bound: &LowerBound) -> String {
    let sum: u128 = bound.prices.iter().map(|&price| u128::from(price)).sum();
    let unit = u128::from(UNITS_PER_SM);
    let (whole, rest) = (sum / unit, sum % unit);
    let sms = match bound.proof {
        BoundProof::Prices => format!(
            ", rounded up to {}, the next number that partitions can have",
            bound.sms
        ),
        BoundProof::Search => String::new(),
    };
    format!("Their sum is {whole}.{rest:06}{sms}.")
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
                sentence: format!(
                    "{}{}{}",
                    verdict.evidence,
                    naming(set, verdict.evidence.task()),
                    unblocked(partition)
                ),
                table: table((index, verdict.policy), &partition.tasks, &verdict.evidence, set),
            }
        })
        .collect()
}

/// Returns why a partition without preemption needs no interval: no job blocks another.
fn unblocked(partition: &Partition) -> &'static str {
    let verdict = &partition.verdict;
    let at_once = matches!(&verdict.evidence, Evidence::DemandWithinSupply { interval_ns, checked } if checked.is_empty() && *interval_ns == Time::ZERO);
    match (verdict.policy, partition.tasks.len()) {
        (Policy::NpEdf | Policy::LpEdf, 1) if at_once => {
            ", and no job blocks, because the partition has only one task"
        }
        (Policy::NpEdf | Policy::LpEdf, _) if at_once => {
            ", and no job blocks, because no task with jobs longer than 1 ns has a later deadline than another task"
        }
        _ => "",
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
        return (
            Vec::new(),
            "The plan states only a number of SMs and names no GPU model, so there is no export.",
        );
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
