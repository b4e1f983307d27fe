//! A kernel beside best-effort cores whose memory budget is set anew in each regulation period ([Aghilinasab20] §V–VII).
//!
//! Thread blocks start in the order of their numbers, each on the first free one of M places. Best-effort cores spend their
//! budget as an [`AccessPattern`] says; meanwhile a block that takes e⁰ alone and e¹ beside full traffic progresses at e⁰/e¹.
//! At each period boundary a [`Governor`] decides from the elapsed time and the blocks that are not done.
//!
//! It is a check of Lemma 1 and decides no verdict, so times are floats: [`tolerance`] says how far to trust them.

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
