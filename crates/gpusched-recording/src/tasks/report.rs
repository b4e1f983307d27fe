//! Description of a derived task, with the sources of its numbers.

use gpusched_analysis::kernel_wcet::fit::scaling::Fit;
use gpusched_analysis::kernel_wcet::fit::tail::Estimate;
use gpusched_model::Contention;
use gpusched_model::time::Time;
use serde::Serialize;

use super::{Contradiction, Gaps, Sample, Settles, Size, releases};
use crate::activity::signs::{self, Hole};
use crate::activity::{Job, Rhythm, devices};
use crate::summary::Statistics;

/// Number of longest jobs in a report.
const WORST: usize = 3;

/// Observations of one task.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskReport {
    /// Name of the activity.
    pub name: String,
    /// Observed releases. `None` for fewer than two jobs.
    pub rhythm: Option<Rhythm>,
    /// Period that the user stated in place of the observed period.
    pub stated: Option<Time>,
    /// Files that state no number of SMs for the kernels, each with the number of SMs of the GPU.
    pub whole_gpus: Vec<(String, u32)>,
    /// Files whose number of SMs only the user states, each with this number.
    pub stated_sizes: Vec<(String, u32)>,
    /// Signs against the stated numbers of SMs, each with the file and this number.
    pub size_signs: Vec<(String, u32, Contradiction)>,
    /// File and number of the job that is released latest after its arrival. `None` without jitter.
    pub latest: Option<(String, usize)>,
    /// Observed distance of releases [ns], if it is more than 0.1 % shorter than the stated period of the recorded system.
    pub shorter: Option<u64>,
    /// Period and jitter of the recorded system. The period of the deployed system can be another one.
    pub recorded: (Time, Time),
    /// The recording with the most jobs that are released directly after the end of the job before: its file, the number of the first
    /// such job, and the number of such jobs.
    pub queued: Option<(String, usize, usize)>,
    /// Number of dropped jobs that are released directly after the end of the job before.
    pub queued_dropped: usize,
    /// Holes in periodic releases, each with the file, and with its time from the start of the recording [ns].
    pub holes: Vec<(String, u64, Hole)>,
    /// Copies of the jobs.
    pub copies: Copies,
    /// File and number of the job with the smallest distance to the release before it.
    pub closest: Option<(String, usize)>,
    /// Smallest share of the time between releases, among all recordings, during which a released job is not complete, in
    /// thousandths. Near 1000, a thread may start its range late, so the observed period may be too long.
    pub filled_permille: u64,
    /// Measured times for each number of SMs: first in isolation, then in conflict.
    pub points: Vec<Point>,
    /// The longest jobs of all recordings.
    pub worst: Vec<Worst>,
    /// Largest sum of the gaps in one job [ns], and largest share of the time of one job that gaps take.
    pub largest_gaps: (u64, f64),
    /// Number of dropped jobs, and the execution time of the longest dropped job [ns].
    pub dropped: (usize, u64),
    /// Number of jobs with launches whose times the file does not contain, and number of these launches.
    pub incomplete: (usize, usize),
    /// Number of launches outside ranges that may belong to the jobs, but count to other jobs or to no job.
    pub possible: usize,
    /// Number of jobs without GPU work. Such a job has a release, but no execution time.
    pub idle: usize,
    /// Largest ratio of the longest time in conflict to the longest time in isolation. Both times are on the same
    /// number of SMs.
    pub slowdown: Option<(u32, f64)>,
    /// Whether a larger number of SMs gave a longer time. C(m) uses the longest time on m or more SMs.
    pub non_monotone: bool,
    /// Extreme-value estimate for a number of SMs, for information.
    pub tail: Option<(u32, Estimate)>,
    /// First jobs that look like a warm-up.
    pub settles: Option<Settles>,
    /// Files where the jobs ran on several GPUs, each with these GPUs. Each job ran on one of them.
    pub several_gpus: Vec<(String, Vec<i64>)>,
}

/// Copies and fills of memory of the jobs of a task, with known times and host calls.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Copies {
    /// Number of copies between the first and the last kernel of a job. C(m) contains them as gaps.
    pub inside: usize,
    /// Number of copies before the first or after the last kernel of a job. C(m) does not contain them.
    pub outside: usize,
    /// Longest time of these copies of one job [ns].
    pub longest_ns: u64,
    /// Longest time from the release of a job to its first kernel, among the jobs that copy before this kernel [ns]. If the file does not
    /// show the release, the time starts at the first copy.
    pub before_ns: u64,
    /// Longest time from the last kernel of a job to the end of its last copy [ns].
    pub after_ns: u64,
}

impl Copies {
    pub(super) fn of(samples: &[Sample<'_>]) -> Copies {
        let mut all = Copies::default();
        for sample in samples {
            for job in sample.jobs.iter().filter(|job| !job.copies.is_empty()) {
                let (inside, outside, ns) = job.copies(sample.run.recording);
                all.inside += inside;
                all.outside += outside;
                all.longest_ns = all.longest_ns.max(ns);
                // A job without kernels has no time on the GPU before and after them.
                if job.launches.is_empty() {
                    continue;
                }
                let (start, end) = job.with_copies(sample.run.recording);
                if start < job.start {
                    let from = if job.shows_release {
                        start.min(job.release)
                    } else {
                        start
                    };
                    all.before_ns = all.before_ns.max(job.start.abs_diff(from));
                }
                all.after_ns = all.after_ns.max(end.abs_diff(job.end));
            }
        }
        all
    }

    /// Time by which copies before the first and after the last kernel can extend a job [ns].
    pub fn around_ns(self) -> u64 {
        self.before_ns.saturating_add(self.after_ns)
    }
}

/// Measured times on one number of SMs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Point {
    /// Number of SMs.
    pub sms: u32,
    /// Whether the times are in conflict.
    pub conflict: bool,
    /// Number of jobs with GPU work.
    pub jobs: usize,
    /// Statistics of the execution times.
    pub times: Statistics,
    /// C(m) of the task [ns].
    pub wcet_ns: u64,
}

/// A long job, and its place in the recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worst {
    /// File of the job.
    pub file: String,
    /// Number of SMs of the file.
    pub sms: u32,
    /// Number of the job in its activity, from 0; dropped jobs also have numbers.
    pub job: usize,
    /// Time from the start of the recording to the release of the job [ns].
    pub at_ns: u64,
    /// Execution time [ns].
    pub execution_ns: u64,
}

impl TaskReport {
    pub(super) fn new(
        name: &str,
        gaps: Gaps,
        samples: &[Sample<'_>],
        (rhythm, stated, recorded): (Option<Rhythm>, Option<Time>, (Time, Time)),
        fitted: &Fit,
        tail: Option<(u32, Estimate)>,
    ) -> TaskReport {
        let (points, period) = (points(samples, gaps, fitted), recorded.0);
        let all = || samples.iter().flat_map(|sample| sample.jobs);
        let gap = |job: &Job| {
            let span = job.end.abs_diff(job.start);
            if span == 0 {
                0.0
            } else {
                job.gaps_ns() as f64 / span as f64
            }
        };
        let dropped = || samples.iter().flat_map(|sample| sample.dropped);
        TaskReport {
            name: name.to_owned(),
            rhythm,
            stated,
            whole_gpus: sizes(samples, Size::WholeGpu),
            stated_sizes: sizes(samples, Size::Stated),
            size_signs: { samples.iter() }
                .flat_map(|sample| {
                    let signs = sample.signs.iter();
                    signs.map(|&sign| (sample.run.file.to_owned(), sample.sms, sign))
                })
                .collect(),
            latest: releases::latest(samples, period),
            shorter: releases::shorter(samples, rhythm, period).filter(|_| stated.is_some()),
            recorded,
            queued: releases::queued(samples, period),
            queued_dropped: { samples.iter() }
                .map(|sample| signs::queued(sample.dropped, period).len())
                .sum(),
            holes: holes(samples),
            copies: Copies::of(samples),
            closest: releases::closest(samples),
            filled_permille: samples.iter().map(filled_permille).min().unwrap_or_default(),
            worst: worst(samples, gaps),
            largest_gaps: (
                all().map(Job::gaps_ns).max().unwrap_or_default(),
                all().map(gap).fold(0.0, f64::max),
            ),
            dropped: (
                dropped().count(),
                { dropped() }
                    .map(|job| gaps.execution_ns(job))
                    .max()
                    .unwrap_or_default(),
            ),
            incomplete: (
                all().filter(|job| job.open > 0).count(),
                all().map(|job| job.open).sum(),
            ),
            possible: samples.iter().map(|sample| sample.possible).sum(),
            idle: { samples.iter() }.map(|sample| signs::idle(sample.jobs)).sum(),
            slowdown: slowdown(&points),
            non_monotone: [false, true].iter().any(|&conflict| {
                let longest = points.iter().filter(|point| point.conflict == conflict);
                !longest
                    .map(|point| point.times.max_ns)
                    .is_sorted_by(|one, next| one >= next)
            }),
            points,
            tail,
            settles: None,
            several_gpus: { samples.iter() }
                .map(|sample| {
                    (
                        sample.run.file.to_owned(),
                        devices(sample.run.recording, sample.jobs),
                    )
                })
                .filter(|(_, devices)| devices.len() > 1)
                .collect(),
        }
    }
}

/// Returns the files whose number of SMs has the source `size`, each with this number.
fn sizes(samples: &[Sample<'_>], size: Size) -> Vec<(String, u32)> {
    let chosen = samples.iter().filter(|sample| sample.size == size);
    chosen
        .map(|sample| (sample.run.file.to_owned(), sample.sms))
        .collect()
}

fn holes(samples: &[Sample<'_>]) -> Vec<(String, u64, Hole)> {
    let holes = samples.iter().flat_map(|sample| {
        let start = sample.run.recording.start();
        sample.holes.iter().map(move |hole| {
            let after = sample.dropped.len() + hole.after;
            let at = hole.between.0.abs_diff(start);
            (sample.run.file.to_owned(), at, Hole { after, ..*hole })
        })
    });
    holes.collect()
}

fn filled_permille(sample: &Sample<'_>) -> u64 {
    // The ranges of a dispatcher start at the arrivals.
    if sample.run.recording.dispatcher.is_some() {
        return 0;
    }
    let (mut filled, mut whole) = (0u128, 0u128);
    for pair in sample.jobs.windows(2) {
        if let [job, next] = pair {
            let distance = next.release.abs_diff(job.release);
            filled += u128::from(job.end.abs_diff(job.release).min(distance));
            whole += u128::from(distance);
        }
    }
    u64::try_from((1000 * filled).checked_div(whole).unwrap_or_default()).unwrap_or_default()
}

fn points(samples: &[Sample<'_>], gaps: Gaps, fitted: &Fit) -> Vec<Point> {
    let mut keys: Vec<(bool, u32)> = samples
        .iter()
        .map(|sample| (sample.conflict, sample.sms))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |(conflict, sms): (bool, u32)| {
        let chosen = samples
            .iter()
            .filter(|sample| (sample.conflict, sample.sms) == (conflict, sms));
        let working = chosen
            .flat_map(|sample| sample.jobs)
            .filter(|job| job.busy_ns > 0);
        let mut times: Vec<u64> = working.map(|job| gaps.execution_ns(job)).collect();
        times.sort_unstable();
        let contention = if conflict {
            Contention::Conflict
        } else {
            Contention::Isolated
        };
        Point {
            sms,
            conflict,
            jobs: times.len(),
            times: Statistics::sorted(&times, |&time| time),
            wcet_ns: fitted.wcet.at(sms, contention).map_or(u64::MAX, |time| time.ns()),
        }
    };
    keys.into_iter().map(of).collect()
}

fn worst(samples: &[Sample<'_>], gaps: Gaps) -> Vec<Worst> {
    let mut worst: Vec<Worst> = samples
        .iter()
        .flat_map(|sample| {
            let start = sample.run.recording.start();
            let first = sample.dropped.len();
            sample.jobs.iter().enumerate().map(move |(index, job)| Worst {
                file: sample.run.file.to_owned(),
                sms: sample.sms,
                job: first + index,
                at_ns: job.release.abs_diff(start),
                execution_ns: gaps.execution_ns(job),
            })
        })
        .collect();
    worst.sort_by(|a, b| b.execution_ns.cmp(&a.execution_ns).then(a.job.cmp(&b.job)));
    worst.truncate(WORST);
    worst
}

fn slowdown(points: &[Point]) -> Option<(u32, f64)> {
    let pairs = points
        .iter()
        .filter(|point| point.conflict)
        .filter_map(|conflict| {
            let mut isolated = points.iter().filter(|point| !point.conflict);
            let isolated = isolated.find(|point| point.sms == conflict.sms)?;
            let quotient = conflict.times.max_ns? as f64 / isolated.times.max_ns? as f64;
            Some((conflict.sms, quotient))
        });
    pairs.max_by(|a, b| a.1.total_cmp(&b.1))
}
