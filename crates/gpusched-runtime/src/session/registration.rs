//! Calls before the start: the streams of the partitions, and the work of the tasks.

use std::sync::atomic::Ordering;

use super::fault::Fault;
use super::jobs::{Work, inside};
use super::records::OnComplete;
use super::state::{Phase, Registered, Session, outside};
use crate::core::Record;

impl Session {
    /// Returns the stream of the partition of `task`, a `CUstream`. It is 0 without a GPU. Use it for warm-up before the start. The stream
    /// exists until the session is dropped.
    ///
    /// # Errors
    /// Fails if the set has no task of this name, and after the stop.
    pub fn stream(&self, task: &str) -> Result<usize, Fault> {
        let (part, _) = self.places[self.position(task)?];
        match self.stopped.load(Ordering::Relaxed) {
            true => Err(Fault::usage(
                "stream",
                "a stopped session",
                "a call before the stop",
            )),
            false => Ok(self.streams[part]),
        }
    }

    /// Returns the number of SMs of the partition of `task`.
    ///
    /// # Errors
    /// Fails if the set has no task of this name.
    pub fn sms(&self, task: &str) -> Result<u32, Fault> {
        let (part, _) = self.places[self.position(task)?];
        Ok(self.program.partitions[part].sms)
    }

    /// States the work of the jobs of `task`.
    ///
    /// # Errors
    /// Fails if the set has no task of this name, or after the start.
    pub fn task(&self, task: &str, work: Work) -> Result<(), Fault> {
        self.register(task, |registered| registered.work = Some(work))
    }

    /// Makes `task` sporadic: the program releases its jobs, at least a period apart.
    ///
    /// # Errors
    /// Fails as [`Session::task`].
    pub fn sporadic(&self, task: &str) -> Result<(), Fault> {
        self.register(task, |registered| registered.sporadic = true)
    }

    /// Calls `function` with the record of each completed job of `task`, on a thread that is no dispatcher.
    ///
    /// # Errors
    /// Fails as [`Session::task`].
    pub fn on_complete(&self, task: &str, function: Box<dyn FnMut(&Record) + Send>) -> Result<(), Fault> {
        let mut function = function;
        let function: OnComplete = Box::new(move |record| inside(|| function(record)));
        self.register(task, |registered| registered.complete = Some(function))
    }

    fn register(&self, task: &str, change: impl FnOnce(&mut Registered)) -> Result<(), Fault> {
        outside()?;
        let position = self.position(task)?;
        match &mut *self.phase() {
            Phase::Open(setup) => {
                change(&mut setup.tasks[position]);
                Ok(())
            }
            _ => Err(Fault::usage(
                task,
                "a call after the start",
                "a call before the start",
            )),
        }
    }
}
