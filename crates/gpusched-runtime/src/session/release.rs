//! Sporadic releases, jobs that a thread of the program enqueues, and completions.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::TrySendError;
use std::time::Duration;

use gpusched_model::counted;
use gpusched_model::time::Time;

use super::fault::{Fault, Kind};
use super::start::SIGNALS;
use super::state::{Running, Session, outside};
use crate::client::Signal;
use crate::core::{Job, Record};
use crate::realtime;

/// Largest number of jobs of a sporadic task that wait. The dispatcher can keep a few more, so it drops none.
const MOST_WAITING: u64 = 1000;
/// Time between two looks at the state of a run.
const TICK: Duration = Duration::from_millis(20);

impl Session {
    /// Releases a job of the sporadic task `task` now. Returns the number of the job. The job arrives later if the arrival before it is
    /// less than a period ago.
    ///
    /// # Errors
    /// Fails if the task is not sporadic or has no work, if the dispatchers do not run, or if 1000 jobs of the task wait.
    pub fn release(&self, task: &str) -> Result<u64, Fault> {
        let at = realtime::now();
        let position = self.position(task)?;
        let running = self.running()?;
        // The dispatcher would wait for a thread that enqueues the job.
        if running.grants[position].is_some() {
            let expected = "a task with a function or a graph, or a thread that begins the job";
            return Err(Fault::usage(task, "a release of a task without work", expected));
        }
        self.released((task, position), running, at)
    }

    /// Sends the release of a job at `at` [ns] to its dispatcher. Returns the number of the job.
    fn released(&self, (task, position): (&str, usize), running: &Running, at: u64) -> Result<u64, Fault> {
        let Some(released) = &running.releases[position] else {
            return Err(Fault::usage(task, "a periodic task", "a sporadic task"));
        };
        let (part, index) = self.places[position];
        let mut released = released.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = released.saturating_sub(running.progress.completed(position));
        if waiting >= MOST_WAITING {
            let found = format!("{} that wait", counted(waiting, "job"));
            return Err(Fault::usage(task, found, format!("fewer than {MOST_WAITING}")));
        }
        match running.partitions[part].try_send(Signal::Release { task: index, at }) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                let found = format!("{SIGNALS} releases that wait for the dispatcher of partition {part}");
                return Err(Fault::usage(task, found, "fewer releases at a time"));
            }
            Err(TrySendError::Disconnected(_)) => return Err(self.over(part)),
        }
        let number = *released;
        *released += 1;
        Ok(number)
    }

    /// Releases a job of a sporadic task without work, and waits until the dispatcher has chosen it. Then this thread enqueues the work
    /// on the stream, and calls [`Session::end`]. Returns the job and the stream.
    ///
    /// # Errors
    /// Fails as [`Session::release`], and if the options do not allow unproven runs, because the time until the call of
    /// [`Session::end`] has no bound.
    pub fn begin(&self, task: &str) -> Result<(Job, usize), Fault> {
        outside()?;
        let at = realtime::now();
        if !self.options.allow_unproven {
            let expected =
                "`allow_unproven`, because the time for which the thread enqueues a job has no bound";
            return Err(Fault::new(Kind::Unproven, task, "a job of a thread", expected));
        }
        let position = self.position(task)?;
        let running = self.running()?;
        let Some(grant) = &running.grants[position] else {
            let expected = "a sporadic task without a function and without a graph";
            return Err(Fault::usage(task, "a task with work", expected));
        };
        let number = self.released((task, position), running, at)?;
        let (part, _) = self.places[position];
        loop {
            if let Some(job) = grant.wait_to_take(number, TICK) {
                return Ok((job, self.streams[part]));
            }
            if self.records.ended(part).is_some() || self.stopped.load(Ordering::Relaxed) {
                return Err(self.over(part));
            }
        }
    }

    /// Reports that all work of the job from [`Session::begin`] is on its stream. `task` is the position of its task in the set.
    ///
    /// # Errors
    /// Fails if the dispatcher does not wait for this job, for example after its time-out: ten budgets of the task, or 1 s if that is
    /// longer.
    pub fn end(&self, task: usize, number: u64) -> Result<(), Fault> {
        let running = self.running()?;
        let grant = running.grants.get(task).and_then(Option::as_ref);
        let Some(grant) = grant else {
            let expected = "a job of a sporadic task without a function and without a graph";
            return Err(Fault::usage(
                "job",
                format!("job {number} of task {task}"),
                expected,
            ));
        };
        match grant.end(number) {
            true => Ok(()),
            false => {
                let limit = Time::from_ns(grant.limit());
                let expected =
                    format!("a job that its dispatcher chose at most {limit} ago, and that has not ended");
                Err(Fault::usage("job", format!("job {number}"), expected))
            }
        }
    }

    /// Waits for the completion of job `number` of `task`, counted from 0, for at most `timeout`. Returns its record. The task of the
    /// record is its position in the set.
    ///
    /// # Errors
    /// Fails with [`Kind::Timeout`], with [`Kind::Lost`] after a fault of the GPU, and with [`Kind::Usage`] if the session keeps no record of
    /// the job. The job may be too old, or the run stopped before. Or functions of the program took so long that the record found no room.
    pub fn wait(&self, task: &str, number: u64, timeout: Duration) -> Result<Record, Fault> {
        outside()?;
        let position = self.position(task)?;
        self.running()?;
        let (part, _) = self.places[position];
        self.records.wait((position, part), number, timeout)
    }
}
