//! Checks the releases, deadlines and execution times of the jobs of one task.

use std::collections::BTreeMap;

use gpusched_model::counted;
use gpusched_model::time::Time;

use super::Audited;
use super::finding::{FindingKind, Report, Subject, Violation};
use crate::activity::{Job, signs};
use crate::model::Recording;
use crate::summary::Union;

/// Checks that k + 1 consecutive releases span at least k·T − J. After a violation, the check starts again at the early
/// job. So each early job causes only one finding. A hole in periodic releases is legal for a sporadic task, but the file does not show
/// whether it lacks jobs there. The releases of a dispatcher (`arrivals`) are complete.
pub fn releases(task: &Audited<'_>, (recording, arrivals): (&Recording, bool), report: &mut Report) {
    if let Some(reason) = without_releases(task) {
        report.unknown(task, Subject::Releases, &reason);
        return;
    }
    let (early, slack) = spacing(task);
    let violation = |&(index, by): &(usize, i128)| {
        let job = task.jobs.get(index)?;
        Some(Violation {
            kind: FindingKind::EarlyRelease,
            job: index,
            at: job.release,
            by_ns: u64::try_from(by).ok(),
            detail: format!(
                "released {} too early, for the period {} and the jitter {}",
                Time::from_ns(u64::try_from(by).unwrap_or(u64::MAX)),
                task.task.period(),
                task.task.jitter()
            ),
        })
    };
    let violations: Vec<Violation> = early.iter().filter_map(violation).collect();
    let holes = if arrivals {
        Vec::new()
    } else {
        signs::holes(task.jobs)
    };
    // Missing records are the more important reason.
    let clear = violations.is_empty() && !task.doubtful_releases;
    if let Some(first) = holes.first().filter(|_| clear) {
        let start = recording.start();
        let [from, to] = <[i64; 2]>::from(first.between).map(|at| Time::from_ns(at.abs_diff(start)));
        let more = match holes.len() - 1 {
            0 => String::new(),
            more => format!(", and in {}", counted(more, "other place")),
        };
        let reason = format!(
            "no job is released between {from} and {to}{more}, where the distance of the other releases gives {}: the file may lack jobs, \
             or the task was not released",
            counted(holes.iter().map(|hole| hole.jobs).sum::<u64>(), "job")
        );
        report.unknown(task, Subject::Releases, &reason);
        return;
    }
    report.checked(task, Subject::Releases, slack, violations);
}

/// Returns the jobs that are released too early, each with the time that is missing, and the smallest slack. After an early
/// job, the check starts again.
fn spacing(task: &Audited<'_>) -> (Vec<(usize, i128)>, Option<i128>) {
    let (period, jitter) = (
        i128::from(task.task.period().ns()),
        i128::from(task.task.jitter().ns()),
    );
    // Largest value of release − k·T over the jobs so far. Job k must not be released before this value + k·T − J.
    let (mut latest, mut early, mut slack) = (None::<i128>, Vec::new(), None::<i128>);
    for (index, job) in task.jobs.iter().enumerate() {
        let position = i128::from(job.release) - index as i128 * period;
        if let Some(last) = latest {
            let distance = position - (last - jitter);
            slack = Some(slack.map_or(distance, |least| least.min(distance)));
            if distance < 0 {
                early.push((index, -distance));
                latest = None;
            }
        }
        latest = Some(latest.map_or(position, |last| last.max(position)));
    }
    (early, slack)
}

/// Returns the latest possible arrival of each job [ns], and the job whose release bounds it. The jitter is at most the period, so jobs
/// arrive in the order of their releases. No job arrives after its release. Arrivals are at least T apart, so job k arrives at most at
/// release(j) − (j − k)·T for each later job j. A job that is released too early bounds no job before it.
fn latest_arrivals(task: &Audited<'_>) -> Vec<(i128, usize)> {
    let period = i128::from(task.task.period().ns());
    let mut early = spacing(task).0;
    // Smallest value of release − j·T over the jobs from k on.
    let mut least: Option<(i128, usize)> = None;
    let mut latest: Vec<(i128, usize)> = Vec::new();
    for (index, job) in task.jobs.iter().enumerate().rev() {
        let shift = index as i128 * period;
        let position = i128::from(job.release) - shift;
        let bound = least
            .filter(|&(least, _)| least < position)
            .unwrap_or((position, index));
        latest.push((bound.0 + shift, bound.1));
        least = Some(bound).filter(|_| early.pop_if(|&mut (early, _)| early == index).is_none());
    }
    latest.reverse();
    latest
}

/// Returns a reason if the file does not show the releases of some jobs. A job whose release is not in the file may
/// have waited before it started on the GPU.
fn without_releases(task: &Audited<'_>) -> Option<String> {
    let hidden = task.jobs.iter().filter(|job| !job.shows_release).count();
    (hidden > 0).then(|| {
        format!(
            "{} without a host call: the file does not show how long a job waits from its release to its start",
            counted(hidden, "job")
        )
    })
}

/// Checks that jobs meet their deadlines. The file shows releases but no arrivals, and each arrival is at most J before
/// its release. A job that ends more than D after its latest possible arrival misses its deadline. A job that ends within
/// D − J after its release meets its deadline, unless a busy thread released it late. A job ends with its last copy, if the file
/// shows it. If `arrivals` is true, the releases in the file are the arrivals.
pub fn deadlines(task: &Audited<'_>, (recording, arrivals): (&Recording, bool), report: &mut Report) {
    let deadline = i128::from(task.task.deadline().ns());
    let jitter = match arrivals {
        true => 0,
        false => i128::from(task.task.jitter().ns()),
    };
    // A start can be later than the release of a later job. So the order of starts and releases is not the order of the arrivals.
    let hidden = task.jobs.iter().filter(|job| !job.shows_release).count();
    // With J > T, a later arrival may be released first, so the order of releases is not the order of arrivals either.
    let in_order = task.task.jitter() <= task.task.period();
    let latest = match !arrivals && in_order && (hidden == 0 || hidden == task.jobs.len()) {
        true => latest_arrivals(task),
        false => Vec::new(),
    };
    let (mut violations, mut slack, mut doubtful) = (Vec::new(), None::<i128>, 0usize);
    for (index, job) in task.jobs.iter().enumerate() {
        let release = i128::from(job.release);
        let (arrival, bounding) = latest.get(index).copied().unwrap_or((release, index));
        let end = job.with_copies(recording).1;
        let response = i128::from(end) - arrival;
        let distance = deadline - response;
        slack = Some(slack.map_or(distance, |least| least.min(distance)));
        if distance < 0 {
            let after = match (bounding == index, job.shows_release) {
                (true, true) => "release".to_owned(),
                (true, false) => "start".to_owned(),
                (false, _) => format!(
                    "latest possible arrival, {} before the release of job {}",
                    Time::from_ns(u64::try_from(release_of(task, bounding) - arrival).unwrap_or_default()),
                    task.dropped + bounding
                ),
            };
            violations.push(Violation {
                kind: FindingKind::DeadlineMiss,
                job: index,
                at: end,
                by_ns: u64::try_from(-distance).ok(),
                detail: format!(
                    "ended{} {} after its {after}, later than the deadline {}",
                    if end > job.end {
                        ", with its last copy,"
                    } else {
                        ""
                    },
                    Time::from_ns(u64::try_from(response).unwrap_or_default()),
                    task.task.deadline()
                ),
            });
        } else if deadline - (i128::from(end) - release) < jitter {
            doubtful += 1;
        }
    }
    // If a job ends more than D after its start, it also ends more than D after its release.
    if let Some(reason) = without_releases(task).filter(|_| violations.is_empty()) {
        report.unknown(task, Subject::Deadlines, &reason);
        return;
    }
    let late = match arrivals {
        true => Vec::new(),
        false => signs::queued(task.all, task.task.period()),
    };
    let late = late.iter().filter(|&&index| index >= task.dropped).count();
    if violations.is_empty() && late > 0 {
        let reason = format!(
            "{} directly after the job before: a busy thread starts ranges late, so the file does not show the arrivals",
            match late {
                1 => "1 job starts".to_owned(),
                many => format!("{many} jobs start"),
            }
        );
        report.unknown(task, Subject::Deadlines, &reason);
        return;
    }
    if violations.is_empty() && doubtful > 0 {
        let reason = format!(
            "{} less than the jitter before the deadline: the file shows no arrivals",
            match doubtful {
                1 => "1 job ends".to_owned(),
                many => format!("{many} jobs end"),
            }
        );
        report.unknown(task, Subject::Deadlines, &reason);
        return;
    }
    report.checked(task, Subject::Deadlines, slack, violations);
}

fn release_of(task: &Audited<'_>, job: usize) -> i128 {
    task.jobs.get(job).map_or(0, |job| job.release.into())
}

/// Returns the time during which a kernel of a job of `tasks` runs, for each partition. Without a plan, all tasks share one entry.
pub fn kernels(recording: &Recording, tasks: &[Audited<'_>]) -> BTreeMap<Option<usize>, Union> {
    let mut of: BTreeMap<Option<usize>, Vec<(i64, i64)>> = BTreeMap::new();
    for task in tasks {
        let times = task.all.iter().flat_map(|job| times(recording, job));
        of.entry(task.partition).or_default().extend(times);
    }
    let all = of.into_iter();
    all.map(|(partition, times)| (partition, Union::new(times)))
        .collect()
}

/// Returns the start and the end of each launch of `job` [ns].
fn times<'a>(recording: &'a Recording, job: &'a Job) -> impl Iterator<Item = (i64, i64)> + 'a {
    let launches = job.launches.iter();
    let launches = launches.filter_map(|&index| recording.launches.get(index));
    launches.map(|launch| (launch.start, launch.end))
}

/// Checks the time of each job on the GPU against the WCET. This time contains the gaps between kernels of the job, because the
/// analysis assumes that a partition never idles while a job is not complete. With preemption, a gap counts only while no kernel
/// of the partition runs (`kernels`). Without preemption, it always counts, because no other job may start in it. If the file may
/// lack jobs of the partition (`hidden`), a job that exceeds its WCET only through such gaps is no violation, and is not visible.
///
/// Also checks the time of each chunk against the longest time between two preemption points. If partitions share a memory
/// (`memory`), a longer time can be interference that the plan allows. `overhead` is the part of a launch during which no kernel
/// runs.
pub fn execution_times(
    (recording, kernels, hidden): (&Recording, &Union, bool),
    task: &Audited<'_>,
    (memory, overhead): (bool, Time),
    report: &mut Report,
) {
    let Some(wcet) = task.wcet else {
        let reason = match task.sms {
            None => "the number of SMs of the run is unknown: state FILE@SMS or a plan",
            Some(_) => "the task set states no WCET on this number of SMs",
        };
        report.unknown(task, Subject::Wcet, reason);
        return;
    };
    let (mut violations, mut slack, mut unclear) = (Vec::new(), None::<i128>, 0usize);
    let launches = task.task.launches().map_or(1, |launches| launches.get());
    let overheads = overhead.ns().saturating_mul(launches.into());
    let budget = wcet.ns().saturating_add(overheads);
    let block = task.task.block().filter(|_| task.chunks);
    let chunk = block.map_or(budget, |block| {
        block.ns().saturating_add(overhead.ns()).min(budget)
    });
    for (index, job) in task.jobs.iter().enumerate() {
        // After each preemption, a job may take one chunk longer, as the analysis of limited preemption permits.
        let chunked = Some(job).filter(|_| task.chunks);
        let (preemptions, gaps, longest) = chunked.map_or((0, 0, 0), |job| chunks(recording, job, kernels));
        let allowed = |chunks: u64| i128::from(budget) + i128::from(chunks) * i128::from(chunk);
        if chunk < budget && longest > chunk {
            let by = longest - chunk;
            slack = Some(slack.map_or(-i128::from(by), |least| least.min(-i128::from(by))));
            violations.push(Violation {
                kind: FindingKind::WcetExceeded,
                job: index,
                at: job.end,
                by_ns: Some(by),
                detail: format!(
                    "ran a chunk for {}, longer than the longest time {} between two preemption points with overhead",
                    Time::from_ns(longest),
                    Time::from_ns(chunk)
                ),
            });
        }
        let span = job.end.abs_diff(job.start);
        let time = match task.occupies {
            true => span,
            false => span
                .saturating_sub(kernels.within(job.start, job.end))
                .saturating_add(job.busy_ns),
        };
        // The WCET then contains the copies before the first and after the last kernel, too.
        let (start, end) = match task.counts_copies {
            true => job.with_copies(recording),
            false => (job.start, job.end),
        };
        let copies = job.start.abs_diff(start).saturating_add(end.abs_diff(job.end));
        let time = time.saturating_add(copies);
        let distance = allowed(preemptions) - i128::from(time);
        // A job that the file does not show may have run in the gaps.
        let busy = job.busy_ns.saturating_add(copies);
        let without_gaps = allowed(gaps) - i128::from(busy);
        if distance < 0 && without_gaps >= 0 && hidden && !task.occupies {
            unclear += 1;
            continue;
        }
        slack = Some(slack.map_or(distance, |least| least.min(distance)));
        if distance < 0 {
            violations.push(Violation {
                kind: FindingKind::WcetExceeded,
                job: index,
                at: job.end,
                by_ns: u64::try_from(-distance).ok(),
                detail: format!(
                    "ran for {} on the GPU{}, longer than the WCET {wcet}{}{}",
                    Time::from_ns(time),
                    match (time > busy, copies > 0) {
                        (false, false) => "",
                        (true, false) => ", with the gaps between its kernels",
                        (_, true) => ", with its copies and the gaps between its kernels",
                    },
                    match overheads {
                        0 => String::new(),
                        all => format!(" and the overhead {} of the dispatcher", Time::from_ns(all)),
                    },
                    match task.left_out_gaps.filter(|_| time > busy) {
                        None => String::new(),
                        Some(most) => format!(
                            "; the job has gaps of {}, and the task set leaves out gaps of up to {most}, so its verdict assumes none",
                            Time::from_ns(time.saturating_sub(busy))
                        ),
                    }
                ),
            });
        }
    }
    if memory && !violations.is_empty() {
        let reason = format!(
            "{} jobs ran longer than the WCET without memory interference, but the file does not show this interference",
            violations.len()
        );
        report.unknown(task, Subject::Wcet, &reason);
        return;
    }
    if unclear > 0 && violations.is_empty() {
        let jobs = counted(unclear, "job");
        let reason = format!(
            "{jobs} longer than the WCET with the gaps between kernels, but a job that the file does not show may have run in them"
        );
        report.lacks_records();
        report.unknown(task, Subject::Wcet, &reason);
        return;
    }
    report.checked(task, Subject::Wcet, slack, violations);
}

/// Returns the number of preemptions of `job`, the number of gaps between its launches, and the time of its longest launch [ns]. A
/// preemption is a gap with another job of the partition in it.
fn chunks(recording: &Recording, job: &Job, kernels: &Union) -> (u64, u64, u64) {
    let own = Union::new(times(recording, job).collect());
    let preempted = own.gaps().filter(|&(start, end)| kernels.within(start, end) > 0);
    let longest = times(recording, job)
        .map(|(start, end)| end.abs_diff(start))
        .max();
    (
        preempted.count() as u64,
        own.gaps().count() as u64,
        longest.unwrap_or(0),
    )
}
