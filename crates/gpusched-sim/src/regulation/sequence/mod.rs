//! Simulation of several kernels on one GPU, and of best-effort cores under memory bandwidth
//! regulation. The GPU executes one kernel at a time, without preemption.
//!
//! While no kernel runs, best-effort cores are not regulated. When a kernel starts, best-effort
//! cores receive a full nominal budget Q̄·T until the regulation period T ends. The nominal WCET
//! G(Q̄, 0) includes this budget ([Aghilinasab20] Eqs 5 and 6 with sync = 0). From the next
//! period until the end of the kernel, a [`Governor`](super::Governor) decides on the budget of
//! each period.
//!
//! A kernel occupies the GPU until the next whole nanosecond after its end. Therefore all starts
//! and ends are whole nanoseconds, and floating-point times occur only within one kernel.

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
