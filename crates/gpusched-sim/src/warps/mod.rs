//! Warps of one sub-core with abstract instruction latencies, as in the figures of [Singh21] ch. 4 and [Singh22] §IV.
//!
//! * [`policy`]: warp scheduling policies (LRR, GTO, oldest, RT-PAWS, QAWS).
//! * [`subcore`]: simulation of one sub-core under a policy.
//! * [`Chart`]: timeline of a run.

mod chart;
pub mod policy;
pub mod subcore;

pub use chart::Chart;
