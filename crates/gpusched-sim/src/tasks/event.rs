//! Events in the life of simulated jobs.

use gpusched_model::time::Time;

/// One job of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// Position of the task in the partition.
    pub task: usize,
    /// Number of the job among the jobs of its task, from 0.
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
    /// Another job preempts this job. The time is the remaining execution time of the preempted
    /// job.
    Preempt(Job, Time),
    /// The job resumes after a preemption.
    Resume(Job),
    /// The job completes. The time is the execution time of the job.
    Complete(Job, Time),
    /// The job missed its deadline. The simulator reports the miss when the job completes.
    Miss(Job),
}
