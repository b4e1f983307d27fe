//! Checks that a dispatched run executed each job that arrived.

use std::collections::BTreeSet;

use super::Audited;
use super::finding::{FindingKind, Report, Subject, Violation};
use crate::model::Dispatcher;

/// The finding about a job without a launch.
const ABSENT: &str = "arrives in the run, but is not in the trace";
/// The finding about a job that the dispatcher skipped.
const SKIPPED: &str = "was skipped, because the job before it exceeded its budget";

/// Numbers of the jobs of a periodic task that the trace does not contain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Missing {
    /// Ranges of missing jobs, from the first to the last number, before a job that the trace contains.
    between: Vec<(u64, u64)>,
    /// First and last number of the missing jobs at the end.
    tail: Option<(u64, u64)>,
    /// Jobs that the dispatcher skipped. They are in no range.
    skipped: Vec<u64>,
}

impl Missing {
    /// Returns the missing jobs of `task`, if the arrivals are periodic.
    pub fn of(task: &Audited<'_>, dispatcher: &Dispatcher) -> Missing {
        let Some(until) = dispatcher.periodic_until(&task.name) else {
            return Missing::default();
        };
        let skipped: BTreeSet<u64> = dispatcher.skipped(&task.name).collect();
        let period = task.task.period().ns().max(1);
        let mut missing = Missing::default();
        let mut next = 0;
        for job in task.all {
            let Ok(arrival) = u64::try_from(job.release) else {
                continue;
            };
            let number = arrival / period;
            // Another check finds a job that arrives too early.
            if !arrival.is_multiple_of(period) || number < next {
                continue;
            }
            while next < number && skipped.contains(&next) {
                missing.skipped.push(next);
                next += 1;
            }
            if number > next {
                missing.between.push((next, number - 1));
            }
            next = number.saturating_add(1);
        }
        let jobs = until.div_ceil(period);
        while next < jobs && skipped.contains(&next) {
            missing.skipped.push(next);
            next += 1;
        }
        missing.tail = (next < jobs).then(|| (next, jobs.saturating_sub(1)));
        missing
    }

    /// Returns the arrival of the first missing job at the end [ns].
    pub fn first_of_tail(&self, task: &Audited<'_>) -> Option<i64> {
        let (first, _) = self.tail?;
        i64::try_from(first.checked_mul(task.task.period().ns())?).ok()
    }

    /// Returns the number of missing jobs that arrive until `until` [ns]. `tail` is whether jobs at the end count.
    pub fn until(&self, task: &Audited<'_>, until: i64, tail: bool) -> u64 {
        let Ok(until) = u64::try_from(until) else { return 0 };
        let last = until / task.task.period().ns().max(1);
        let ranges = self.between.iter().chain(self.tail.iter().filter(|_| tail));
        let counts = ranges.map(|&(from, to)| to.min(last).saturating_add(1).saturating_sub(from));
        counts.fold(0, u64::saturating_add)
    }
}

/// Checks that `task` has all its jobs, and that their work did not fail. `last` is the last completion in the partition
/// of the task. If the run stopped early, jobs at the end may be missing, unless their deadlines are before `last`.
/// Returns whether the trace contains a job.
pub fn check(task: &Audited<'_>, dispatcher: &Dispatcher, last: Option<i64>, report: &mut Report) -> bool {
    let missing = Missing::of(task, dispatcher);
    let period = task.task.period().ns();
    let mut violations = Vec::new();
    let mut absent = |kind, (from, to): (u64, u64), rest: &str| {
        let at = i64::try_from(from.saturating_mul(period)).unwrap_or(i64::MAX);
        violations.push(Violation {
            kind,
            job: usize::try_from(from)
                .unwrap_or(usize::MAX)
                .saturating_sub(task.dropped),
            at,
            by_ns: None,
            detail: match from == to {
                true => format!("the job {rest}"),
                false => format!("each job up to job {to} {rest}"),
            },
        });
    };
    for &range in &missing.between {
        absent(FindingKind::JobMissing, range, ABSENT);
    }
    for &number in &missing.skipped {
        absent(FindingKind::JobMissing, (number, number), SKIPPED);
    }
    match (missing.tail, dispatcher.ends_ns) {
        (Some(range), None) => {
            let lost = task
                .context
                .and_then(|context| dispatcher.partition(context)?.lost.as_ref());
            let lost =
                lost.map(|error| format!("arrives in the run, but the partition was lost before: {error}"));
            absent(FindingKind::JobMissing, range, lost.as_deref().unwrap_or(ABSENT));
        }
        (Some((first, _)), Some(_)) => {
            let arrival = missing.first_of_tail(task);
            let deadline = arrival
                .and_then(|arrival| arrival.checked_add(i64::try_from(task.task.deadline().ns()).ok()?));
            if deadline.zip(last).is_some_and(|(deadline, last)| deadline < last) {
                let rest = "had not ended at its deadline, which is before the end of the trace";
                absent(FindingKind::DeadlineMiss, (first, first), rest);
            }
        }
        (None, _) => {}
    }
    for (number, job) in task.jobs.iter().enumerate() {
        if job
            .launches
            .iter()
            .any(|launch| dispatcher.failed.binary_search(launch).is_ok())
        {
            violations.push(Violation {
                kind: FindingKind::JobFailed,
                job: number,
                at: job.end,
                by_ns: None,
                detail: "its work failed, so the deadline of its result is missed".to_owned(),
            });
        }
    }
    let shown = !task.jobs.is_empty();
    let complete = shown && dispatcher.periodic_until(&task.name).is_some();
    if complete || !violations.is_empty() {
        report.checked(task, Subject::Jobs, None, violations);
    }
    shown
}
