//! Simulation of one kernel and of best-effort cores under memory bandwidth regulation
//! ([Aghilinasab20] §V–VII).
//!
//! Thread blocks start in the order of their numbers. At most M blocks run at once, and the next block starts when a
//! running block ends. *Memory time* is the time during which best-effort cores access memory. An [`AccessPattern`]
//! determines when the memory time occurs within each regulation period. A block takes e⁰ in isolation and e¹ under
//! full memory traffic, so its rate of progress in memory time is e⁰/e¹. At the start of each period, a [`Governor`]
//! decides on the memory bandwidth budget of the cores. The governor uses the elapsed time and the numbers of
//! incomplete blocks.
//!
//! The simulation tests Lemma 1 of [Aghilinasab20]. Verdicts do not depend on the simulation, so
//! its times are floating-point numbers. [`tolerance`] bounds their rounding error.

mod bursts;
mod cores;
mod execution;
mod governor;
mod machine;
pub mod optimum;
mod pattern;
mod period;
mod replay;
pub mod sequence;
mod setting;
mod simulator;
mod summary;
mod throttle_fair;

pub use cores::MAX_CORES;
pub use execution::{BlockTimes, Blocks, Execution};
pub use governor::{Governor, Process};
pub use machine::Block;
pub use optimum::Optimum;
pub use pattern::AccessPattern;
pub use period::{Period, Run, tolerance};
pub use replay::Replay;
pub use setting::{Demand, Offset, Setting};
pub use simulator::Simulator;
pub use summary::{Estimate, Finish, OptimumSummary, OptimumTally, PolicySummary, Recorded, Summary, Tally};
pub use throttle_fair::{CoreTasks, Received};

/// Memory requests per nanosecond of memory time of best-effort cores: 60,000 per millisecond ([Aghilinasab20] §VII-A).
pub const REQUESTS_PER_NS: f64 = 0.06;
