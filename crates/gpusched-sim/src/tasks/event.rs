//! Events of simulated jobs.

use gpusched_model::time::Time;

/// A job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// Position of its task in the partition.
    pub task: usize,
    /// Number of earlier jobs of the task.
    pub number: u64,
    /// Arrival [ns].
    pub arrival: Time,
    /// Absolute deadline [ns].
    pub deadline: Time,
}

/// An event of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The job is released.
    Release(Job),
    /// The job starts.
    Start(Job),
    /// Another job preempts it. The time is its remaining execution time.
    Preempt(Job, Time),
    /// The job resumes.
    Resume(Job),
    /// The job completes. The time is its execution time.
    Complete(Job, Time),
    /// The job completed just now, after its deadline.
    Miss(Job),
}
