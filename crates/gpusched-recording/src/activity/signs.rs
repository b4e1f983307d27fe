//! Signs that a recording lacks records of jobs: jobs without GPU work among jobs with work, and holes in periodic releases.

use super::{Activity, Grouping, Job, Options, group};
use crate::model::Recording;
use gpusched_model::time::Time;

/// Least number of distances between releases for a statement about holes.
const FEWEST: usize = 5;

/// Number of jobs after a hole that may show that the jobs in it were only late.
const CATCHING_UP: usize = 50;

/// Distance of two releases in a recording with a fixed period, between which jobs lack.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Hole {
    /// Position of the job before the hole.
    pub after: usize,
    /// Releases before and after the hole [ns].
    pub between: (i64, i64),
    /// Number of jobs that a fixed period has between these releases.
    pub jobs: u64,
}

/// Returns the number of `jobs` without GPU work, if other jobs have GPU work.
pub fn idle(jobs: &[Job]) -> usize {
    let idle = { jobs.iter() }
        .filter(|job| job.launches.is_empty() && job.open == 0)
        .count();
    if idle == jobs.len() { 0 } else { idle }
}

/// Returns the positions of the `jobs` that are released directly after the end of the job before: within 1 % of `period`, and 1 ms. A
/// busy thread starts their ranges late, so the file does not show their arrivals.
pub fn queued(jobs: &[Job], period: Time) -> Vec<usize> {
    let most = i128::from((period.ns() / 100).min(1_000_000));
    let follows = |pair: &[Job]| match pair {
        [job, next] => (0..=most).contains(&(i128::from(next.release) - i128::from(job.end))),
        _ => false,
    };
    let pairs = jobs.windows(2).enumerate().filter(|(_, pair)| follows(pair));
    pairs.map(|(index, _)| index + 1).collect()
}

/// Returns the holes in the releases of `jobs`, which are sorted. A sporadic task may have such a hole. There are no holes if fewer
/// than three of four distances are about the median, or if more than one of ten distances is long. A busy thread starts jobs late
/// and then catches up, which is no hole.
pub fn holes(jobs: &[Job]) -> Vec<Hole> {
    let releases: Vec<i64> = jobs.iter().map(|job| job.release).collect();
    let distances: Vec<u64> = { releases.windows(2) }
        .filter_map(|pair| match *pair {
            [one, next] => Some(next.abs_diff(one)),
            _ => None,
        })
        .collect();
    let mut sorted = distances.clone();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len().saturating_sub(1) / 2).copied();
    let Some(median) = median.filter(|&median| median > 0 && sorted.len() >= FEWEST) else {
        return Vec::new();
    };
    let quarters = |distance: u64| 4 * u128::from(distance) / u128::from(median);
    let regular = distances.iter().filter(|&&distance| {
        let ratio = 4 * u128::from(distance);
        (3 * u128::from(median)..=5 * u128::from(median)).contains(&ratio)
    });
    if 4 * regular.count() < 3 * distances.len() {
        return Vec::new();
    }
    let long = distances
        .iter()
        .enumerate()
        .filter(|&(_, &distance)| quarters(distance) >= 7);
    let found = long.filter_map(|(after, _)| {
        let start = *releases.get(after)?;
        let later = releases.get(after + 1..)?;
        let lacking = later.iter().take(CATCHING_UP).zip(1u64..).map(|(release, jobs)| {
            let periods = (release.abs_diff(start) + median / 2) / median;
            periods.saturating_sub(jobs)
        });
        let jobs = lacking.min().filter(|&jobs| jobs > 0)?;
        let between = (start, *later.first()?);
        Some(Hole { after, between, jobs })
    });
    let found: Vec<Hole> = found.collect();
    if found.len() > (distances.len() / 10).max(1) {
        return Vec::new();
    }
    found
}

/// Counts the ranges of `recording` without GPU work, and the ranges that lack in holes, in its [missing](Recording::missing)
/// records. A dispatcher states its jobs itself.
pub fn mark(recording: &mut Recording) {
    if recording.dispatcher.is_some() || recording.ranges.is_empty() {
        return;
    }
    let options = Options {
        by: Grouping::Range,
        borrow: true,
        ..Options::default()
    };
    let Ok(found) = group(recording, &options) else {
        return;
    };
    let lacking = |activity: &Activity| holes(&activity.jobs).iter().map(|hole| hole.jobs).sum::<u64>();
    let list = &found.list;
    recording.missing.idle = list.iter().map(|activity| idle(&activity.jobs) as u64).sum();
    recording.missing.absent = list.iter().map(lacking).fold(0, u64::saturating_add);
}
