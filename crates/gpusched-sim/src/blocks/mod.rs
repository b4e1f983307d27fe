//! A GPU at the level of thread blocks: the scheduling hierarchy of [Sanudo20] §III, executed (MODELS §7).
//!
//! From the top:
//! 1. the application scheduler (`turns`): applications use the SMs in turn, each for a timeslice;
//! 2. streams (`commands`): commands of one stream run one after the other, the default stream waits for all;
//! 3. the queue of kernels (`launches`): first come, first served within a priority; the first kernel whose blocks do not all
//!    fit holds up those behind it that want its SMs, as do kernels with another cache configuration;
//! 4. the block scheduler (`placement`): which SM the next block goes to;
//! 5. what slows down running blocks (`rates`): shared bandwidth, factors, and CPU cores within their `budgets`.
//!
//! Copies wait in one queue of their own, whatever application they are of ([Sanudo20] §V-A).
//!
//! All that happens at one instant happens before any block starts at that instant. Times are integers, progress has 32
//! binary digits after the point, and an end is rounded up to a whole nanosecond: runs are the same everywhere.

mod budgets;
mod commands;
mod comparison;
mod durations;
mod event;
mod launches;
mod observers;
mod placement;
mod progress;
mod rates;
mod simulation;
mod sm;
mod turns;

pub use comparison::{Comparison, Difference, KernelComparison, Measured, Reason, Reasons};
pub use event::{Block, Event};
pub use observers::chart::Chart;
pub use observers::overview::{KernelOverview, Overview};
pub use observers::record::{BlockRecord, CopyRecord, KernelRecord, Record};
pub use placement::Placement;
pub use simulation::simulate;
pub use sm::Sm;
