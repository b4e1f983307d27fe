//! Backends run the jobs of a partition, and [`dispatch`] is the loop that all of them share.

#[cfg(target_os = "linux")]
pub mod cuda;
pub mod simulated;

use crate::core::{Action, Core, Job, Outcome, Record};

/// Where the jobs of a plan run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Backend {
    /// On the first GPU, through the CUDA driver. Each partition is a green context.
    Cuda,
    /// In virtual time, without a GPU.
    Simulated,
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

    /// Waits until `until` [ns], or longer. Returns the time.
    fn sleep(&mut self, until: u64) -> u64;
}

/// Runs the jobs of a partition until no job is left. `done` receives each record.
///
/// # Errors
/// Returns the error of the lane.
pub fn dispatch<L: Lane>(
    core: &mut Core,
    lane: &mut L,
    mut done: impl FnMut(Record),
) -> Result<(), L::Error> {
    let mut now = lane.now();
    loop {
        match core.next(now) {
            Action::Launch(job) => {
                let (completion, outcome) = lane.run(&job, now)?;
                // One time serves the completion and the next decision.
                now = completion;
                core.completed(now, outcome).into_iter().for_each(&mut done);
            }
            Action::Sleep(until) => now = lane.sleep(until),
            Action::Stop => return Ok(()),
        }
    }
}
