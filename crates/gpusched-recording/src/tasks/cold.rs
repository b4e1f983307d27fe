//! Slow first jobs of a recording, which look like a warm-up.

use gpusched_model::time::Time;

use super::{Gaps, Sample, TaskReport};

/// Largest number of first jobs that count as slow.
const FIRST: usize = 3;

/// Smallest number of later jobs to compare with.
const LATER: usize = 5;

/// First jobs of a recording that take at least 1.5 times as long as all later jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cold {
    /// File of the jobs.
    pub file: String,
    /// Number of the first jobs to drop in each recording, with the jobs that a rule drops already.
    pub warm_up: u64,
    /// Execution time of the longest of the first jobs.
    pub longest: Time,
    /// Execution time of the longest of the later jobs.
    pub later: Time,
    /// Number of SMs of the recording.
    pub sms: u32,
    /// C(m) on these SMs as it is, and without the first jobs.
    pub wcets: (Time, Time),
}

/// Returns slow first jobs of one of `samples`. The values of C(m) are still 0.
pub(super) fn find(samples: &[Sample<'_>], gaps: Gaps) -> Option<Cold> {
    let found = samples.iter().filter_map(|sample| {
        let times: Vec<u64> = sample.jobs.iter().map(|job| gaps.execution_ns(job)).collect();
        let most = FIRST.min(times.len().saturating_sub(LATER));
        (1..=most).find_map(|count| {
            let (first, later) = times.split_at(count);
            let (longest, later) = (first.iter().max()?, later.iter().max()?);
            let slow = *later > 0 && u128::from(*longest) * 2 >= u128::from(*later) * 3;
            slow.then(|| (sample, count, Time::from_ns(*longest), Time::from_ns(*later)))
        })
    });
    let found: Vec<_> = found.collect();
    let kept = samples.iter().map(|sample| sample.dropped.len());
    let slow = found
        .iter()
        .map(|(sample, count, ..)| sample.dropped.len() + count);
    let warm_up = kept.chain(slow).max()? as u64;
    let (sample, _, longest, later) = found.into_iter().max_by_key(|&(_, _, longest, _)| longest)?;
    Some(Cold {
        file: sample.run.file.to_owned(),
        warm_up,
        longest,
        later,
        sms: sample.sms,
        wcets: (Time::ZERO, Time::ZERO),
    })
}

impl Cold {
    /// Adds C(m) of the task as it is and of the task without the first jobs. Returns `None` if C(m) does not become shorter.
    pub(super) fn with(mut self, all: &TaskReport, warm: &TaskReport) -> Option<Cold> {
        let wcet = |report: &TaskReport| {
            let points = report.points.iter().filter(|point| point.sms == self.sms);
            points.map(|point| point.wcet_ns).max().map(Time::from_ns)
        };
        self.wcets = (wcet(all)?, wcet(warm)?);
        (self.wcets.1 < self.wcets.0).then_some(self)
    }
}
