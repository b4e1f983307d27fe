//! Simulation of several kernels on one GPU under one regulation of the best-effort cores. Kernels run one at a time, without
//! preemption.
//!
//! While no kernel runs, best-effort cores are not regulated. When a kernel starts, they get a fresh budget Q̄·T for the rest
//! of the regulation period. G(Q̄, 0) allows for this budget ([Aghilinasab20] Eqs 5 and 6 with sync = 0). From the next
//! period on, a [`Governor`](super::Governor) decides on each period, until the kernel ends.
//!
//! Starts and ends are whole nanoseconds: a kernel occupies the GPU up to the next nanosecond. Floats occur only within one kernel.

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
