//! Replays the decisions of a dispatcher: a second, slow implementation of its rules.
//!
//! At a decision, all jobs that have arrived and were not chosen before wait. The dispatcher chooses the first of them in
//! the order of the policy. The completion of a job is the time of the next decision, so the dispatcher idles only if no job
//! waits at a completion. Then its next decision is at most w after the next arrival. Under a policy with preemption points, a
//! decision chooses the next chunk of a job, and the job waits until its last chunk is chosen.
//!
//! A job that the trace does not contain may have run in any gap after its arrival, so each such job explains one gap.

use gpusched_model::plan::Partition;
use gpusched_model::policy::{Policy, Preemption, Priorities};
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Plan};

use super::finding::{FindingKind, Replay, Report, Subject, Violation};
use super::presence::Missing;
use super::{Audited, Run};
use crate::model::Dispatcher;

/// Order of the jobs that wait in a partition.
enum Order {
    /// The earliest absolute deadline is first, then the task that is first in the partition.
    Deadlines,
    /// Rank of each task of the partition, from 0.
    Ranks(Vec<usize>),
    /// The earliest arrival is first, then the task that is first in the partition.
    Arrivals,
}

/// A job that waits.
#[derive(Copy, Clone)]
struct Waiting {
    /// Position of the task in the partition.
    task: usize,
    /// Position of the job in [`Audited::all`]. `None` for a job that the trace does not contain.
    job: Option<usize>,
    arrival: i64,
}

/// A decision.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Decision {
    at: i64,
    completion: i64,
    /// Position of the task in the partition.
    task: usize,
    /// Position of the job in [`Audited::all`]. `None` for a job that had not ended when the run ended.
    job: Option<usize>,
    /// Whether the job has no later chunk.
    last: bool,
}

/// Violations and distances of a task.
#[derive(Default)]
struct Found {
    order: Vec<Violation>,
    idle: Vec<Violation>,
    late: Vec<Violation>,
    /// Longest time from an arrival to a decision in the idle partition [ns].
    longest_wake: Option<u64>,
}

/// Replays all partitions of `plan`.
pub fn check(
    (run, dispatcher): (&Run<'_>, &Dispatcher),
    tasks: &[Audited<'_>],
    plan: &Plan,
    report: &mut Report,
) -> Replay {
    let mut decisions = 0;
    for partition in &plan.partitions {
        let of: Option<Vec<&Audited<'_>>> = partition.tasks.iter().map(|&task| tasks.get(task)).collect();
        let of = of.unwrap_or_default();
        let replayed = match of.iter().find_map(|task| dispatcher.unseen(&task.name)) {
            Some(reason) => Err(reason),
            None => {
                order_of(dispatcher, &of, partition).ok_or("the trace does not state the order of the tasks")
            }
        };
        let order = match replayed {
            Ok(order) => order,
            Err(reason) => {
                for task in of.iter().filter(|task| !task.jobs.is_empty()) {
                    for subject in [Subject::Order, Subject::Idle, Subject::Wake] {
                        report.unknown(task, subject, reason);
                    }
                }
                continue;
            }
        };
        let chosen = decided(run, &of);
        decisions += chosen.len();
        let found = replay(dispatcher, &of, &order, chosen);
        for (task, found) in of.iter().zip(found) {
            if task.jobs.is_empty() {
                continue;
            }
            report.checked(task, Subject::Order, None, found.order);
            report.checked(task, Subject::Idle, None, found.idle);
            match dispatcher.wake_ns {
                Some(wake) => {
                    let slack = found.longest_wake.map(|late| i128::from(wake) - i128::from(late));
                    report.checked(task, Subject::Wake, slack, found.late);
                }
                None => report.unknown(task, Subject::Wake, "the trace states no bound on wake-ups"),
            }
        }
    }
    Replay {
        decisions,
        partitions: plan.partitions.len(),
        overhead_ns: dispatcher.overhead_ns,
        wake_ns: dispatcher.wake_ns,
        ends_ns: dispatcher.ends_ns,
    }
}

/// Returns the order of `partition`, or `None` if neither the plan nor the trace states it.
fn order_of(dispatcher: &Dispatcher, tasks: &[&Audited<'_>], partition: &Partition) -> Option<Order> {
    let policy = partition.verdict.policy;
    let priorities = match policy {
        Policy::NpEdf | Policy::LpEdf => return Some(Order::Deadlines),
        Policy::NpFifo => return Some(Order::Arrivals),
        Policy::FixedPriority(Preemption::NonPreemptive | Preemption::Limited, priorities) => priorities,
        _ => return None,
    };
    let planned = match &partition.verdict.evidence {
        Evidence::ResponseTimes { priorities, .. } => Some(priorities),
        _ => None,
    };
    // With overheads, Audsley's algorithm may find another order than the plan. All other orders stay the same.
    let context = tasks.iter().find_map(|task| task.context);
    let stated = context.and_then(|context| dispatcher.partition(context)?.ranks.as_ref());
    let order = match priorities {
        Priorities::Audsley => stated.or(planned),
        _ => planned,
    }?;
    let rank = |task: &usize| order.iter().position(|other| other == task);
    partition
        .tasks
        .iter()
        .map(rank)
        .collect::<Option<_>>()
        .map(Order::Ranks)
}

/// Returns the decisions of the dispatcher of `tasks`, in order.
fn decided(run: &Run<'_>, tasks: &[&Audited<'_>]) -> Vec<Decision> {
    let launch = |&index: &usize| run.recording.launches.get(index);
    let mut decisions: Vec<Decision> = Vec::new();
    for (task, of) in tasks.iter().enumerate() {
        for (job, job_of) in of.all.iter().enumerate() {
            let whole = (job_of.start, job_of.end);
            let mut times: Vec<(i64, i64)> = { job_of.launches.iter().filter_map(launch) }
                .map(|launch| (launch.start, launch.end))
                .collect();
            times.sort_unstable();
            if !of.chunks || times.is_empty() {
                times = vec![whole];
            }
            let count = times.len();
            decisions.extend(
                times
                    .into_iter()
                    .enumerate()
                    .map(|(chunk, (at, completion))| Decision {
                        at,
                        completion,
                        task,
                        job: Some(job),
                        last: chunk + 1 == count,
                    }),
            );
        }
        // Chunks of a job that had not ended belong to no range.
        let open = run.outside.unassigned().filter_map(|index| launch(&index));
        let open = open.filter(|launch| of.chunks && run.recording.names.get(launch.name) == of.name);
        decisions.extend(open.map(|launch| Decision {
            at: launch.start,
            completion: launch.end,
            task,
            job: None,
            last: false,
        }));
    }
    decisions.sort_unstable();
    decisions
}

/// Replays one partition. Returns the findings of each task.
fn replay(
    dispatcher: &Dispatcher,
    tasks: &[&Audited<'_>],
    order: &Order,
    decisions: Vec<Decision>,
) -> Vec<Found> {
    let mut found: Vec<Found> = tasks.iter().map(|_| Found::default()).collect();
    let missing: Vec<Missing> = { tasks.iter() }
        .map(|task| Missing::of(task, dispatcher))
        .collect();
    // If the run stopped early or the partition was lost, the missing jobs at the end did not run.
    let context = tasks.iter().find_map(|task| task.context);
    let lost = context.and_then(|context| dispatcher.partition(context)?.lost.as_ref());
    let early = dispatcher.ends_ns.is_some() || lost.is_some();
    let tail = |(task, missing): (&&Audited<'_>, &Missing)| missing.first_of_tail(task).filter(|_| early);
    let tails: Vec<Option<i64>> = tasks.iter().zip(&missing).map(tail).collect();
    let mut explained = 0;
    let mut chosen: Vec<Vec<bool>> = tasks.iter().map(|task| vec![false; task.all.len()]).collect();
    let mut first: Vec<usize> = vec![0; tasks.len()];
    let mut before: Option<i64> = None;
    for decision in decisions {
        // The first waiting job of each task. A missing job at the end is never chosen.
        let waiting = tasks.iter().enumerate().filter_map(|(task, of)| {
            let (job, arrival) = match of.all.get(first[task]) {
                Some(job) => (Some(first[task]), job.release),
                None => (None, tails[task]?),
            };
            (arrival <= decision.at).then_some(Waiting { task, job, arrival })
        });
        let waiting: Vec<Waiting> = waiting.collect();
        let here = &mut found[decision.task];
        // A chunk without a job may be the chunk of a job that the trace does not contain.
        let of = tasks[decision.task];
        let known =
            decision.job.is_some() || tails[decision.task].is_some() && first[decision.task] == of.all.len();
        if known {
            here.order.extend(misordered(tasks, order, &waiting, &decision));
        }
        let earliest = waiting.iter().map(|job| job.arrival).min();
        let gap = before.is_none_or(|before| before < decision.at);
        if let Some(earliest) = earliest.filter(|_| gap) {
            let late = decision.at.abs_diff(earliest);
            let idle = before.filter(|&before| earliest <= before);
            let exceeds = dispatcher.wake_ns.is_some_and(|wake| late > wake);
            let absent = tasks
                .iter()
                .zip(&missing)
                .map(|(task, missing)| missing.until(task, decision.at, !early));
            if (idle.is_some() || exceeds) && explained < absent.fold(0, u64::saturating_add) {
                explained += 1;
            } else if let Some(before) = idle {
                here.idle.extend(idled(tasks, &decision, before));
            } else {
                here.longest_wake = here.longest_wake.max(Some(late));
                here.late
                    .extend(woke_late(tasks, &decision, late, dispatcher.wake_ns));
            }
        }
        before = before.max(Some(decision.completion));
        if let Some(job) = decision.job.filter(|_| decision.last) {
            chosen[decision.task][job] = true;
        }
        while chosen[decision.task].get(first[decision.task]) == Some(&true) {
            first[decision.task] += 1;
        }
    }
    found
}

/// Returns the violation if `decision` did not choose the first job of `waiting`.
fn misordered(
    tasks: &[&Audited<'_>],
    order: &Order,
    waiting: &[Waiting],
    decision: &Decision,
) -> Option<Violation> {
    let deadline =
        |task: usize, arrival: i64| i128::from(arrival) + i128::from(tasks[task].task.deadline().ns());
    let best = waiting.iter().min_by_key(|job| match order {
        Order::Deadlines => (deadline(job.task, job.arrival), job.task),
        Order::Arrivals => (i128::from(job.arrival), job.task),
        Order::Ranks(ranks) => (0, ranks[job.task]),
    });
    let of = tasks[decision.task];
    // The arrival of a job at the end follows from the jobs that wait.
    let arrival = match decision.job {
        Some(job) => of.all[job].release,
        None => { waiting.iter() }
            .find(|job| job.task == decision.task)
            .map_or(i64::MAX, |job| job.arrival),
    };
    let detail = match best {
        Some(best) if best.task == decision.task && best.job == decision.job => return None,
        _ if arrival > decision.at => "started before its arrival".to_owned(),
        None => return None,
        Some(best) if best.task == decision.task => "started before an earlier job of its task".to_owned(),
        Some(best) => {
            let reason = match order {
                Order::Ranks(_) => "which has a higher priority",
                Order::Deadlines if deadline(best.task, best.arrival) == deadline(decision.task, arrival) => {
                    "which has an equal deadline and a lower position"
                }
                Order::Deadlines => "which has an earlier deadline",
                Order::Arrivals if best.arrival == arrival => {
                    "which arrived at the same time and has a lower position"
                }
                Order::Arrivals => "which arrived earlier",
            };
            let number = best.job.map(|job| format!("job {job}"));
            format!(
                "started while {} of {} waited, {reason}",
                number.as_deref().unwrap_or("a job"),
                tasks[best.task].name
            )
        }
    };
    violation(
        tasks,
        decision,
        (FindingKind::WrongOrder, None, decision.at),
        detail,
    )
}

fn idled(tasks: &[&Audited<'_>], decision: &Decision, before: i64) -> Option<Violation> {
    let by = decision.at.abs_diff(before);
    let detail = format!(
        "started {} after the completion before it, although a job waited at this completion",
        Time::from_ns(by)
    );
    violation(tasks, decision, (FindingKind::Idle, Some(by), before), detail)
}

fn woke_late(
    tasks: &[&Audited<'_>],
    decision: &Decision,
    late: u64,
    bound: Option<u64>,
) -> Option<Violation> {
    let bound = bound.filter(|&bound| late > bound)?;
    let detail = format!(
        "started {} after an arrival in the idle partition, later than the bound {}",
        Time::from_ns(late),
        Time::from_ns(bound)
    );
    let what = (FindingKind::LateWake, Some(late - bound), decision.at);
    violation(tasks, decision, what, detail)
}

/// Returns a violation at `decision`, or `None` for a job of the warm-up.
fn violation(
    tasks: &[&Audited<'_>],
    decision: &Decision,
    (kind, by_ns, at): (FindingKind, Option<u64>, i64),
    detail: String,
) -> Option<Violation> {
    Some(Violation {
        kind,
        job: { decision.job.unwrap_or(tasks[decision.task].all.len()) }
            .checked_sub(tasks[decision.task].dropped)?,
        at,
        by_ns,
        detail,
    })
}
