//! Events in the life of simulated end-to-end jobs.

use gpusched_model::end_to_end::Resource;
use gpusched_model::time::Time;

/// One job of a task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// Position of the task in the system.
    pub task: usize,
    /// Number of the job among the jobs of its task, from 0.
    pub number: u64,
    /// Arrival of the job [ns].
    pub arrival: Time,
    /// Absolute deadline of the job [ns].
    pub deadline: Time,
}

/// One segment of one job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// The job to which the segment belongs.
    pub job: Job,
    /// Position of the segment in the task, from 0.
    pub segment: usize,
}

/// An event of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The job arrives. The job may wait for its release and for previous jobs of its task.
    Arrival(Job),
    /// The segment is released.
    Release(Part),
    /// The segment starts to execute. The first segment of a job starts with the job.
    Start(Part),
    /// The segment, or the task that busy-waits for the segment, occupied a resource until now.
    Ran {
        /// Segment that executed, or for which the task waited.
        part: Part,
        /// Resource that was occupied: the resource of the segment, or the core of a busy-waiting task.
        on: Resource,
        /// Time of the start or of the last resumption [ns]; before now.
        since: Time,
        /// Whether the task busy-waited on its core.
        spins: bool,
    },
    /// The segment ends.
    End {
        /// Segment that ends.
        part: Part,
        /// Release of the segment [ns].
        released: Time,
    },
    /// The last segment of the job has ended.
    Complete(Job),
    /// The job missed its deadline. The simulator reports the miss when the job completes. If the run stops earlier,
    /// the simulator reports all overdue jobs at the end of the run.
    Miss(Job),
}
