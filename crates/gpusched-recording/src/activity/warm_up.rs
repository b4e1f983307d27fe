//! Jobs at the start of a recording that the analysis drops.

use gpusched_model::WarmUp;

use super::Job;
use crate::model::Recording;

/// Divides `jobs`, which are sorted by release, into the jobs that `warm_up` drops and the jobs that it keeps.
pub fn split<'a>(warm_up: WarmUp, recording: &Recording, jobs: &'a [Job]) -> (&'a [Job], &'a [Job]) {
    let count = match warm_up {
        WarmUp::Jobs(count) => usize::try_from(count).unwrap_or(usize::MAX),
        WarmUp::Time(time) => {
            let end = recording.start().saturating_add_unsigned(time.ns());
            jobs.partition_point(|job| job.release < end)
        }
    };
    jobs.split_at(count.min(jobs.len()))
}
