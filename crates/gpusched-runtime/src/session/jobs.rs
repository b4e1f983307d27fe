//! The jobs of a partition: the work that the program enqueues, and jobs that a thread of the program enqueues itself.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::records::Reporter;
use crate::client::{Client, Launched, Signal};
use crate::core::{Job, Record};
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

/// The permission for a thread of the program to enqueue a job.
pub(super) struct Grant {
    held: Mutex<Held>,
    changed: Condvar,
    /// Time for which the dispatcher waits for a thread [ns].
    limit: u64,
}

#[derive(Default)]
struct Held {
    state: State,
    /// After the stop, no thread takes a job.
    closed: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Idle,
    /// The dispatcher has chosen this job.
    Chosen(Job),
    /// A thread enqueues the job with this number.
    Taken(u64),
    /// The thread has enqueued all work.
    Enqueued,
}

/// Shortest time for which a dispatcher waits for a thread of the program [ns].
const GRANT_LIMIT: u64 = 1_000_000_000;

impl Grant {
    /// Creates the permission for the jobs of a task with this budget C' [ns].
    pub fn new(budget: u64) -> Grant {
        Grant {
            held: Mutex::default(),
            changed: Condvar::new(),
            limit: budget.saturating_mul(10).max(GRANT_LIMIT),
        }
    }

    /// Returns the time for which the dispatcher waits for a thread [ns].
    pub fn limit(&self) -> u64 {
        self.limit
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, held: MutexGuard<'a, Held>, time: Duration) -> MutexGuard<'a, Held> {
        let waited = self.changed.wait_timeout(held, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for a moment until the dispatcher has chosen job `number`. Returns the job.
    pub fn take(&self, number: u64, time: Duration) -> Option<Job> {
        let chosen = |held: &Held| match held.state {
            State::Chosen(job) if job.number == number && !held.closed => Some(job),
            _ => None,
        };
        let mut held = self.lock();
        if chosen(&held).is_none() {
            held = self.wait(held, time);
        }
        let job = chosen(&held)?;
        held.state = State::Taken(number);
        Some(job)
    }

    /// Reports that all work of job `number` is on the stream. Returns whether the dispatcher waits for this job.
    pub fn end(&self, number: u64) -> bool {
        let mut held = self.lock();
        let taken = held.state == State::Taken(number);
        if taken {
            held.state = State::Enqueued;
            self.changed.notify_all();
        }
        taken
    }

    /// Lets no thread take a job any more. The dispatcher waits only for a thread that has taken one.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Lets a thread of the program enqueue `job`. Returns whether it did so within the limit.
    fn offer(&self, job: Job) -> bool {
        let end = realtime::now().saturating_add(self.limit);
        let mut held = self.lock();
        held.state = State::Chosen(job);
        self.changed.notify_all();
        while held.state != State::Enqueued && !(held.closed && held.state == State::Chosen(job)) {
            let rest = end.saturating_sub(realtime::now());
            if rest == 0 {
                break;
            }
            held = self.wait(held, Duration::from_nanos(rest));
        }
        std::mem::take(&mut held.state) == State::Enqueued
    }
}

/// The program of the user, as the dispatcher of one partition sees it.
pub(super) struct Partition {
    pub index: usize,
    /// Positions of the tasks in the task set.
    pub positions: Vec<usize>,
    /// Work of the tasks.
    pub sources: Vec<Source>,
    pub signals: Receiver<Signal>,
    pub reporter: Reporter,
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
            Source::Grant(grant) => grant.offer(named),
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
        self.reporter.completed(Record { job, ..*record });
    }

    fn ended(&mut self, lost: Option<&str>) {
        self.reporter.ended(self.index, lost);
    }
}

impl Drop for Partition {
    /// A dispatcher that ends without a word, for example with an error at the start, has ended, too. A first error stays.
    fn drop(&mut self) {
        self.ended(None);
    }
}
