//! Simulation of the jobs in an SM partition. A partition executes one kernel at a time, also in time slices. All
//! times are integer nanoseconds.
//!
//! The simulator treats a partition as a uniprocessor. The times of a [`Task`] are fixed numbers.
//! The caller computes the WCETs, including the contention of co-located tasks. [`Pattern`]
//! determines the releases, [`Discipline`] determines the running job, and [`Simulation`]
//! executes the jobs. An [`Observer`](gpusched_model::Observer) receives each [`Event`]. The
//! simulator shares no code with the analysis, so a simulation is an independent check of the
//! analysis.
//!
//! The simulator uses these rules:
//! * Jobs of one task are released and executed in the order of their arrivals.
//! * At each instant, the simulator first completes jobs, then releases jobs, and then chooses
//!   the running job.
//! * Kernels that run together are simulated as time slices of random lengths, in a random order. `docs/explanation/concurrent.md`
//!   proves that no division of the SMs delays a job longer than time slices.
//! * If two deadlines (EDF) or two releases (FIFO) are equal, the task at the lower position has priority.
//! * Under limited preemption, a job is preempted only at the end of a thread block. Each
//!   preemption adds the length of one block to the execution time of the job. All blocks of a
//!   job have equal length, but the last block may be shorter.
//! * A job that misses its deadline continues. All jobs that arrive before the end of the
//!   simulation are completed.

mod discipline;
mod event;
mod horizon;
mod lane;
mod observers;
mod pattern;
mod ready;
mod simulation;
mod task;

pub use crate::engine::{Arrivals, Jitter, Offsets};
pub use discipline::{Discipline, Order, priorities};
pub use event::{Event, Job};
pub use horizon::{MAX_JOBS, hyperperiod, jobs_before};
pub use observers::chart::Chart;
pub use observers::occupancy::Occupancy;
pub use observers::tally::{Tally, TaskTally};
pub use pattern::Pattern;
pub use simulation::Simulation;
pub use task::{Release, Task};
