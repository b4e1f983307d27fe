//! Simulation of a GPU at the level of thread blocks, with the scheduling hierarchy of [Sanudo20]
//! §III.
//!
//! The levels, from top to bottom, are:
//! 1. Application scheduler (`turns`): applications use the SMs in turn, each for one timeslice.
//! 2. Streams (`commands`): commands of one stream execute one after another. Commands of the
//!    default stream wait for all earlier commands.
//! 3. Kernel queue (`launches`): the queue serves kernels of equal priority in the order of their arrival. If some
//!    blocks of a kernel do not fit, later kernels that use the same SMs wait. Later kernels also wait behind a kernel
//!    whose cache configuration differs from the configuration of the running kernels.
//! 4. Block scheduler (`placement`): chooses the SM of the next block.
//! 5. Rates of running blocks (`rates`): shared bandwidth, contention factors and memory accesses of CPU cores slow
//!    blocks down. The `budgets` limit these accesses.
//!
//! Copies of all applications wait in one separate queue ([Sanudo20] §V-A).
//!
//! At each instant, the simulation first processes all other events, and then starts blocks. Times are integers.
//! Progress is a fixed-point number with 32 fractional bits, and ends are rounded up to whole nanoseconds. Therefore
//! simulated runs are equal on all computers.

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
pub use observers::sharing::Sharing;
pub use placement::Placement;
pub use simulation::simulate;
pub use sm::Sm;
