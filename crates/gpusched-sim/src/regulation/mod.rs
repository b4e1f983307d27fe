//! Simulation of one kernel and of best-effort cores, whose memory bandwidth budget may change in each regulation period
//! ([Aghilinasab20] §V–VII).
//!
//! Thread blocks start in the order of their numbers. Each block starts on the first free place; there are M places. An
//! [`AccessPattern`] determines when best-effort cores access memory within a period. A block takes e⁰ in isolation and e¹
//! under full traffic, so its rate of progress in memory time is e⁰/e¹. At the start of each period, a [`Governor`] decides
//! on the budget. The governor uses the elapsed time and the numbers of incomplete blocks.
//!
//! The simulation checks Lemma 1, but no verdict depends on it. Therefore times are floating-point numbers, and
//! [`tolerance`] bounds their rounding error.

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
