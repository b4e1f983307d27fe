//! Backends run the jobs of a partition, and [`dispatch`] is the loop that all of them share.

#[cfg(target_os = "linux")]
pub mod cuda;
#[cfg(target_os = "linux")]
pub mod paced;
pub mod simulated;
#[cfg(target_os = "linux")]
pub(crate) mod threads;

use std::sync::atomic::{AtomicBool, Ordering};

use gpusched_model::time::Time;

use crate::client::Signal;
use crate::core::{Action, Core, Job, Outcome, Record};
use crate::program::Program;
use crate::run::PartRun;
use crate::trace::ring::Ring;

/// Where the jobs of a plan run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Backend {
    /// On the first GPU, through the CUDA driver. Each partition is a green context.
    Cuda,
    /// In virtual time, without a GPU.
    Simulated,
}

/// Control of a run while it lasts.
#[derive(Copy, Clone)]
pub struct Control<'a> {
    /// If the value becomes true, the dispatchers stop after their running jobs.
    pub stop: &'a AtomicBool,
    /// File that receives each record at once.
    pub ring: Option<&'a Ring>,
}

impl Control<'_> {
    /// Returns the message of the flag to a dispatcher.
    fn signal(&self) -> Option<Signal> {
        self.stop.load(Ordering::Relaxed).then_some(Signal::Stop)
    }

    /// Whether the run stopped before all jobs of `program` were complete.
    fn stopped(&self, program: &Program, duration: Time, runs: &[PartRun]) -> bool {
        let mut partitions = program.partitions.iter().zip(runs);
        let missing = partitions.any(|(part, run)| !run.is_complete(part, duration));
        missing && self.stop.load(Ordering::Relaxed)
    }
}

/// The clock and the work of one partition.
pub trait Lane {
    /// Error that ends the run of the partition.
    type Error;

    /// Returns the time [ns].
    fn now(&mut self) -> u64;

    /// Launches the work of `job`, or its next chunk, and waits for its end. `decision` is the time of the decision that chose the
    /// job. Returns the time at which the lane observed the end [ns].
    ///
    /// # Errors
    /// Fails if the partition can run no further job.
    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), Self::Error>;

    /// Waits until `until` [ns], or longer, or until a message comes. Returns the time.
    fn sleep(&mut self, until: u64) -> u64;

    /// Returns the next message, if there is one.
    fn signal(&mut self) -> Option<Signal> {
        None
    }
}

/// Runs the jobs of a partition until no job is left, or until [`Signal::Stop`]. `done` receives each record.
///
/// # Errors
/// Returns the error of the lane.
pub fn dispatch<L: Lane>(
    core: &mut Core,
    lane: &mut L,
    mut done: impl FnMut(&mut L, Record),
) -> Result<(), L::Error> {
    let mut now = lane.now();
    loop {
        // The core compares the time from a release to its message with the bound on wake-ups.
        while let Some(signal) = lane.signal() {
            match signal {
                Signal::Release { task, at } => {
                    core.notify(task, at);
                }
                Signal::Stop => {
                    core.stop(now);
                    return Ok(());
                }
            }
        }
        match core.next(now) {
            Action::Launch(job) => {
                let (completion, outcome) = lane.run(&job, now)?;
                // One time serves the completion and the next decision.
                now = completion;
                if let Some(record) = core.completed(now, outcome) {
                    done(lane, record);
                }
            }
            Action::Sleep(until) => now = lane.sleep(until),
            Action::Stop => return Ok(()),
        }
    }
}
