//! Several kernels on one GPU, one at a time and to their ends, beside best-effort cores under one regulation.
//!
//! While no kernel runs, best-effort cores are not regulated. A kernel that starts locks them to a fresh Q̄·T for the rest of
//! the regulation period, which is what G(Q̄, 0) allows for ([Aghilinasab20] Eqs 5 and 6 with sync = 0); from then on a
//! [`Governor`](super::Governor) decides on each period, until the kernel ends.
//!
//! Instants are whole nanoseconds: a kernel holds the GPU up to the next one after its end. Floats are within one kernel only.

mod course;
mod dispatch;
mod job;
mod limits;
mod queue;
mod sequencer;
mod summary;

pub use dispatch::Dispatch;
pub use job::{Job, SequenceRun, Stretch};
pub use sequencer::Sequencer;
pub use summary::{KernelOutcome, KernelSetting, SequencePolicy, SequenceSummary, SequenceTally};
