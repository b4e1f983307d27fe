//! Length of simulations, in time and in jobs.

use super::{Release, Task};
use gpusched_model::time::Time;
use num_integer::gcd;

/// Maximum number of jobs in a simulation. A simulation with this number of jobs takes hours.
pub const MAX_JOBS: u64 = 100_000_000_000;

/// Returns the least common multiple of the periods [ns]. Returns `None` if it is 2⁶² ns or more.
pub fn hyperperiod(tasks: &[Task]) -> Option<Time> {
    let mut hyperperiod = 1u64;
    for task in tasks {
        let period = task.period.ns().max(1);
        hyperperiod = (hyperperiod / gcd(hyperperiod, period)).checked_mul(period)?;
        if hyperperiod >= 1 << 62 {
            return None;
        }
    }
    Some(Time::from_ns(hyperperiod))
}

/// Returns the maximum number of jobs of `task` that arrive before `end`. `release` determines
/// the arrivals.
pub fn jobs_before(task: &Task, release: &Release, end: Time) -> u64 {
    let span = end.ns().saturating_sub(release.first.ns());
    span.div_ceil(task.period.ns().max(1))
}
