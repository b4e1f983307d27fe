//! Places in recordings where releases do not fit a period, and what a user can do about them.

use gpusched_model::time::Time;

use super::Sample;
use crate::activity::Rhythm;

/// Largest warm-up that [`settled`] tries.
const LONGEST_WARM_UP: usize = 50;

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

/// Returns the least number of first jobs of each recording, without which the jitter is at most a quarter of `period`, and the
/// jitter without them [ns]. At least half of the jobs of each recording remain. `None` if there is no such number.
pub(super) fn settled(samples: &[Sample<'_>], period: Time) -> Option<(usize, u64)> {
    let all: Vec<(usize, Vec<i64>)> = { samples.iter() }
        .map(|sample| (sample.dropped.len(), releases(sample)))
        .collect();
    let first = all.iter().map(|(dropped, _)| *dropped).max()?;
    (first + 1..=LONGEST_WARM_UP).find_map(|warm_up| {
        let jitters = all.iter().map(|(dropped, releases)| {
            let rest = releases.get(warm_up - dropped..)?;
            (2 * rest.len() >= releases.len()).then(|| Rhythm::jitter_for(rest, period.ns()))
        });
        let jitter = jitters.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        (jitter <= period.ns() / 4).then_some((warm_up, jitter))
    })
}

/// Returns the mean distance of releases in the second half of a recording [ns], if jobs arrive there more often than `period`
/// permits: more than one job is too early. Of several recordings, the smallest mean counts.
pub(super) fn more_often(samples: &[Sample<'_>], period: Time) -> Option<u64> {
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
