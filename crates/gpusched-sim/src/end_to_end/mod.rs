//! Simulation of end-to-end systems: tasks whose jobs use CPU cores, copy engines and GPU partitions in turn. All times
//! are integer nanoseconds.
//!
//! A [`Source`] supplies the jobs: [`Drawn`] draws them from a [`Pattern`], and [`Script`] lists them. A [`Simulator`]
//! executes the jobs and sends each [`Event`] to an [`Observer`](gpusched_model::Observer). [`Observed`] stores maximum
//! response times, [`ChainTimes`] measures the times of chains, and [`Chart`] draws a timeline. The simulator shares no
//! code with the analysis, so a simulation is an independent check of the analysis.
//!
//! The simulator uses these rules:
//! * A sequential task is one thread. A job starts after the previous job of the task is done.
//! * Each segment of a pipelined task is one thread with a first-in, first-out queue of jobs. A segment is released at the end of
//!   its predecessor, or when a slot for its output becomes free, whichever is later. A slot becomes free at the end of the
//!   next segment. Releases of a segment are in the order of the jobs.
//! * A segment is released at the end of its predecessor. With enforced releases, the segment also waits for its timer.
//! * A resource executes the job with the lowest key. The key is the priority, the absolute deadline or the release
//!   time. A waiting job preempts the running job only if its key is strictly lower. If keys are equal, the job with
//!   the earlier release is first. If the releases are also equal, the job of the task at the lower position is first.
//! * For a pipelined task, the arrival of the job counts instead of the release, except under first in, first out. So the oldest
//!   job of the task is first. It preempts a younger job of the task, although their priorities are equal.
//! * With enforced releases, the absolute deadline of a segment is the time of the next timer.
//! * At each instant, the simulator first ends segments, then releases segments, and then chooses the running jobs. If
//!   a segment has length 0, the simulator repeats these three steps at the same instant. Under every policy, a segment
//!   can be replaced at the instant of its start, so all releases of one instant compete.
//! * Under an `lp-` policy, a segment is preempted only if its executed time is a multiple of its block length.
//!   Preemption is free.
//! * A busy-waiting task occupies its core at its priority from the release of a job to the end of the job. Copies and
//!   kernels of the task proceed while the task is preempted. A CPU segment proceeds only while the task has the core.
//! * A context of a time-sliced partition executes only in its turns. [`Turns`] has the behavior that the model leaves open.
//!   Between two kernels of a task, a segment of length 0 on another resource leaves the context idle.
//! * A job that misses its deadline continues.
//! * With [`Channels`], all resources share one memory. A segment that waits for a channel keeps its resource. All tasks must be
//!   sequential.
//! * With a [`Regulation`], accesses of best-effort cores delay the segments. Each execution time is then a time without accesses.
//!   With a [`Slack`], the budgets of the segments grow with their slack.

mod channels;
mod event;
mod extent;
mod isolated;
mod observers;
mod pattern;
mod plan;
mod regulation;
mod run;
mod script;
mod simulator;
mod slack;
mod source;
mod thread;
mod time_slices;

pub use crate::engine::{Arrivals, Jitter, Offsets};
pub use channels::{Burst, Channels};
pub use event::{Event, Job, Part};
pub use extent::{Extent, FOREVER};
pub use isolated::isolated;
pub use observers::chains::{ChainTime, ChainTimes};
pub use observers::chart::Chart;
pub use observers::observed::{Observed, TaskObserved};
pub use pattern::Pattern;
pub use regulation::{Attack, Exposed, Regulation};
pub use script::{Playback, Script};
pub use simulator::Simulator;
pub use slack::{Carry, Nominal, Slack};
pub use source::{Arrival, Delay, Drawn, Execution, Source, TaskRun};
pub use time_slices::{Overruns, Turns};
