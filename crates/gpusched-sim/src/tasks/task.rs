//! What the simulator knows of a task.

use gpusched_model::time::Time;

/// A task on its partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// C(m), the longest execution time [ns], positive.
    pub wcet: Time,
    /// The shortest execution time [ns], positive and at most C(m). Those of jobs are drawn uniformly between the two.
    pub shortest: Time,
    /// b, the longest time for which a job cannot be preempted under limited preemption [ns], positive and at most C(m).
    pub block: Time,
    /// T [ns], positive.
    pub period: Time,
    /// D [ns], from the arrival.
    pub deadline: Time,
    /// J [ns], at most that long after its arrival a job is released.
    pub jitter: Time,
    /// The number of the task's random streams: its position in the task set.
    pub stream: u64,
}

/// When the jobs of a task come.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// The arrival of the first job [ns].
    pub first: Time,
    /// No job is released before [ns]; at most J after the first arrival.
    pub earliest: Time,
    /// Each job is released a time after its arrival that is drawn uniformly from 0 to this [ns]; at most J.
    pub jitter: Time,
    /// Each arrival is T after the one before, and a time that is drawn uniformly from 0 to this [ns].
    pub gap: Time,
}
