//! Checks the contexts. Each partition must be one context of the planned size.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::device::Granularity;
use gpusched_model::{Plan, counted};

use super::Audited;
use super::finding::{FindingKind, Report, Subject, Violation};
use crate::activity::{Job, named_gpus, process};
use crate::model::{Dispatcher, Recording, StreamKey};

/// Reason for an unknown context. Masks of streams may divide the SMs of one context, and no profiler records them.
pub const ONE_CONTEXT: &str = "all kernels ran in one context, so the file does not show how SMs are divided";

/// Reason for an unknown context, if the partitions of the plan are green contexts.
pub const NO_GREEN_CONTEXT: &str =
    "no kernel states a green context, but the partitions of the plan are green contexts";

/// Reason for an unknown overlap in a file with several processes.
const PROCESSES: &str =
    "the tasks ran in several processes, so the file does not show the green contexts of the plan";

/// Reason for which a recording does not show the green contexts of a plan.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Undivided {
    /// The kernels of the tasks ran in several processes, which contradicts the plan: its green contexts belong to one process.
    Processes(usize),
    /// No kernel of the tasks states a green context.
    NoGreenContext,
}

impl Undivided {
    /// Returns why `recording` does not show the partitions of `plan`. Returns `None` if it may show them, and for a plan whose partitions are
    /// not green contexts. A dispatcher states its contexts itself.
    pub fn of(recording: &Recording, tasks: &[Audited<'_>], plan: &Plan) -> Option<Undivided> {
        let granularity = plan.hardware.as_ref()?.granularity;
        if granularity != Granularity::GreenContext || recording.dispatcher.is_some() {
            return None;
        }
        let jobs = || tasks.iter().flat_map(|task| task.jobs);
        let launches = jobs().flat_map(|job| &job.launches);
        let processes: BTreeSet<i64> = launches.filter_map(|&index| process(recording, index)).collect();
        if processes.len() > 1 {
            return Some(Undivided::Processes(processes.len()));
        }
        let mut contexts = jobs().flat_map(|job| job.contexts(recording)).peekable();
        let any = contexts.peek().is_some();
        let none = contexts.all(|key| key.green.is_none() && !is_green(recording, key));
        (any && none).then_some(Undivided::NoGreenContext)
    }

    /// Returns the reason why a check is not visible.
    pub fn reason(self) -> &'static str {
        match self {
            Undivided::Processes(_) => PROCESSES,
            Undivided::NoGreenContext => NO_GREEN_CONTEXT,
        }
    }
}

/// Whether the file describes the context `key` as a green context.
fn is_green(recording: &Recording, key: StreamKey) -> bool {
    recording.context_of(key).is_some_and(|context| context.green)
}

/// A stream with its process, which tells the streams of all processes apart.
type Stream = (i64, StreamKey);

/// Returns the stream of launch number `index`, if the file states its process, its context and its number.
fn stream(recording: &Recording, index: usize) -> Option<Stream> {
    let key = recording.streams.get(recording.launches.get(index)?.stream);
    let process = process(recording, index)?;
    (key.context.is_some() && key.stream.is_some()).then_some((process, key))
}

/// Returns the partitions whose kernels ran on each stream.
fn partitions_of_streams(
    recording: &Recording,
    tasks: &[Audited<'_>],
) -> BTreeMap<Stream, BTreeSet<Option<usize>>> {
    let mut partitions: BTreeMap<Stream, BTreeSet<Option<usize>>> = BTreeMap::new();
    for task in tasks {
        for &index in task.jobs.iter().flat_map(|job| &job.launches) {
            if let Some(stream) = stream(recording, index) {
                partitions.entry(stream).or_default().insert(task.partition);
            }
        }
    }
    partitions
}

/// Returns the violation by the first job of `task` on a stream with kernels of several partitions. A stream has the SMs of one
/// partition, and its kernels wait for each other.
fn shared_stream(
    recording: &Recording,
    task: &Audited<'_>,
    partitions: &BTreeMap<Stream, BTreeSet<Option<usize>>>,
) -> Option<Violation> {
    let shared = |index: &usize| {
        let stream = stream(recording, *index)?;
        let several = partitions.get(&stream)?.len() > 1;
        several.then_some(stream.1.stream?)
    };
    task.jobs.iter().enumerate().find_map(|(number, job)| {
        let stream = job.launches.iter().find_map(shared)?;
        let detail = format!("ran on stream {stream}, on which kernels of another partition ran, too");
        Some(violation(number, job, detail))
    })
}

/// Checks that each job of `task` ran on one GPU. Returns whether the file shows a violation.
pub fn one_gpu(recording: &Recording, task: &Audited<'_>, report: &mut Report) -> bool {
    let jobs = task.jobs.iter().enumerate();
    let spread = jobs.map(|(number, job)| (number, job, job.devices(recording)));
    let violations = spread.filter(|(_, _, devices)| devices.len() > 1);
    let violations: Vec<Violation> = violations
        .map(|(number, job, devices)| {
            let detail = format!("ran on {}, but a partition is on one GPU", named_gpus(&devices));
            violation(number, job, detail)
        })
        .collect();
    let found = !violations.is_empty();
    if found {
        report.checked(task, Subject::Context, None, violations);
    }
    found
}

/// Checks that all kernels of a partition run in one context, and that partitions have different contexts. Also checks
/// that a green context has as many SMs as its partition. The context where most jobs of a partition ran counts as the
/// context of the partition.
pub fn check(
    recording: &Recording,
    tasks: &[Audited<'_>],
    (plan, undivided): (&Plan, Option<Undivided>),
    report: &mut Report,
) {
    let seen = |task: &&Audited<'_>| !task.jobs.is_empty();
    if let Some(Undivided::Processes(count)) = undivided {
        for task in tasks.iter().filter(seen) {
            let Some(job) = task.jobs.first() else { continue };
            if !one_gpu(recording, task, report) {
                let detail = format!(
                    "the tasks ran in {count} processes, but the green contexts of a plan belong to one process"
                );
                report.checked(task, Subject::Context, None, vec![violation(0, job, detail)]);
            }
        }
        return;
    }
    let contexts: Vec<Vec<Vec<StreamKey>>> = tasks
        .iter()
        .map(|task| task.jobs.iter().map(|job| job.contexts(recording)).collect())
        .collect();
    let mut all: Vec<StreamKey> = contexts.iter().flatten().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    let known = all.iter().any(|key| key.context.is_some() || key.green.is_some());
    // A green context is a partition. Other contexts may contain partitions, such as the masks of libsmctrl.
    let green = all.iter().all(|key| key.green.is_some());
    let separate = all.len() > 1 || green || plan.partitions.len() == 1;
    let several = all
        .iter()
        .any(|key| Some(key.process) != all.first().map(|first| first.process));
    let several_gpus = recording.streams.devices().len() > 1;
    let name = |key: StreamKey| name(key, several, several_gpus);
    if !known || !separate || undivided.is_some() {
        let reason = match (undivided, known) {
            (Some(undivided), true) => undivided.reason(),
            (_, false) => "the file states no contexts",
            (None, true) => ONE_CONTEXT,
        };
        let partitions = partitions_of_streams(recording, tasks);
        for task in tasks.iter().filter(seen) {
            if one_gpu(recording, task, report) {
                continue;
            }
            match shared_stream(recording, task, &partitions) {
                Some(violation) => report.checked(task, Subject::Context, None, vec![violation]),
                None => report.unknown(task, Subject::Context, reason),
            }
        }
        return;
    }
    let device_sms = plan.hardware.as_ref().map(|hardware| hardware.device.sms());
    let owners: Vec<Option<StreamKey>> = (0..plan.partitions.len())
        .map(|partition| {
            let of = tasks
                .iter()
                .zip(&contexts)
                .filter(|(task, _)| task.partition == Some(partition));
            most_frequent(of.flat_map(|(_, jobs)| jobs.iter().flatten().copied()))
        })
        .collect();
    for (task, jobs) in tasks
        .iter()
        .zip(&contexts)
        .filter(|(task, _)| !task.jobs.is_empty())
    {
        let partition = task
            .partition
            .and_then(|partition| plan.partitions.get(partition));
        let owner = task
            .partition
            .and_then(|partition| owners.get(partition).copied().flatten());
        let (Some(partition), Some(owner)) = (partition, owner) else {
            report.unknown(
                task,
                Subject::Context,
                "the file states no context of the partition",
            );
            continue;
        };
        let shared = owners.iter().filter(|&&other| other == Some(owner)).count() > 1;
        let sms = recording.context_of(owner).and_then(|context| context.sms);
        let mut violations = Vec::new();
        for (number, (job, contexts)) in task.jobs.iter().zip(jobs).enumerate() {
            let detail = match contexts.iter().find(|&&key| key != owner) {
                Some(&other) => format!("ran in {}, but the partition is {}", name(other), name(owner)),
                None if number == 0 && shared => {
                    format!("ran in {}, which another partition also uses", name(owner))
                }
                None => continue,
            };
            violations.push(violation(number, job, detail));
        }
        report.checked(task, Subject::Context, None, violations);
        match (sms, task.jobs.first()) {
            (Some(sms), Some(job)) => {
                let wrong = (sms != partition.sms).then(|| {
                    let detail = format!(
                        "{} has {sms} SMs, but the partition has {}",
                        name(owner),
                        partition.sms
                    );
                    violation(0, job, detail)
                });
                report.checked(task, Subject::Size, None, wrong.into_iter().collect());
            }
            _ => {
                let detail = "the file does not state the number of SMs of the context";
                report.unknown(task, Subject::Size, detail);
            }
        }
        if let (Some(dispatcher), Some(context)) = (&recording.dispatcher, owner.context) {
            match observed(dispatcher, context, (partition.sms, device_sms)) {
                Ok(detail) => {
                    let wrong = detail.zip(task.jobs.first());
                    let wrong = wrong.map(|(detail, job)| Violation {
                        kind: FindingKind::WrongSms,
                        ..violation(0, job, detail)
                    });
                    report.checked(task, Subject::Sms, None, wrong.into_iter().collect());
                }
                Err(reason) => report.unknown(task, Subject::Sms, reason),
            }
        }
    }
}

/// Compares the SMs that the kernels of a context observed with the size of its partition, with the SMs of the GPU if they are
/// known, and with the SMs of all other contexts. The pair states the two numbers of SMs. Returns the violation, or the reason why the trace does not
/// show it.
fn observed(
    dispatcher: &Dispatcher,
    context: i64,
    (sms, of_gpu): (u32, Option<u32>),
) -> Result<Option<String>, &'static str> {
    let of = dispatcher.partition(context);
    let Some((of, ids)) = of.and_then(|of| Some((of, of.sm_ids.as_ref()?))) else {
        return Err(match dispatcher.is_virtual {
            true => "a run in virtual time has no SM ids",
            false => "the trace states no SM ids",
        });
    };
    let own: BTreeSet<u32> = ids.iter().copied().collect();
    if own.len() != sms as usize {
        let found = counted(own.len(), "SM");
        return Ok(Some(format!(
            "kernels in context {context} observed {found}, but the partition has {sms}"
        )));
    }
    if let Some((id, of_gpu)) = own.last().zip(of_gpu).filter(|&(&id, of_gpu)| id >= of_gpu) {
        let all = counted(of_gpu, "SM");
        return Ok(Some(format!(
            "kernels in context {context} observed SM {id}, but the GPU has {all}"
        )));
    }
    for other in dispatcher
        .partitions
        .iter()
        .filter(|other| other.context != context)
    {
        let common = other.sm_ids.iter().flatten().find(|id| own.contains(id));
        if let Some(id) = common {
            let other = other.context;
            return Ok(Some(format!(
                "kernels in context {context} and in context {other} observed SM {id}"
            )));
        }
    }
    match of.same_at_end {
        Some(true) => Ok(None),
        Some(false) => Ok(Some(format!(
            "kernels in context {context} observed other SMs at the end of the run"
        ))),
        None => Err("the trace does not state the SMs at the end of the run"),
    }
}

fn violation(job: usize, of: &Job, detail: String) -> Violation {
    Violation {
        kind: FindingKind::WrongContext,
        job,
        at: of.start,
        by_ns: None,
        detail,
    }
}

fn most_frequent(keys: impl Iterator<Item = StreamKey>) -> Option<StreamKey> {
    let mut counts: BTreeMap<StreamKey, usize> = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    let most = counts
        .into_iter()
        .max_by_key(|&(key, count)| (count, std::cmp::Reverse(key)));
    most.map(|(key, _)| key)
}

/// Returns the name of a context, with its process if the file has several processes, and its GPU if it has several GPUs.
fn name(key: StreamKey, several: bool, several_gpus: bool) -> String {
    let name = match (key.green, key.context) {
        (Some(green), _) => format!("green context {green}"),
        (None, Some(context)) => format!("context {context}"),
        (None, None) => "no context".to_owned(),
    };
    let name = match key.device.filter(|_| several_gpus) {
        Some(device) => format!("{name} of GPU {device}"),
        None => name,
    };
    match key.process.filter(|_| several) {
        Some(process) => format!("{name} of process {process}"),
        None => name,
    }
}
