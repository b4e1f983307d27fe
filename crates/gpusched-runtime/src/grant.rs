//! The permission for a thread of the program to enqueue a job that its dispatcher has chosen.
//!
//! The functions without the name of a wait are one step each, so that a test tries all their orders.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::core::Job;

/// The permission to enqueue the jobs of one task, one after the other.
#[derive(Debug)]
pub struct Grant {
    held: Mutex<Held>,
    changed: Condvar,
    limit: u64,
}

#[derive(Default, Debug)]
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
const LEAST: u64 = 1_000_000_000;

impl Grant {
    /// Creates the permission for the jobs of a task with this budget C' [ns].
    pub fn new(budget: u64) -> Grant {
        Grant {
            held: Mutex::default(),
            changed: Condvar::new(),
            limit: budget.saturating_mul(10).max(LEAST),
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

    /// Lets a thread of the program enqueue `job`, and waits for it. Returns whether it did so within the limit.
    pub fn wait_for(&self, job: Job) -> bool {
        self.choose(job);
        let end = Instant::now() + Duration::from_nanos(self.limit);
        let mut held = self.lock();
        while !held.is_decided() {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            held = self.wait(held, rest);
        }
        held.finish()
    }

    /// The dispatcher chooses `job`.
    pub fn choose(&self, job: Job) {
        self.lock().state = State::Chosen(job);
        self.changed.notify_all();
    }

    /// Returns whether the dispatcher has to wait no longer for the chosen job.
    pub fn is_decided(&self) -> bool {
        self.lock().is_decided()
    }

    /// The dispatcher waits no longer. Returns whether all work of the chosen job is on the stream.
    pub fn finish(&self) -> bool {
        self.lock().finish()
    }

    /// Takes job `number` if the dispatcher has chosen it. Otherwise, waits for a moment, and tries again.
    pub fn wait_to_take(&self, number: u64, time: Duration) -> Option<Job> {
        let mut held = self.lock();
        if held.chosen(number).is_none() {
            held = self.wait(held, time);
        }
        held.take(number)
    }

    /// Takes job `number` if the dispatcher has chosen it.
    pub fn take(&self, number: u64) -> Option<Job> {
        self.lock().take(number)
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
}

impl Held {
    fn chosen(&self, number: u64) -> Option<Job> {
        match self.state {
            State::Chosen(job) if job.number == number && !self.closed => Some(job),
            _ => None,
        }
    }

    fn take(&mut self, number: u64) -> Option<Job> {
        let job = self.chosen(number)?;
        self.state = State::Taken(number);
        Some(job)
    }

    fn is_decided(&self) -> bool {
        match self.state {
            State::Enqueued => true,
            State::Chosen(_) => self.closed,
            State::Idle | State::Taken(_) => false,
        }
    }

    fn finish(&mut self) -> bool {
        std::mem::take(&mut self.state) == State::Enqueued
    }
}
