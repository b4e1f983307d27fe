//! Limits on the size of simulated systems and on the length of runs.

use super::dispatch::Dispatch;
use super::queue::Queue;
use gpusched_analysis::kernel_wcet::trace::MAX_BLOCKS;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_model::{Kernel, System};

/// Maximum number of regulation periods in one run, and for each kernel.
const MAX_PERIODS: u128 = 10_000_000;

/// Maximum number of thread blocks of one run.
pub(super) const MOST_BLOCKS: u128 = 1_000_000_000;

/// Checks that `kernel` is small enough for a simulation.
pub(super) fn check(index: usize, kernel: &Kernel) -> Result<()> {
    if kernel.blocks() > MAX_BLOCKS {
        let found = kernel.blocks();
        return Err(Error::parameter(
            format!("kernels[{index}].kernel"),
            format!("{found} blocks"),
            format!("at most {MAX_BLOCKS} blocks"),
        ));
    }
    let clusters = kernel.clusters().iter();
    let work: u128 = clusters
        .map(|cluster| u128::from(cluster.blocks()) * u128::from(cluster.contended().ns()))
        .sum();
    let period = kernel.regulation_period();
    let periods = work / u128::from(kernel.active_blocks().max(1)) / u128::from(period.ns().max(1));
    if periods > MAX_PERIODS {
        return Err(Error::parameter(
            format!("kernels[{index}].kernel.regulation_period"),
            format!("{period}, so the kernel may take {periods} regulation periods"),
            format!("at most {MAX_PERIODS} regulation periods"),
        ));
    }
    Ok(())
}

/// Returns the hyperperiod, or the latest possible end of the last job if that end is later. The
/// result is valid if every job takes at most its nominal WCET.
///
/// The result does not depend on the order of the jobs, because the GPU is never idle while a job waits. A job that
/// takes longer never causes an earlier end of the last job.
pub(super) fn horizon(system: &System, mut queue: Queue, nominal: &[Time], period: Time) -> Result<Time> {
    let mut end = 0u128;
    while let Some(release) = queue.release() {
        let Some(next) = queue.take(release, Dispatch::Fifo) else {
            break;
        };
        let wcet = nominal.get(next.kernel).copied().unwrap_or_default();
        end = end.max(release.ns().into()) + u128::from(wcet.ns());
    }
    let end = end.max(system.hyperperiod().unwrap_or_default().ns().into());
    let periods = end / u128::from(period.ns().max(1));
    match u64::try_from(end)
        .ok()
        .filter(|&end| end <= Time::LIMIT.ns() && periods <= MAX_PERIODS)
    {
        Some(end) => Ok(Time::from_ns(end)),
        None => Err(Error::parameter(
            "regulation_period",
            format!("{period}, so all jobs together may take {periods} regulation periods"),
            format!("at most {MAX_PERIODS} regulation periods"),
        )),
    }
}
