//! Simulation of partitions that share one memory: jobs slow down when bandwidth is short.
//!
//! A partition runs one job at a time. A job is a sequence of [`Stage`]s. A stage has an execution time in isolation and a
//! bandwidth demand. If the total demand exceeds the memory capacity, [`Division`] divides the capacity among the jobs. A job
//! with demand d and share s progresses at speed s/d. The simulator calls no analysis, so a simulation can contradict an analysis.
//!
//! All quantities are integers: times are nanoseconds, and the remaining work of a stage is counted in nano-bytes. A stage
//! that would end between two nanoseconds ends at the earlier one, as if the job had less than 1 ns less work. The job stays
//! within its WCET and its memory traffic, so **every deadline miss found here occurs in a legal run**.

mod client;
mod division;
mod simulation;

pub use client::{Client, Stage, Task};
pub use division::Division;
pub use simulation::{Miss, Outcome, simulate};
