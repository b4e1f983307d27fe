//! Simulation of the jobs in an SM partition. A partition runs one kernel at a time. Times are integer nanoseconds.
//!
//! A partition is a uniprocessor. A [`Task`] has plain numbers as times, and the caller computes them for the co-located
//! tasks. [`Pattern`] determines the releases, [`Discipline`] determines the running job, and [`Simulation`] runs the jobs.
//! An [`Observer`](gpusched_model::Observer) sees each [`Event`]. The simulator calls no analysis, so a simulation can
//! contradict an analysis.
//!
//! Rules:
//! * Jobs of one task are released in order of arrival, and run in that order.
//! * At one instant, jobs complete first, then jobs are released, and then the running job is chosen.
//! * A tie between deadlines goes to the lower position.
//! * Under limited preemption, a job yields at the end of a thread block. Each preemption costs the job one more block. All
//!   blocks of a job have equal length, but the last block may be shorter.
//! * Late jobs continue, and all jobs that arrive before the end run to completion.

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
