//! Checks that at most one job of a partition runs at a time.

use std::collections::BTreeMap;

use gpusched_model::Plan;
use gpusched_model::time::Time;

use super::Audited;
use super::confinement::Undivided;
use super::finding::{FindingKind, Report, Subject, Violation};
use crate::model::Recording;

/// Kernel of a job, as a tuple of start, end, position of the task in the list, and number of the job.
type Kernel = (i64, i64, usize, usize);

/// Checks all partitions of `plan`. Each pair of overlapping jobs is one finding, at the job that started later. Without the partitions of
/// the plan, the check would be about other partitions, so the absence of an overlap says nothing.
pub fn check(
    recording: &Recording,
    tasks: &[Audited<'_>],
    (plan, undivided): (&Plan, Option<Undivided>),
    report: &mut Report,
) {
    let mut found: BTreeMap<usize, Vec<Violation>> = BTreeMap::new();
    for partition in 0..plan.partitions.len() {
        for (later, violation) in overlaps(recording, tasks, partition) {
            found.entry(later).or_default().push(violation);
        }
    }
    for (position, task) in tasks.iter().enumerate().filter(|(_, task)| !task.jobs.is_empty()) {
        let violations = found.remove(&position).unwrap_or_default();
        if let Some(undivided) = undivided.filter(|_| violations.is_empty()) {
            report.unknown(task, Subject::Overlap, undivided.reason());
            continue;
        }
        report.checked(task, Subject::Overlap, None, violations);
    }
}

fn overlaps(recording: &Recording, tasks: &[Audited<'_>], partition: usize) -> Vec<(usize, Violation)> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for (position, task) in tasks.iter().enumerate() {
        if task.partition != Some(partition) {
            continue;
        }
        for (number, job) in task.jobs.iter().enumerate() {
            let launches = job
                .launches
                .iter()
                .filter_map(|&index| recording.launches.get(index));
            kernels.extend(launches.map(|launch| (launch.start, launch.end, position, number)));
        }
    }
    kernels.sort_unstable();
    // Kernels that may still run. For each pair of jobs: start of the overlap, and total length of the overlap.
    let mut running: Vec<Kernel> = Vec::new();
    let mut pairs: BTreeMap<(usize, usize, usize, usize), (i64, u64)> = BTreeMap::new();
    for &(start, end, task, job) in &kernels {
        running.retain(|other| other.1 > start);
        for &(_, other_end, other_task, other_job) in &running {
            let common = other_end.min(end) - start;
            if (other_task, other_job) != (task, job) && common > 0 {
                let (_, total) = pairs
                    .entry((task, job, other_task, other_job))
                    .or_insert((start, 0));
                *total = total.saturating_add(common.unsigned_abs());
            }
        }
        running.push((start, end, task, job));
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for ((task, job, other_task, other_job), (at, by_ns)) in pairs {
        let pair = [(task, job), (other_task, other_job)];
        let key = (pair.iter().min().copied(), pair.iter().max().copied());
        if !seen.insert(key) {
            continue;
        }
        let other = tasks.get(other_task);
        let (other, dropped) = other.map_or(("", 0), |task| (task.name.as_str(), task.dropped));
        let number = dropped + other_job;
        found.push((
            task,
            Violation {
                kind: FindingKind::Overlap,
                job,
                at,
                by_ns: Some(by_ns),
                detail: format!(
                    "ran at the same time as job {number} of {other} in the same partition, for {}",
                    Time::from_ns(by_ns)
                ),
            },
        ));
    }
    found
}
