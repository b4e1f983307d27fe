//! First jobs of the recordings that look like a warm-up: they are slow, or they delay the jobs after them.

use gpusched_model::time::Time;

use super::{Gaps, Sample, TaskReport};
use crate::activity::Rhythm;

/// Largest number of first jobs that count as slow.
const SLOW: usize = 3;

/// Smallest number of later jobs to compare slow jobs with.
const LATER: usize = 5;

/// Largest number of first jobs that count as a warm-up.
const LONGEST: usize = 50;

/// A task as it is with its present warm-up, and as it is without more first jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settles {
    /// Number of the first jobs to drop in each recording, with the jobs that a rule drops already.
    pub jobs: u64,
    /// Execution time of the longest job that is dropped in addition. Zero if the WCET stays.
    pub longest: Time,
    /// Number of dropped jobs that start directly after the job before them. A busy thread starts their ranges late.
    pub queued: usize,
    /// Period, jitter, and whether the releases are periodic: as they are, and without these jobs.
    pub rhythms: [(Time, Time, bool); 2],
    /// Number of SMs, whether in conflict, and C(m): as it is, and without these jobs.
    pub wcets: Vec<(u32, bool, [Time; 2])>,
}

/// Returns the least number of first jobs of each recording to drop, so that the jitter no longer falls substantially, and no first job
/// is slow. This is the largest number of all recordings. Also returns whether a first job is slow. `None` if the present warm-up is
/// sufficient, or if no number is.
pub(super) fn first_jobs(samples: &[Sample<'_>], gaps: Gaps, stated: Option<Time>) -> Option<(u64, bool)> {
    let slow: Vec<usize> = samples.iter().map(|sample| slow(sample, gaps)).collect();
    let needed = samples
        .iter()
        .zip(&slow)
        .map(|(sample, &slow)| sample.dropped.len() + slow.max(late(sample, stated).unwrap_or_default()));
    let present = samples.iter().map(|sample| sample.dropped.len()).max()?;
    let jobs = needed.max().filter(|&jobs| jobs > present)?;
    // At least half of the jobs of each recording remain.
    let remain = |sample: &Sample<'_>| 2 * jobs <= 2 * sample.dropped.len() + sample.jobs.len();
    let slow_only = samples.iter().all(|sample| jobs <= sample.dropped.len() + SLOW);
    let is_slow = slow.iter().any(|&count| count > 0);
    (slow_only || samples.iter().all(remain)).then_some((jobs as u64, is_slow))
}

/// Returns the number of first jobs that take at least 1.5 times as long as all later jobs.
fn slow(sample: &Sample<'_>, gaps: Gaps) -> usize {
    let times: Vec<u64> = sample.jobs.iter().map(|job| gaps.execution_ns(job)).collect();
    let most = SLOW.min(times.len().saturating_sub(LATER));
    let is_slow = |&count: &usize| {
        let (first, later) = times.split_at(count);
        let (longest, later) = (first.iter().max(), later.iter().max());
        longest
            .zip(later)
            .is_some_and(|(&longest, &later)| later > 0 && u128::from(longest) * 2 >= u128::from(later) * 3)
    };
    (1..=most).find(is_slow).unwrap_or(0)
}

/// Returns the least number of first jobs without which the jitter is at most twice the jitter of the second half, or at most 1 % of the
/// period.
fn late(sample: &Sample<'_>, stated: Option<Time>) -> Option<usize> {
    let releases: Vec<i64> = sample.jobs.iter().map(|job| job.release).collect();
    let jitter = |rest: &[i64]| match stated {
        Some(period) => Some((Rhythm::jitter_for(rest, period.ns()), period.ns())),
        None => Rhythm::of(rest)
            .filter(|rhythm| rhythm.periodic)
            .map(|rhythm| (rhythm.jitter_ns, rhythm.period_ns)),
    };
    let half = releases.len() / 2;
    let (settled, period) = jitter(releases.get(half..).filter(|rest| rest.len() >= 2)?)?;
    let most = settled.saturating_mul(2).max(period / 100);
    (0..=half.min(LONGEST)).find(|&first| {
        let rest = releases.get(first..).and_then(jitter);
        rest.is_some_and(|(jitter, _)| jitter <= most)
    })
}

impl Settles {
    /// Compares a task as it is with the task `warm` without the first `jobs` jobs. Returns `None` if neither C(m) nor the jitter
    /// becomes substantially smaller. `slow` is whether a first job is slow.
    pub(super) fn of((jobs, slow): (u64, bool), all: &TaskReport, warm: &TaskReport) -> Option<Settles> {
        let rhythm = |report: &TaskReport| {
            let periodic = report.stated.is_some() || report.rhythm.is_some_and(|rhythm| rhythm.periodic);
            (report.recorded.0, report.recorded.1, periodic)
        };
        let rhythms @ [now, then] = [rhythm(all), rhythm(warm)];
        let wcets: Vec<(u32, bool, [Time; 2])> = { all.points.iter() }
            .filter_map(|point| {
                let mut others = warm.points.iter();
                let same = others.find(|other| (other.sms, other.conflict) == (point.sms, point.conflict))?;
                let pair = [point.wcet_ns, same.wcet_ns].map(Time::from_ns);
                Some((point.sms, point.conflict, pair))
            })
            .collect();
        let shorter = wcets.iter().any(|(.., [now, then])| then < now);
        let steadier = !now.2 && then.2 || now.1.ns() > now.0.ns() / 20 && then.1.ns() <= now.1.ns() / 2;
        (slow && shorter || steadier).then(|| Settles {
            jobs,
            longest: Time::from_ns(if shorter { warm.dropped.1 } else { 0 }),
            queued: warm.queued_dropped,
            rhythms,
            wcets,
        })
    }
}
