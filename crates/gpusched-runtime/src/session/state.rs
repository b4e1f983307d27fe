//! A session, its phases, and the state that its calls share.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use gpusched_model::error::Error;

use super::fault::{Fault, Kind};
use super::jobs::{Work, is_inside};
use super::options::Options;
use super::records::{OnComplete, Records};
use super::supervisor::Supervisor;
use crate::client::{Signal, Start};
use crate::grant::Grant;
use crate::program::Program;
use crate::queue::Progress;
use crate::run::Run;
use crate::trace::ring::Ring;

/// A plan with the jobs of the user's program.
pub struct Session {
    pub(super) program: Program,
    pub(super) options: Options,
    /// Names of the tasks, by position in the set.
    pub(super) names: Vec<String>,
    /// Partition of each task, and position of the task in the partition.
    pub(super) places: Vec<(usize, usize)>,
    /// Streams of the partitions. They exist as long as the supervisor.
    pub(super) streams: Vec<usize>,
    pub(super) records: Arc<Records>,
    pub(super) running: OnceLock<Running>,
    pub(super) ring: Option<Arc<Ring>>,
    /// Whether the session has stopped, or its start has failed.
    pub(super) stopped: AtomicBool,
    pub(super) phase: Mutex<Phase>,
}

pub(super) enum Phase {
    Open(Setup),
    Running(Supervisor, JoinHandle<()>),
    Stopped(Box<Run>, Supervisor),
    /// The start or the run failed. A supervisor keeps the streams.
    Failed(Fault, Option<Supervisor>),
}

pub(super) struct Setup {
    pub tasks: Vec<Registered>,
    pub start: Sender<Start>,
    pub supervisor: Supervisor,
}

#[derive(Default)]
pub(super) struct Registered {
    pub work: Option<Work>,
    pub sporadic: bool,
    pub complete: Option<OnComplete>,
}

/// State that calls of other threads use while the dispatchers run.
pub(super) struct Running {
    pub partitions: Vec<SyncSender<Signal>>,
    /// Number of releases of each sporadic task. The lock is only between threads that release jobs of one task.
    pub releases: Vec<Option<Mutex<u64>>>,
    /// The sporadic tasks without work, whose jobs threads of the program enqueue.
    pub grants: Vec<Option<Arc<Grant>>>,
    pub progress: Arc<Progress>,
}

impl Session {
    pub(super) fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn running(&self) -> Result<&Running, Fault> {
        let none = || Fault::usage("session", "no running dispatchers", "a start before");
        self.running.get().ok_or_else(none)
    }

    /// Returns the error about a partition whose dispatcher has ended.
    pub(super) fn over(&self, partition: usize) -> Fault {
        match self.records.ended(partition).flatten() {
            Some(lost) => lost_in(partition, &lost),
            None => Fault::usage("session", "a stopped run", "running dispatchers"),
        }
    }

    pub(super) fn position(&self, task: &str) -> Result<usize, Fault> {
        let known = self.names.iter().position(|name| name == task);
        known.ok_or_else(|| {
            let names: Vec<String> = self.names.iter().map(|name| format!("{name:?}")).collect();
            Fault::usage("task", format!("{task:?}"), names.join(", "))
        })
    }
}

/// Creates the error about a partition that a fault has ended.
pub(super) fn lost_in(partition: usize, lost: &str) -> Fault {
    Fault {
        kind: Kind::Lost,
        text: format!("partition {partition}: {lost}"),
    }
}

pub(super) fn internal(text: &str) -> Fault {
    Fault::of(Kind::Internal)(Error::Internal(text.to_owned()))
}

/// Refuses calls that wait for a dispatcher, or for a call of another thread that does, from a function that a dispatcher or the thread of
/// the records waits for.
pub(super) fn outside() -> Result<(), Fault> {
    match is_inside() {
        true => Err(Fault::usage(
            "call",
            "a call inside a function of a task",
            "a call on another thread",
        )),
        false => Ok(()),
    }
}
