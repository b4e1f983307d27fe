//! Audit of a recorded run against a task set and, optionally, a plan.
//!
//! The audit states only what the file shows. Each check of each task has one of three results: *kept*, *broken* (the
//! file shows a violation), or *not visible* (the file lacks the data). A recording shows contexts. Only records of thread
//! blocks, in files beside the recording, show whether the kernels of a partition stay on its SMs.
//!
//! A trace of `gpusched run` shows more: the arrivals, the decisions, the SMs of the contexts, and the plan of the run. Then
//! the audit also replays each decision.

mod blocks;
mod completeness;
mod confinement;
mod exclusion;
mod finding;
mod identity;
mod jobs;
mod observed_ports;
mod presence;
mod replay;

use gpusched_analysis::interference::{CoLocated, model_of};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::{Interference, Plan, Task, TaskSet, counted};
use serde::Serialize;

use crate::activity::{Activity, Grouping, Job, Outsiders, WarmUps, listed, split};
use crate::block_trace::Residency;
use crate::model::Recording;
use crate::summary::Union;
pub use finding::{Check, Finding, FindingKind, Replay, Subject, Visible};
pub use identity::is_set_of_run;
pub use observed_ports::ObservedPorts;

/// A recorded run with its jobs.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Jobs of the recording.
    pub activities: &'a [Activity],
    /// Rule that found the jobs. The ranges of a dispatcher start at the arrivals.
    pub by: Grouping,
    /// Number of launches that belong to no job.
    pub unassigned: usize,
    /// Number of launches without times whose job the file does not show.
    pub open: usize,
    /// The launches outside all ranges.
    pub outside: &'a Outsiders,
    /// Number of SMs of the run. Without a plan, this number determines C(m). With a plan, the partitions determine
    /// C(m).
    pub sms: Option<u32>,
    /// Jobs to drop at the start of the recording, by name of the task.
    pub warm_up: WarmUps,
    /// Pairs of a task and the SMs of its thread blocks, from files beside the recording. The audit checks them against
    /// a plan.
    pub blocks: &'a [(String, Residency)],
}

/// Result of an audit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Audit {
    /// Whether no check is broken, and the file shows all jobs of every task.
    pub kept: bool,
    /// Verdict: `kept`, `broken`, or `not-visible` if the file shows no jobs of at least one task, or if it lacks records
    /// that could show a violation.
    pub verdict: Visible,
    /// Whether a plan states partitions.
    #[serde(skip)]
    pub planned: bool,
    /// Number of launches that belong to no job. The checks ignore these launches.
    pub unassigned_launches: usize,
    /// Number of warm-up jobs that the audit dropped, over all tasks. The checks ignore these jobs.
    pub dropped_jobs: usize,
    /// Extent of the replay of a dispatcher. Absent for recordings of profilers, and without a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Ports of TPCs and GPCs that partitions shared in the run. Absent if the trace does not state the SMs of each partition,
    /// or the plan the TPCs of the GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<ObservedPorts>,
    /// Results of the checks, sorted by task, then by check.
    pub checks: Vec<Check>,
    /// Violations, sorted by time, followed by the checks for which the file lacks the data.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Whether the file shows jobs of every task.
    pub fn shows_every_task(&self) -> bool {
        let mut checks = self.checks.iter();
        !checks.any(|check| check.subject == Subject::Jobs && check.verdict == Visible::NotVisible)
    }

    /// Returns the checks of releases, deadlines and WCETs whose result the file does not show for at least one task.
    pub fn hidden_limits(&self) -> Vec<Subject> {
        let limits = [Subject::Releases, Subject::Deadlines, Subject::Wcet];
        let hidden = |subject: &Subject| {
            let mut checks = self.checks.iter().filter(|check| check.subject == *subject);
            checks.any(|check| check.verdict == Visible::NotVisible)
        };
        limits.into_iter().filter(hidden).collect()
    }

    /// Whether the file shows, for each task, that no other partition of the plan uses the context of its partition, and that
    /// this context has the planned size. `true` without a plan.
    pub fn shows_partitions(&self) -> bool {
        let shown = |subject| {
            let mut checks = self.checks.iter().filter(|check| check.subject == subject);
            checks.all(|check| check.verdict != Visible::NotVisible)
        };
        !self.planned || shown(Subject::Context) && shown(Subject::Size)
    }

    /// Whether all kernels ran in one context, although the plan has several partitions. Then the file does not even show that the
    /// partitions existed.
    pub fn has_one_context(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.detail == confinement::ONE_CONTEXT)
    }

    /// Whether no kernel ran in a green context, although the partitions of the plan are green contexts.
    pub fn has_no_green_context(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.detail == confinement::NO_GREEN_CONTEXT)
    }

    /// Returns the subjects that a table of the checks shows, in order.
    pub fn subjects(&self) -> Vec<Subject> {
        let found = |subject: &Subject| self.checks.iter().any(|check| check.subject == *subject);
        let dispatched = Subject::DISPATCHED
            .into_iter()
            .filter(|subject| self.replay.is_some() && found(subject));
        let blocks = Some(Subject::Blocks).filter(found);
        Subject::ALWAYS
            .into_iter()
            .chain(dispatched)
            .chain(blocks)
            .collect()
    }
}

/// A task, its jobs, and the limits that apply to them.
struct Audited<'a> {
    pub name: String,
    pub task: &'a Task,
    /// Jobs including the warm-up.
    pub all: &'a [Job],
    /// Jobs after the warm-up.
    pub jobs: &'a [Job],
    /// Number of jobs that were dropped because of the warm-up.
    pub dropped: usize,
    /// Position of the partition in the plan.
    pub partition: Option<usize>,
    /// Context of the first job.
    pub context: Option<i64>,
    /// Number of SMs of the partition or of the run.
    pub sms: Option<u32>,
    /// Reason why the absence of a violation in the file does not mean that the run had none.
    pub doubt: Option<String>,
    /// Whether the reason also holds for the releases.
    pub doubtful_releases: bool,
    /// Whether the policy of the partition has preemption points, so that a job is several launches.
    pub chunks: bool,
    /// Whether a job occupies its partition from its first to its last kernel, because the policy never preempts it.
    pub occupies: bool,
    /// Longest gaps of a measured job, if the WCET does not contain the gaps between kernels.
    pub left_out_gaps: Option<Time>,
    /// Whether the WCET contains the copies before the first and after the last kernel of a job.
    pub counts_copies: bool,
    /// Largest execution time that the analysis assumes, without interference through the memory. `None` if it is
    /// unknown.
    pub wcet: Option<Time>,
}

/// Compares `run` with `set` and `plan`. `names` contains pairs of a task and its activity, for tasks whose activity
/// has another name.
///
/// # Errors
/// Returns [`Error::Refused`] if a name is unknown, if the plan does not belong to the set, if its kernels run together, or if
/// the trace of a dispatcher states another plan or set.
pub fn audit(run: &Run<'_>, set: &TaskSet, plan: Option<&Plan>, names: &[(String, String)]) -> Result<Audit> {
    let together = plan.is_some_and(|plan| {
        let mut partitions = plan.partitions.iter();
        partitions.any(|partition| partition.verdict.policy.runs_together())
    });
    if together {
        let expected = "a plan that runs one kernel of a partition at a time, because no audit checks kernels that run together";
        return Err(Error::parameter("plan", "the policy concurrent", expected));
    }
    let dispatcher = run.recording.dispatcher.as_ref();
    let tasks = audited(run, set, plan, names)?;
    if let (Some(dispatcher), Some(plan)) = (dispatcher, plan) {
        identity::check(dispatcher, &tasks, set, plan)?;
    }
    // Other groups of launches do not show the arrivals.
    let dispatcher = dispatcher.filter(|_| run.by == Grouping::Range);
    let origin = run.recording.start();
    let mut report = finding::Report::new(origin);
    let (kernels, none) = (jobs::kernels(run.recording, &tasks), Union::default());
    for task in &tasks {
        let of_partition = tasks.iter().filter(|other| other.partition == task.partition);
        let last = of_partition.flat_map(|other| other.all).map(|job| job.end).max();
        let last = last.filter(|_| task.partition.is_some());
        let checked = report.len();
        let shown = dispatcher.map(|dispatcher| presence::check(task, dispatcher, last, &mut report));
        if shown == Some(false) && report.len() > checked {
            continue;
        }
        if task.jobs.is_empty() {
            let reason = match task.dropped {
                0 => format!(
                    "the recording has no activity with this name, only {}",
                    listed(run.activities.iter().map(|activity| activity.name.as_str()))
                ),
                dropped => format!("the warm-up drops all jobs, {dropped}"),
            };
            report.unknown(task, Subject::Jobs, &reason);
            continue;
        }
        jobs::releases(task, (run.recording, dispatcher.is_some()), &mut report);
        jobs::deadlines(task, (run.recording, dispatcher.is_some()), &mut report);
        let memory = plan
            .and_then(|plan| plan.interference)
            .is_some_and(Interference::counts_memory);
        let overhead = Time::from_ns(dispatcher.map_or(0, |dispatcher| dispatcher.overhead_ns));
        let of_partition = kernels.get(&task.partition);
        let hidden = { tasks.iter() }
            .filter(|other| other.partition == task.partition)
            .any(|other| other.doubt.is_some() || other.jobs.is_empty());
        let running = (run.recording, of_partition.unwrap_or(&none), hidden);
        jobs::execution_times(running, task, (memory, overhead), &mut report);
    }
    let mut replayed = None;
    match plan {
        Some(plan) => {
            replayed =
                dispatcher.map(|dispatcher| replay::check((run, dispatcher), &tasks, plan, &mut report));
            let undivided = confinement::Undivided::of(run.recording, &tasks, plan);
            exclusion::check(run.recording, &tasks, (plan, undivided), &mut report);
            confinement::check(run.recording, &tasks, (plan, undivided), &mut report);
            // The file has a place for the numbers of green contexts, and the plan requires them.
            if undivided == Some(confinement::Undivided::NoGreenContext) && run.recording.has_green_column {
                report.lacks_records();
            }
            blocks::check(run, &tasks, plan, &mut report);
        }
        None => {
            for task in tasks.iter().filter(|task| !task.jobs.is_empty()) {
                report.unknown(task, Subject::Overlap, "no plan states the partition of the task");
                if !confinement::one_gpu(run.recording, task, &mut report) {
                    report.unknown(task, Subject::Context, "no plan states the partition of the task");
                }
            }
        }
    }
    let dropped: usize = tasks.iter().map(|task| task.dropped).sum();
    // A warm-up may have dropped the jobs that broke a bound.
    let broken = run
        .recording
        .dispatcher
        .as_ref()
        .is_some_and(|dispatcher| dispatcher.kept == Some(false));
    if broken && dropped == 0 {
        report.lacks_records();
    }
    let ports = dispatcher
        .zip(plan)
        .and_then(|(dispatcher, plan)| ObservedPorts::of(dispatcher, plan));
    Ok(report.finish((plan.is_some(), run.unassigned), dropped, (replayed, ports)))
}

fn audited<'a>(
    run: &Run<'a>,
    set: &'a TaskSet,
    plan: Option<&Plan>,
    names: &[(String, String)],
) -> Result<Vec<Audited<'a>>> {
    let of_blocks = run.blocks.iter().map(|(task, _)| ("blocks", task));
    let of_warm_up = run.warm_up.of.keys().map(|task| ("warm-up", task));
    let of_names = names.iter().map(|(task, _)| ("task", task));
    for (field, task) in of_names.chain(of_blocks).chain(of_warm_up) {
        let known = (0..set.tasks().len()).any(|index| set.label(index) == *task);
        if !known {
            return Err(Refusal::new(field, format!("{task:?}"), "the name of a task of the set").into());
        }
    }
    for (_, activity) in names {
        if run.activities.iter().all(|other| other.name != *activity) {
            let names = run.activities.iter().map(|other| other.name.as_str());
            let expected = format!("an activity of the recording: {}", listed(names));
            return Err(Refusal::new("task", format!("activity {activity:?}"), expected).into());
        }
    }
    if let Some(plan) = plan {
        let mut placed: Vec<usize> = plan
            .partitions
            .iter()
            .flat_map(|part| part.tasks.clone())
            .collect();
        placed.sort_unstable();
        if placed != (0..set.tasks().len()).collect::<Vec<usize>>() {
            let tasks = counted(set.tasks().len(), "task");
            let set = match set.name() {
                Some(name) => format!("set {name:?} with {tasks}"),
                None => format!("set with {tasks}"),
            };
            let found = match placed.as_slice() {
                [] => "a plan without partitions".to_owned(),
                _ if placed.windows(2).any(|pair| pair.first() == pair.last()) => {
                    "a plan with a task in several partitions".to_owned()
                }
                placed => format!(
                    "a plan of another set: it has {}, and its last task is at position {}",
                    counted(placed.len(), "task"),
                    placed.last().copied().unwrap_or_default()
                ),
            };
            let expected = format!("a plan of the {set}, each task in one partition");
            return Err(Error::parameter("plan", found, expected));
        }
    }
    let tasks = set.tasks().iter().enumerate().map(|(index, task)| {
        let name = set.label(index);
        let given = names.iter().find(|(task, _)| *task == name);
        let wanted = given.map_or(name.as_str(), |(_, activity)| activity);
        let activity = run.activities.iter().find(|activity| activity.name == wanted);
        let partition = plan.and_then(|plan| {
            plan.partitions
                .iter()
                .position(|part| part.tasks.contains(&index))
        });
        let part = plan
            .zip(partition)
            .and_then(|(plan, position)| plan.partitions.get(position));
        let sms = part.map(|part| part.sms).or(run.sms);
        let wcet = match (part, sms) {
            (Some(part), _) => {
                let co_located = part.tasks.iter().filter_map(|&other| set.tasks().get(other));
                let model = plan.and_then(|plan| plan.interference);
                model.and_then(|model| model_of(model).wcet(task, part.sms, &CoLocated::of(co_located)))
            }
            // Without a plan, all tasks share the SMs of the run.
            (None, Some(sms)) => {
                model_of(Interference::Conflict).wcet(task, sms, &CoLocated::of(set.tasks()))
            }
            (None, None) => None,
        };
        let all = activity.map_or(&[][..], |activity| &activity.jobs);
        let (dropped, jobs) = split(run.warm_up.of(&name), run.recording, all);
        let (doubt, doubtful_releases) = completeness::doubt(run, activity, jobs).unzip();
        let context = |job: &Job| job.contexts(run.recording).first()?.context;
        Audited {
            doubt,
            doubtful_releases: doubtful_releases.unwrap_or_default(),
            name,
            task,
            all,
            context: all.first().and_then(context),
            jobs,
            dropped: dropped.len(),
            partition,
            sms,
            chunks: part.is_some_and(|part| part.verdict.policy.counts_blocks()),
            occupies: part.is_some_and(|part| {
                let policy = part.verdict.policy;
                policy.is_dispatchable() && !policy.counts_blocks()
            }),
            counts_copies: { set.measured_on(task) }
                .is_some_and(|measured| measured.fields().counted_copies.is_some()),
            left_out_gaps: { set.measured_on(task) }.and_then(|measured| measured.fields().left_out_gaps),
            wcet,
        }
    });
    Ok(tasks.collect())
}
