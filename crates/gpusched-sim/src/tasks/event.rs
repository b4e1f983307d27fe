//! What happens in a partition.

use gpusched_model::time::Time;

/// A job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// The position of its task in the partition.
    pub task: usize,
    /// How many jobs of the task arrived before it.
    pub number: u64,
    /// When it arrived [ns].
    pub arrival: Time,
    /// When it is due [ns].
    pub deadline: Time,
}

/// What happens to a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// It may run from now on.
    Release(Job),
    /// It runs for the first time.
    Start(Job),
    /// Another job preempts it; it has that much left to run.
    Preempt(Job, Time),
    /// It runs again.
    Resume(Job),
    /// It is done, and ran for that long.
    Complete(Job, Time),
    /// It completed just now, after its deadline.
    Miss(Job),
}
