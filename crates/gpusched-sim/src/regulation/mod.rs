//! Simulation of a kernel and best-effort cores with a new memory bandwidth budget in each regulation period ([Aghilinasab20] §V–VII).
//!
//! Thread blocks start in the order of their numbers, each on the first free one of M places. An [`AccessPattern`] places the
//! memory time of the best-effort cores within a period. A block takes e⁰ in isolation and e¹ under full traffic, so it
//! progresses at e⁰/e¹ in memory time. At each period boundary, a [`Governor`] decides from the elapsed time and the incomplete blocks.
//!
//! The simulation checks Lemma 1 and decides no verdict. Therefore times are floats, and [`tolerance`] bounds their error.

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

/// Memory requests per nanosecond of memory time: 60,000 per millisecond ([Aghilinasab20] §VII-A).
pub const REQUESTS_PER_NS: f64 = 0.06;
