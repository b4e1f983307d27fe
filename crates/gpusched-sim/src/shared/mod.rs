//! Simulation of partitions that share one memory. Jobs slow down if their total bandwidth demand
//! exceeds the memory bandwidth.
//!
//! A partition executes one job at a time. A job is a sequence of [`Stage`]s. A stage has an
//! execution time in isolation and a bandwidth demand. If the total demand exceeds the memory
//! bandwidth, [`Division`] divides the bandwidth among the jobs. A job with demand d and share s
//! progresses at rate s/d. The simulator shares no code with the analysis, so a simulation is an
//! independent check of the analysis.
//!
//! All quantities are integers. Times are in nanoseconds, and the remaining work of a stage is in nano-bytes. A stage
//! that would end between two whole nanoseconds ends at the earlier nanosecond. Rounding shortens a stage by less than
//! 1 ns, so no job takes longer than its WCET or has more than its memory traffic. Therefore **every simulated deadline
//! miss occurs in a run that the task model permits**.

mod client;
mod division;
mod simulation;

pub use client::{Client, Stage, Task};
pub use division::Division;
pub use simulation::{Miss, Outcome, simulate};
