//! Validation of the end-to-end analysis, by simulation with [`crate::end_to_end`].
//!
//! * [`draw`] generates random systems with all policies and waiting modes, and chains of their tasks.
//! * `traffic` lets the resources of a system share a memory.
//! * `turns` gives the GPU of a system time slices.
//! * `pipelines` makes tasks of a system pipelined.
//! * [`budgets`] gives segments memory bandwidth budgets, and regulates best-effort cores in the runs.
//! * [`campaign`] compares each bound with the longest time in several runs.

pub mod budgets;
pub mod campaign;
pub mod draw;
mod pipelines;
mod traffic;
mod turns;

pub use campaign::{Analyze, Campaign, Excess, Report, Sharing, Tally};
