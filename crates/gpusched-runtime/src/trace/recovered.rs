//! The result of a run that only its records show.

use super::Heading;
use crate::core::{Cause, Counters, MOST_SPANS, Overrun, Record, Skipped, Suspension};
use crate::program::Part;
use crate::run::{PartRun, aborted_by};

/// Progress of the job of a task that runs.
#[derive(Copy, Clone, Default)]
struct Progress {
    number: u64,
    /// Time for which the job has occupied the partition [ns].
    occupancy: u64,
    /// Number of chunks after the run of another job.
    resumed: u64,
    overrun: bool,
}

/// Creates the result of partition `index` from its `records` in the order of their completions. `origin` is the time of the
/// first arrivals [ns]. The counts and spans are those that the records show.
pub fn part_run(
    heading: &Heading,
    origin: u64,
    (index, part): (usize, &Part),
    mut records: Vec<Record>,
) -> PartRun {
    let mut counters = Counters::default();
    let mut progress = vec![Progress::default(); part.tasks.len()];
    let mut spans = Spans::default();
    for place in 0..records.len() {
        let next = records.get(place + 1).map(|next| next.decision);
        let record = &mut records[place];
        let (job, status) = (record.job, record.status);
        let task = &part.tasks[job.task];
        let progress = &mut progress[job.task];
        if job.chunk == 0 || progress.number != job.number {
            *progress = Progress {
                number: job.number,
                ..Progress::default()
            };
        }
        progress.resumed += u64::from(job.resumed);
        let repeated = progress.resumed.saturating_mul(task.chunk.ns());
        let left = task.budget.ns().saturating_add(repeated);
        let room = left.saturating_sub(progress.occupancy).min(task.chunk.ns());
        let exceeds = record.span() > room;
        progress.occupancy = progress.occupancy.saturating_add(record.span());
        record.occupancy = progress.occupancy;
        counters.jobs += u64::from(record.last);
        counters.misses += u64::from(status.missed);
        counters.overruns += u64::from(status.overrun && !progress.overrun);
        progress.overrun = status.overrun;
        counters.failed += u64::from(status.failed);
        counters.overheads += u64::from(status.overhead);
        counters.late_wakes += u64::from(status.late_wake);
        counters.longest_wake = counters.longest_wake.max(record.wake.unwrap_or(0));
        let bound = heading.wake_bound.map_or(u64::MAX, |bound| bound.ns());
        let late = record.wake.map_or(record.decision, |wake| {
            record.decision.saturating_sub(wake).saturating_add(bound)
        });
        for (found, from, cause) in [
            (status.late_wake, late, Cause::WakeExceeded),
            (exceeds, record.decision.saturating_add(room), Cause::Overrun),
            (status.overhead, record.completion, Cause::OverheadExceeded),
            (status.failed, record.completion, Cause::JobFailed),
        ] {
            if found {
                spans.open(from, cause);
            }
        }
        if next.is_some_and(|next| next > record.completion) {
            spans.close(record.completion);
        }
    }
    let aborted = records
        .iter()
        .find(|record| record.last && record.status.overrun)
        .filter(|_| heading.program.overrun == Overrun::Abort)
        .map(|record| aborted_by(part, record.job));
    let mut run = PartRun {
        skipped: skipped(heading, origin, part, &records),
        records,
        counters,
        suspensions: Vec::new(),
        context: heading.contexts.get(index).cloned().flatten(),
        lost: aborted,
    };
    run.counters.skipped = run.skipped.len() as u64;
    run.skipped.truncate(MOST_SPANS);
    // The dispatcher was idle after the last job.
    if let Some(last) = run.records.last().filter(|_| run.lost.is_none())
        && run.is_complete(part, heading.duration)
    {
        spans.close(last.completion);
    }
    run.counters.suspended = spans.count;
    run.suspensions = spans.list;
    run
}

/// Spans without guarantee.
#[derive(Default)]
struct Spans {
    list: Vec<Suspension>,
    count: u64,
    open: bool,
}

impl Spans {
    fn open(&mut self, from: u64, cause: Cause) {
        if std::mem::replace(&mut self.open, true) {
            return;
        }
        self.count += 1;
        if self.list.len() < MOST_SPANS {
            self.list.push(Suspension {
                from,
                until: None,
                cause,
            });
        }
    }

    fn close(&mut self, at: u64) {
        if std::mem::take(&mut self.open)
            && let Some(last) = self.list.last_mut()
            && last.until.is_none()
        {
            last.until = Some(at);
        }
    }
}

/// Returns the jobs that were skipped, by arrival. The records contain no skipped job, so a job counts if a later decision or the
/// end of the run shows that the dispatcher saw it.
fn skipped(heading: &Heading, origin: u64, part: &Part, records: &[Record]) -> Vec<Skipped> {
    if heading.program.overrun != Overrun::SkipNext {
        return Vec::new();
    }
    let end = origin.saturating_add(heading.duration.ns());
    let mut found: Vec<(u64, Skipped)> = Vec::new();
    let mut last = 0;
    for record in records.iter().filter(|record| record.last) {
        last += 1;
        let period = part.tasks[record.job.task].period.ns();
        let arrival = record.job.arrival.saturating_add(period);
        if !record.status.overrun || arrival >= end {
            continue;
        }
        let later = records.partition_point(|other| other.decision < arrival);
        let at = match (
            later.checked_sub(1).and_then(|before| records.get(before)),
            records.get(later),
        ) {
            // The partition was busy at the arrival.
            (Some(before), _) if before.completion >= arrival => before.completion,
            // An earlier arrival ended the idle time.
            (_, Some(later))
                if later
                    .wake
                    .is_some_and(|wake| later.decision - wake.min(later.decision) <= arrival) =>
            {
                later.decision
            }
            _ => arrival,
        };
        let job = Skipped {
            task: record.job.task,
            job: record.job.number.saturating_add(1),
            arrival,
        };
        found.push((at, job));
    }
    let complete = last as u128 + found.len() as u128 >= part.jobs(heading.duration);
    let decided = records.last().map_or(0, |record| record.decision);
    found.retain(|&(at, _)| complete || at <= decided);
    found.sort_by_key(|(_, job)| (job.arrival, job.task));
    found.into_iter().map(|(_, job)| job).collect()
}
