//! Tasks and releases in the form that the simulator uses.

use gpusched_model::time::Time;

/// A task of a partition. All of its times are fixed numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Longest execution time C(m) of a job on the m SMs of the partition [ns]; positive.
    pub wcet: Time,
    /// Shortest execution time of a job [ns]; positive and at most C(m). Execution times are
    /// uniformly distributed between the shortest and the longest time.
    pub shortest: Time,
    /// Longest time b during which limited preemption cannot preempt a job [ns]; positive and at most C(m).
    pub block: Time,
    /// Period T of the task [ns]; positive.
    pub period: Time,
    /// Relative deadline D, counted from the arrival of a job [ns].
    pub deadline: Time,
    /// Release jitter J: longest delay between the arrival and the release of a job [ns].
    pub jitter: Time,
    /// Position of the task in the task set. This number selects the random streams of the task.
    pub stream: u64,
}

/// Parameters that determine the arrivals and releases of all jobs of a task.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Arrival of the first job of the task [ns].
    pub first: Time,
    /// Earliest possible release of a job [ns]. This release is at most J after the first
    /// arrival.
    pub earliest: Time,
    /// Longest random delay between arrival and release [ns]; at most J. Delays are uniformly
    /// distributed between 0 and this maximum.
    pub jitter: Time,
    /// Longest random extension of the period [ns]. The time between two arrivals is T plus a
    /// random extension, which is uniformly distributed between 0 and this maximum.
    pub gap: Time,
}
