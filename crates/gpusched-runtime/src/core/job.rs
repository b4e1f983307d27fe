//! Jobs and their records.

use serde::Serialize;

/// One job of a task. All times are in ns, on the clock of the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Position of the task in the partition.
    pub task: usize,
    /// Number of the job among the jobs of its task, from 0.
    pub number: u64,
    /// Arrival of the job [ns].
    pub arrival: u64,
    /// Absolute deadline of the job [ns].
    pub deadline: u64,
}

/// How the execution of a job ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Time at which all work of the job was enqueued [ns].
    pub enqueued: u64,
    /// Whether the work could not be enqueued, or failed.
    pub failed: bool,
}

/// The life of one completed job. All times are in ns, on the clock of the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The job.
    pub job: Job,
    /// First time at or after the arrival at which the dispatcher read the clock [ns].
    pub visible: u64,
    /// Time of the decision that chose the job [ns].
    pub decision: u64,
    /// Time from the first arrival in the idle partition to the decision [ns]. `None` if the partition was busy before.
    pub wake: Option<u64>,
    /// Time at which all work of the job was enqueued [ns].
    pub enqueued: u64,
    /// Time at which the dispatcher observed the completion [ns]. It is also the time of the next decision.
    pub completion: u64,
    /// Findings about the job.
    pub status: Status,
}

impl Record {
    /// Returns the time for which the job occupied its partition, from decision to completion [ns].
    pub fn occupancy(&self) -> u64 {
        self.completion.saturating_sub(self.decision)
    }
}

/// Findings about a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Status {
    /// The job completed after its deadline.
    pub missed: bool,
    /// The job occupied the partition for longer than its budget C'.
    pub overrun: bool,
    /// The decision was later than the wake-up bound w after an arrival in an idle partition.
    pub late_wake: bool,
    /// The work of the job failed.
    pub failed: bool,
}
