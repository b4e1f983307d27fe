//! Jobs in SM partitions: one kernel at a time on each, released, preempted and completed on integer nanoseconds.
//!
//! A partition is a uniprocessor. Its tasks have plain numbers for their times ([`Task`]): the caller knows what company
//! they are in. [`Pattern`] says when jobs come, [`Discipline`] who runs, [`Simulation`] lets it happen, and an
//! [`Observer`](gpusched_model::Observer) sees each [`Event`]. No analysis is called, so that a simulation can contradict one.
//!
//! Rules:
//! * jobs of one task are released in the order of their arrival, and run in that order;
//! * what completes at an instant is gone when jobs are released at that instant, and all of these are there when it is
//!   decided who runs;
//! * ties between deadlines go to the lower position;
//! * with limited preemption a job makes way at the end of a thread block, and has to run one block more for it. All
//!   blocks of a job are equally long but the last, which may be shorter;
//! * late jobs run on, and all jobs that arrive before the end run to their completion.

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
