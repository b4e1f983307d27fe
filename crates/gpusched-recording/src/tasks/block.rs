//! Longest thread block of a task.
//!
//! Profilers record launches, and no thread blocks. A launch lasts at least as long as each of its thread blocks. So the
//! longest launch bounds the longest thread block. This bound is below C(m) if the jobs consist of several launches.

use gpusched_model::time::Time;
use gpusched_model::{Contention, Factor, WcetFunction};

use super::{Sample, enlarged};

/// Returns the time of the longest launch of `samples`, multiplied by `margin`. Returns `None` if this time is not below
/// `wcet` on any measured number of SMs. Then each job counts as one thread block, and the field has no effect.
pub(super) fn longest(samples: &[Sample<'_>], margin: Factor, wcet: &WcetFunction) -> Option<Time> {
    // A launch without times can be the longest launch.
    if samples
        .iter()
        .flat_map(|sample| sample.jobs)
        .any(|job| job.open > 0)
    {
        return None;
    }
    let launches = samples.iter().flat_map(|sample| {
        let jobs = sample.jobs.iter().flat_map(|job| &job.launches);
        jobs.map(|&index| sample.run.recording.launches.get(index))
    });
    let times = launches.map(|launch| launch.map(|launch| launch.end.abs_diff(launch.start)));
    let longest = times.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
    let block = enlarged(longest, margin).max(Time::from_ns(1));
    let fewest = samples.iter().map(|sample| sample.sms).min()?;
    (block < wcet.at(fewest, Contention::Isolated)?).then_some(block)
}
