//! Places in recordings where releases do not fit a period, and what a user can do about them.

use gpusched_model::time::Time;

use super::Sample;
use crate::activity::{Rhythm, signs};

/// Least number of distances for a mean distance.
const FEWEST: usize = 4;

fn releases(sample: &Sample<'_>) -> Vec<i64> {
    sample.jobs.iter().map(|job| job.release).collect()
}

/// Returns the file and the number of the job that is released latest after its arrival. `None` without jitter.
pub(super) fn latest(samples: &[Sample<'_>], period: Time) -> Option<(String, usize)> {
    let of = samples.iter().filter_map(|sample| {
        let (jitter, job) = Rhythm::latest_for(&releases(sample), period.ns());
        (jitter > 0).then(|| (jitter, (sample.run.file.to_owned(), sample.dropped.len() + job)))
    });
    of.max_by_key(|&(jitter, _)| jitter).map(|(_, place)| place)
}

/// Returns the file and the number of the job with the smallest distance to the release before it.
pub(super) fn closest(samples: &[Sample<'_>]) -> Option<(String, usize)> {
    let of = samples.iter().flat_map(|sample| {
        let first = sample.dropped.len() + 1;
        let pairs = sample.jobs.windows(2).enumerate();
        pairs.filter_map(move |(index, pair)| match pair {
            [job, next] => Some((next.release.abs_diff(job.release), sample.run.file, first + index)),
            _ => None,
        })
    });
    of.min_by_key(|&(distance, ..)| distance)
        .map(|(_, file, job)| (file.to_owned(), job))
}

/// Returns the observed distance of releases [ns], if it is more than 0.1 % shorter than the stated period of the recorded
/// system.
pub(super) fn shorter(samples: &[Sample<'_>], rhythm: Option<Rhythm>, period: Time) -> Option<u64> {
    let periodic = rhythm.filter(|rhythm| rhythm.periodic);
    let mean = more_often(samples, period).or(periodic.map(|rhythm| rhythm.period_ns));
    mean.filter(|&mean| u128::from(mean) * 1001 < u128::from(period.ns()) * 1000)
}

/// Returns the recording with the most jobs that are released directly after the end of the job before: its file, the number of the
/// first such job, and the number of such jobs. `None` for fewer than two jobs.
pub(super) fn queued(samples: &[Sample<'_>], period: Time) -> Option<(String, usize, usize)> {
    let of = samples.iter().filter_map(|sample| {
        // The ranges of a dispatcher start at the arrivals.
        let jobs = Some(sample.jobs).filter(|_| sample.run.recording.dispatcher.is_none())?;
        let late = signs::queued(jobs, period);
        Some((
            sample.run.file.to_owned(),
            sample.dropped.len() + late.first()?,
            late.len(),
        ))
    });
    of.max_by_key(|&(.., count)| count)
        .filter(|&(.., count)| count > 1)
}

/// Returns the mean distance of releases in the second half of a recording [ns], if jobs arrive there more often than `period`
/// permits: more than one job is too early. Of several recordings, the smallest mean counts.
fn more_often(samples: &[Sample<'_>], period: Time) -> Option<u64> {
    let means = samples.iter().filter_map(|sample| {
        let half = sample.jobs.get(sample.jobs.len() / 2..)?;
        let (first, last) = (half.first()?.release, half.last()?.release);
        let distances = half.len().checked_sub(1).filter(|&count| count >= FEWEST)? as u64;
        let span = last.abs_diff(first);
        let early =
            u128::from(span) + u128::from(period.ns()) < u128::from(distances) * u128::from(period.ns());
        early.then_some(span / distances)
    });
    means.min()
}
