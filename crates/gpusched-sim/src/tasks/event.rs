//! Events in the life of simulated jobs.

use gpusched_model::time::Time;

/// One job of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// Position of its task in the partition.
    pub task: usize,
    /// Number of the job. The number of a job is the number of earlier jobs of its task.
    pub number: u64,
    /// Arrival of the job [ns].
    pub arrival: Time,
    /// Absolute deadline of the job [ns].
    pub deadline: Time,
}

/// An event of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The job is released.
    Release(Job),
    /// The job starts.
    Start(Job),
    /// Another job preempts this job. The time is the remaining execution time of this job.
    Preempt(Job, Time),
    /// The job resumes after a preemption.
    Resume(Job),
    /// The job completes. The time is the execution time of the job.
    Complete(Job, Time),
    /// The job has just completed, after its deadline.
    Miss(Job),
}
