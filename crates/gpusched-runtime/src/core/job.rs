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
    /// Number of the chunk among the chunks of the job, from 0. A job without preemption points is one chunk.
    pub chunk: u32,
    /// Whether another job ran since the previous chunk of this job.
    pub resumed: bool,
}

/// How the execution of a job, or of one of its chunks, ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Time at which all work of the job was enqueued [ns].
    pub enqueued: u64,
    /// Time from the decision to the observed end, minus the time on the GPU [ns], or the part of it that the backend knows. `None` if it
    /// knows none.
    pub overhead: Option<u64>,
    /// Whether the work could not be enqueued, or failed.
    pub failed: bool,
    /// Whether the job has no further chunk.
    pub last: bool,
}

/// The life of one completed job, or of one chunk. All times are in ns, on the clock of the run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The job, with the number of the chunk.
    pub job: Job,
    /// Whether the job has completed. All records of a job before are about chunks.
    pub last: bool,
    /// First time at or after the arrival at which the dispatcher read the clock [ns].
    pub visible: u64,
    /// Time of the decision that chose the job or the chunk [ns].
    pub decision: u64,
    /// Time from the first arrival in the idle partition to the decision [ns]. `None` if the partition was busy before.
    pub wake: Option<u64>,
    /// Time at which all work of the job was enqueued [ns].
    pub enqueued: u64,
    /// Time at which the dispatcher observed the completion [ns]. It is also the time of the next decision.
    pub completion: u64,
    /// Time for which the job has occupied its partition so far, in all its chunks [ns].
    pub occupancy: u64,
    /// Findings about the job.
    pub status: Status,
}

impl Record {
    /// Returns the time from the decision to the completion [ns]. It is the occupancy of the job if the job is one chunk.
    pub fn span(&self) -> u64 {
        self.completion.saturating_sub(self.decision)
    }
}

/// Findings about a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Status {
    /// The job completed after its deadline.
    pub missed: bool,
    /// The job occupied the partition for longer than its budget C', or a chunk for longer than its budget b'.
    pub overrun: bool,
    /// The decision was later than the wake-up bound w after an arrival in an idle partition.
    pub late_wake: bool,
    /// The work of the job failed.
    pub failed: bool,
    /// The overhead of the job, or of this chunk, exceeded its bound o.
    pub overhead: bool,
}
