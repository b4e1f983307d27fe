//! The jobs of a partition: the work that the program enqueues, and jobs that a thread of the program enqueues itself.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::records::Event;
use crate::client::{Client, Launched, Signal};
use crate::core::{Job, Record};
use crate::grant::Grant;
use crate::queue::Reporter;
use crate::realtime;

/// A function that enqueues a job on the stream, a `CUstream`. It returns whether this succeeded. The task of the job is its position in
/// the task set.
pub type Enqueue = Box<dyn FnMut(usize, &Job) -> bool + Send>;

/// The work of a task.
pub enum Work {
    /// A function of the user.
    Call(Enqueue),
    /// An executable graph, a `CUgraphExec`.
    Graph(usize),
}

/// The work of a task in its dispatcher.
pub(super) enum Source {
    Work(Work),
    /// A thread of the program enqueues each job after the dispatcher has chosen it.
    Grant(Arc<Grant>),
}

thread_local! {
    /// Whether this thread runs a function of the user, so it must not wait for a dispatcher.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of the user.
pub(super) fn inside<T>(function: impl FnOnce() -> T) -> T {
    INSIDE.set(true);
    let result = function();
    INSIDE.set(false);
    result
}

/// Returns whether this thread runs a function of the user.
pub(super) fn is_inside() -> bool {
    INSIDE.get()
}

/// The program of the user, as the dispatcher of one partition sees it.
pub(super) struct Partition {
    pub index: usize,
    /// Positions of the tasks in the task set.
    pub positions: Vec<usize>,
    /// Work of the tasks.
    pub sources: Vec<Source>,
    pub signals: Receiver<Signal>,
    pub reporter: Reporter<Event>,
}

impl Partition {
    fn in_set(&self, job: &Job) -> Job {
        Job {
            task: self.positions[job.task],
            ..*job
        }
    }
}

impl Client for Partition {
    fn enqueue(&mut self, stream: usize, job: &Job) -> Launched {
        let named = self.in_set(job);
        let done = match &mut self.sources[job.task] {
            Source::Work(Work::Graph(graph)) => return Launched::Graph(*graph),
            Source::Work(Work::Call(function)) => inside(|| function(stream, &named)),
            Source::Grant(grant) => grant.wait_for(named),
        };
        match done {
            true => Launched::Enqueued,
            false => Launched::Failed,
        }
    }

    fn signal(&mut self, until: u64) -> Option<Signal> {
        let rest = match until {
            0 => 0,
            until => until.saturating_sub(realtime::now()),
        };
        // A session that no longer exists wants no further job.
        if rest == 0 {
            return match self.signals.try_recv() {
                Ok(signal) => Some(signal),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Signal::Stop),
            };
        }
        match self.signals.recv_timeout(Duration::from_nanos(rest)) {
            Ok(signal) => Some(signal),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Signal::Stop),
        }
    }

    fn done(&mut self, record: &Record) {
        let job = self.in_set(&record.job);
        let record = Record { job, ..*record };
        self.reporter
            .completed((job.task, job.number), Event::Completed(record));
    }

    fn ended(&mut self, lost: Option<&str>) {
        let lost = lost.map(str::to_owned);
        self.reporter.last(Event::Ended(self.index, lost));
    }
}

impl Drop for Partition {
    /// A dispatcher that ends without a word, for example with an error at the start, has ended, too. A first error stays.
    fn drop(&mut self) {
        self.ended(None);
    }
}
