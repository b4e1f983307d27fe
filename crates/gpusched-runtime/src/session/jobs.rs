//! The jobs of a partition: the work that the program enqueues, and jobs that a thread of the program enqueues itself.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::records::Event;
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
#[derive(Default)]
pub(super) struct Grant {
    state: Mutex<State>,
    changed: Condvar,
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

impl Grant {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for a moment until the dispatcher has chosen job `number`. Returns the job.
    pub fn take(&self, number: u64, time: Duration) -> Option<Job> {
        let chosen = |state: &State| match *state {
            State::Chosen(job) if job.number == number => Some(job),
            _ => None,
        };
        let mut state = self.lock();
        if chosen(&state).is_none() {
            state = self.wait(state, time);
        }
        let job = chosen(&state)?;
        *state = State::Taken(number);
        Some(job)
    }

    /// Reports that all work of job `number` is on the stream. Returns whether the dispatcher waits for this job.
    pub fn end(&self, number: u64) -> bool {
        let mut state = self.lock();
        let taken = *state == State::Taken(number);
        if taken {
            *state = State::Enqueued;
            self.changed.notify_all();
        }
        taken
    }

    /// Lets a thread of the program enqueue `job`. Returns whether it did so within `limit` ns.
    fn offer(&self, job: Job, limit: u64) -> bool {
        let end = realtime::now().saturating_add(limit);
        let mut state = self.lock();
        *state = State::Chosen(job);
        self.changed.notify_all();
        while *state != State::Enqueued {
            let rest = end.saturating_sub(realtime::now());
            if rest == 0 {
                break;
            }
            state = self.wait(state, Duration::from_nanos(rest));
        }
        std::mem::take(&mut *state) == State::Enqueued
    }
}

/// Shortest time for which a dispatcher waits for a thread of the program [ns].
const GRANT_LIMIT: u64 = 1_000_000_000;

/// The program of the user, as the dispatcher of one partition sees it.
pub(super) struct Partition {
    pub index: usize,
    /// Positions of the tasks in the task set.
    pub positions: Vec<usize>,
    /// Work of the tasks, and their budgets C' [ns].
    pub sources: Vec<(Source, u64)>,
    pub signals: Receiver<Signal>,
    pub events: SyncSender<Event>,
    /// Number of completed jobs, by position of the task in the set.
    pub completed: Arc<Vec<AtomicU64>>,
    /// Number of records without room in the queue.
    pub unrecorded: Arc<AtomicU64>,
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
        let (source, budget) = &mut self.sources[job.task];
        let done = match source {
            Source::Work(Work::Graph(graph)) => return Launched::Graph(*graph),
            Source::Work(Work::Call(function)) => inside(|| function(stream, &named)),
            Source::Grant(grant) => grant.offer(named, budget.saturating_mul(10).max(GRANT_LIMIT)),
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
        self.completed[job.task].fetch_add(1, Ordering::Release);
        // A dispatcher never waits for the thread that keeps the records.
        if self
            .events
            .try_send(Event::Completed(Record { job, ..*record }))
            .is_err()
        {
            self.unrecorded.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn ended(&mut self, lost: Option<&str>) {
        let _ = self
            .events
            .send(Event::Ended(self.index, lost.map(str::to_owned)));
    }
}

impl Drop for Partition {
    /// A dispatcher that ends without a word, for example with an error at the start, has ended, too. A first error stays.
    fn drop(&mut self) {
        self.ended(None);
    }
}
