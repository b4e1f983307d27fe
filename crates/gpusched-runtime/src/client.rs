//! The seam between a backend and the program of the user: the work of the jobs, and sporadic releases.

use std::sync::Arc;

use gpusched_model::error::Refusal;

use crate::core::{Job, Record};
use crate::program::Part;
use crate::trace::Heading;
use crate::trace::ring::Ring;

/// Answer of the program of the user to the choice of a job.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Launched {
    /// The work of the job is on the stream.
    Enqueued,
    /// The backend launches this executable graph (`CUgraphExec`) on the stream.
    Graph(usize),
    /// The work could not be enqueued. The dispatcher waits for the part that is on the stream.
    Failed,
}

/// A message to the dispatcher of a partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Signal {
    /// A job of the sporadic task at position `task` in the partition arrives at `at` [ns].
    Release {
        /// Position of the task in the partition.
        task: usize,
        /// Requested arrival [ns].
        at: u64,
    },
    /// The dispatcher starts no further job.
    Stop,
}

/// The program of the user, as the dispatcher of one partition sees it. The thread of the partition calls all methods.
pub trait Client: Send {
    /// Enqueues the work of `job` on `stream` without waiting for its end. `stream` is a `CUstream`; 0 without a GPU.
    fn enqueue(&mut self, stream: usize, job: &Job) -> Launched;

    /// Returns the next message. Waits for it until `until` on CLOCK_MONOTONIC [ns]; with 0, does not wait.
    fn signal(&mut self, until: u64) -> Option<Signal>;

    /// Receives the record of a completed job.
    fn done(&mut self, record: &Record);

    /// Receives the end of the dispatcher, and the error that ended it early.
    fn ended(&mut self, lost: Option<&str>);
}

/// A partition with the program of the user.
pub struct Served {
    /// The partition. Its sporadic tasks are marked.
    pub part: Part,
    /// The program of the user.
    pub client: Box<dyn Client>,
    /// Core of the thread. `None`: any core.
    pub core: Option<usize>,
}

/// Everything that a backend needs to start the dispatchers of a program.
pub struct Start {
    /// First arrival of each periodic task on CLOCK_MONOTONIC [ns]; 0: shortly after the start.
    pub first: u64,
    /// Partitions in the order of the plan.
    pub partitions: Vec<Served>,
    /// File of records, and its heading. The backend adds the GPU.
    pub ring: Option<(Arc<Ring>, Heading)>,
    /// Receives the time of the first arrivals when all dispatchers run.
    pub running: std::sync::mpsc::SyncSender<u64>,
}

/// Time from the start of the dispatchers to the first arrivals, unless the program states a time [ns].
pub(crate) const LEAD: u64 = 10_000_000;

/// Time after the first arrivals until which a program may run: more than a century [ns].
pub(crate) const OPEN_END: u64 = 1 << 62;

/// Field of an error about the time of the first arrivals.
pub(crate) const FIRST_ARRIVAL: &str = "first_arrival";

/// Checks that the time `first` that a program states for the first arrivals is after `now` [ns]. The value 0 states no time.
pub(crate) fn not_passed(first: u64, now: u64) -> Result<(), Refusal> {
    match first == 0 || first > now {
        true => Ok(()),
        false => {
            let expected = format!("0, or a time after the present time {now} of CLOCK_MONOTONIC");
            Err(Refusal::new(FIRST_ARRIVAL, first, expected))
        }
    }
}
