//! Tasks and releases as the simulator sees them.

use gpusched_model::time::Time;

/// A task on its partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Longest execution time C(m) [ns], positive.
    pub wcet: Time,
    /// Shortest execution time [ns], positive and at most C(m). Execution times are drawn uniformly between the two.
    pub shortest: Time,
    /// Longest time b without preemption under limited preemption [ns], positive and at most C(m).
    pub block: Time,
    /// Period T [ns], positive.
    pub period: Time,
    /// Relative deadline D [ns], counted from the arrival.
    pub deadline: Time,
    /// Release jitter J [ns]: longest delay from arrival to release.
    pub jitter: Time,
    /// Number of the random streams of the task: its position in the task set.
    pub stream: u64,
}

/// The arrivals and releases of the jobs of a task.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Arrival of the first job [ns].
    pub first: Time,
    /// Earliest release of any job [ns], at most J after the first arrival.
    pub earliest: Time,
    /// Longest random delay from arrival to release [ns], at most J. Delays are drawn uniformly from 0.
    pub jitter: Time,
    /// Longest random time between arrivals beyond T [ns]. Times are drawn uniformly from 0.
    pub gap: Time,
}
