//! Simulation of the jobs in an SM partition. A partition executes one kernel at a time. All times are integer nanoseconds.
//!
//! A partition is a uniprocessor. The times of a [`Task`] are plain numbers. The caller computes these times for the
//! co-located tasks. [`Pattern`] determines the releases, [`Discipline`] determines the running job, and [`Simulation`]
//! executes the jobs. An [`Observer`](gpusched_model::Observer) receives each [`Event`]. The simulator uses no code of the
//! analysis, so a simulation can contradict the analysis.
//!
//! The simulator uses these rules:
//! * Jobs of one task are released in the order of their arrivals, and are executed in this order.
//! * If several events occur at one instant, jobs complete first, and then jobs are released. Last, the running job is
//!   chosen.
//! * If two deadlines are equal, the task at the lower position has priority.
//! * Under limited preemption, a job is preempted only at the end of a thread block. Each preemption costs the job one
//!   additional block. All blocks of a job have equal length, but the last block may be shorter.
//! * A job that misses its deadline continues. All jobs that arrive before the end of the simulation are completed.

mod discipline;
mod event;
mod horizon;
mod lane;
mod observers;
mod pattern;
mod ready;
mod simulation;
mod task;
mod tournament;

pub use discipline::{Discipline, Order, priorities};
pub use event::{Event, Job};
pub use horizon::{MAX_JOBS, hyperperiod, jobs_before};
pub use observers::chart::Chart;
pub use observers::occupancy::Occupancy;
pub use observers::tally::{Tally, TaskTally};
pub use pattern::{Arrivals, Jitter, Offsets, Pattern};
pub use simulation::Simulation;
pub use task::{Release, Task};
