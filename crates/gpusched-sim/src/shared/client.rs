//! Who draws from the memory.

use crate::tasks::Discipline;

/// A part of a job: takes `time` by itself, and draws `rate` meanwhile.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// [ns].
    pub time: u64,
    /// [bytes per second]; what is above the capacity of the memory counts as that.
    pub rate: u64,
}

/// A task: jobs that come at regular distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// What each job does, in this order.
    pub stages: Vec<Stage>,
    /// The arrival of the first one [ns].
    pub first: u64,
    /// The first one is released that long after its arrival [ns].
    pub jitter: u64,
    /// T [ns], positive.
    pub period: u64,
    /// D [ns], from the arrival.
    pub deadline: u64,
}

/// A partition, or traffic that no task causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The tasks, the most urgent first where ranks matter; ties between deadlines go to the earlier.
    pub tasks: Vec<Task>,
    /// Who runs. Limited preemption counts as none.
    pub discipline: Discipline,
    /// Whether what is late is dropped, and counts as no miss: the budget of a period that is over.
    pub drops: bool,
}
