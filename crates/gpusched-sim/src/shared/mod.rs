//! Simulation of partitions that share one memory. Jobs slow down if the demand for bandwidth exceeds the capacity.
//!
//! A partition executes one job at a time. A job is a sequence of [`Stage`]s. A stage has an execution time in isolation
//! and a bandwidth demand. If the total demand exceeds the memory capacity, [`Division`] divides the capacity among the
//! jobs. A job with demand d and share s progresses at rate s/d. The simulator uses no code of the analysis, so a
//! simulation can contradict the analysis.
//!
//! All quantities are integers. Times are in nanoseconds, and the remaining work of a stage is in nano-bytes. A stage that
//! would end between two whole nanoseconds ends at the earlier one. Such a run is legal, because the job has only slightly
//! less work (less than 1 ns). The job does not exceed its WCET or its memory traffic. Therefore **every deadline miss in a
//! simulation occurs in a legal run**.

mod client;
mod division;
mod simulation;

pub use client::{Client, Stage, Task};
pub use division::Division;
pub use simulation::{Miss, Outcome, simulate};
