//! Jobs at the start of a recording that the analysis drops.

use std::str::FromStr;

use gpusched_model::time::Time;

use super::Job;
use crate::model::Recording;

/// Rule that selects the jobs to drop.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// The first jobs of each activity.
    Jobs(usize),
    /// All jobs that are released within this time after the first launch or range of the recording.
    Time(Time),
}

impl Default for WarmUp {
    fn default() -> WarmUp {
        WarmUp::Jobs(0)
    }
}

impl WarmUp {
    /// Divides `jobs`, which are sorted by release, into dropped jobs and kept jobs.
    pub fn split<'a>(self, recording: &Recording, jobs: &'a [Job]) -> (&'a [Job], &'a [Job]) {
        let count = match self {
            WarmUp::Jobs(count) => count,
            WarmUp::Time(time) => {
                let end = recording.start().saturating_add_unsigned(time.ns());
                jobs.partition_point(|job| job.release < end)
            }
        };
        jobs.split_at(count.min(jobs.len()))
    }
}

/// The error for a text that is not a [`WarmUp`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {0:?}, expected a number of jobs, or a time with its unit such as \"200ms\"")]
pub struct ParseWarmUpError(String);

impl FromStr for WarmUp {
    type Err = ParseWarmUpError;

    fn from_str(text: &str) -> Result<WarmUp, ParseWarmUpError> {
        let jobs = text.parse().map(WarmUp::Jobs);
        let rule = jobs.or_else(|_| text.parse().map(WarmUp::Time));
        rule.map_err(|_| ParseWarmUpError(text.chars().take(40).collect()))
    }
}
