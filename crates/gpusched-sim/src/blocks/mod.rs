//! Simulation of a GPU at the level of thread blocks. It executes the scheduling hierarchy of [Sanudo20] §III (MODELS §7).
//!
//! From top to bottom:
//! 1. Application scheduler (`turns`): applications use the SMs in turn, each for one timeslice.
//! 2. Streams (`commands`): commands of one stream run one after the other. The default stream waits for all commands.
//! 3. Kernel queue (`launches`): first come, first served within a priority. The first kernel whose blocks do not all fit
//!    blocks the later kernels that need its SMs. So do kernels with another cache configuration.
//! 4. Block scheduler (`placement`): chooses the SM of the next block.
//! 5. Rates of running blocks (`rates`): shared bandwidth, factors, and CPU cores within their `budgets` slow blocks down.
//!
//! Copies of all applications wait in one separate queue ([Sanudo20] §V-A).
//!
//! At one instant, all other events come before the starts of blocks. Times are integers, and progress has 32 binary fraction
//! digits. Ends are rounded up to whole nanoseconds. Therefore runs are equal on all machines.

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
