//! Checks the SMs of thread blocks. Records of blocks beside the recording show them.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::device::{Place, Runs};
use gpusched_model::{Plan, counted};

use super::finding::{FindingKind, Report, Subject};
use super::{Audited, Run};
use crate::block_trace::Residency;

/// Checks that each recorded block ran on an SM of the partition of its task. The trace of a dispatcher or the plan states the SMs
/// of a partition. If both do not, the blocks of a partition may only use as many SMs as the partition has, and no SM of
/// blocks in another partition.
pub fn check(run: &Run<'_>, tasks: &[Audited<'_>], plan: &Plan, report: &mut Report) {
    if run.blocks.is_empty() {
        return;
    }
    // The SMs of each partition on which recorded blocks ran.
    let mut used: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for task in tasks {
        let sms = of(run, task).flat_map(|records| records.sms.keys());
        if let Some(partition) = task.partition {
            used.entry(partition).or_default().extend(sms);
        }
    }
    for task in tasks {
        let seen = of(run, task).next().is_some();
        let (Some(partition), true) = (task.partition, seen || !task.jobs.is_empty()) else {
            continue;
        };
        if !seen {
            report.unknown(task, Subject::Blocks, "no records of its blocks");
            continue;
        }
        let own = own(run, task, plan, partition);
        let wrong = match &own {
            Some(own) => { of(run, task) }.find_map(|records| foreign(records, own)),
            None => crowded(tasks, plan, partition, &used),
        };
        let unknown: u64 = of(run, task).map(|records| records.unknown).sum();
        let blocks: u64 = of(run, task).map(Residency::blocks).sum();
        match wrong {
            Some(detail) => report.broken(task, Subject::Blocks, FindingKind::WrongSms, detail),
            None if unknown > 0 => {
                let detail = format!(
                    "the SM of {unknown} of {} is not in the file",
                    counted(blocks, "block")
                );
                report.lacks_records();
                report.unknown(task, Subject::Blocks, &detail);
            }
            None if own.is_none() => {
                let detail = "neither the plan nor the trace states the SMs of the partition";
                report.unknown(task, Subject::Blocks, detail);
            }
            None => report.checked(task, Subject::Blocks, None, Vec::new()),
        }
    }
}

/// Returns the block records of `task`.
fn of<'a>(run: &Run<'a>, task: &Audited<'_>) -> impl Iterator<Item = &'a Residency> {
    let of = run.blocks.iter().filter(|(name, _)| *name == task.name);
    of.map(|(_, records)| records)
}

/// Returns the SMs of a partition. The SMs that its kernels observed are the SMs that the driver gave.
fn own(run: &Run<'_>, task: &Audited<'_>, plan: &Plan, partition: usize) -> Option<BTreeSet<u32>> {
    let dispatcher = run.recording.dispatcher.as_ref();
    let observed = dispatcher
        .zip(task.context)
        .and_then(|(dispatcher, context)| dispatcher.partition(context)?.sm_ids.clone());
    let planned = || {
        let place = plan.partitions.get(partition)?.place.as_ref()?;
        plan.hardware.as_ref()?.sms_at(place)
    };
    Some(observed.or_else(planned)?.into_iter().collect())
}

/// Describes the first block in `records` on an SM that is not one of `own`.
fn foreign(records: &Residency, own: &BTreeSet<u32>) -> Option<String> {
    let outside: Vec<_> = { records.sms.iter() }
        .filter(|(sm, _)| !own.contains(sm))
        .collect();
    let (sm, seen) = outside.iter().min_by_key(|(_, seen)| seen.first)?;
    let (count, (launch, block)) = (
        outside.iter().map(|(_, seen)| seen.blocks).sum::<u64>(),
        seen.first,
    );
    let own: Vec<u32> = own.iter().copied().collect();
    Some(format!(
        "{} of {} in {} ran on other SMs than {} of the partition; the first is block {block} of run {launch}, on SM {sm}",
        count,
        counted(records.blocks(), "block"),
        records.file,
        Runs(&own)
    ))
}

/// Describes SMs that the partition cannot have.
fn crowded(
    tasks: &[Audited<'_>],
    plan: &Plan,
    partition: usize,
    used: &BTreeMap<usize, BTreeSet<u32>>,
) -> Option<String> {
    let (planned, sms) = (plan.partitions.get(partition)?, used.get(&partition)?);
    if sms.len() > planned.sms as usize {
        return Some(format!(
            "blocks of the partition ran on {}, but the partition has {}",
            counted(sms.len(), "SM"),
            planned.sms
        ));
    }
    // Each MIG instance numbers its own SMs.
    if matches!(planned.place, Some(Place::Instance(_))) {
        return None;
    }
    let mut others = used.iter().filter(|(other, _)| **other != partition);
    let (other, sm) = others.find_map(|(other, of)| Some((*other, of.intersection(sms).next()?)))?;
    let other = tasks.iter().find(|task| task.partition == Some(other))?;
    Some(format!(
        "blocks of the partition and blocks of the partition of {} ran on SM {sm}",
        other.name
    ))
}
