//! Pipelined tasks: each segment is a thread with a queue of jobs. `docs/explanation/pipelines.md` has the equations and their
//! proofs.
//!
//! * `windows`: fixed priorities;
//! * `requests`: first in, first out.

mod requests;
mod windows;

use gpusched_model::end_to_end::{Bounds, Stage, System, Task};
use gpusched_model::time::Time;

pub(super) use requests::busy_window;

use super::queues::Preemption;
use super::streams::State;
use super::work;

/// A window with more jobs gives no bound: own jobs under fixed priorities, and all jobs under first in, first out.
const JOBS: u64 = 10_000;

/// Returns R: bound on the time from the arrival of a job to the end of a segment of a pipelined task. `preemption` is `None`
/// under first in, first out. `here` has all segments on the resource.
pub(super) fn end(
    state: &State,
    own: (usize, usize),
    here: &[(usize, usize)],
    preemption: Option<Preemption>,
) -> u64 {
    match preemption {
        Some(preemption) => windows::end(state, own, preemption),
        None => requests::end(state, own, here),
    }
}

/// (15) Returns the maximum number of jobs of a pipelined task that have arrived and not ended; `None` for a sequential task.
pub(super) fn jobs_in_flight(task: &Task, bound: Time) -> Option<u64> {
    task.is_pipelined().then(|| bound.ns().div_ceil(task.period.ns()))
}

/// (15) Returns the bounds on the stages of a pipelined task; an empty list for a sequential task.
pub(super) fn stages(system: &System, bounds: &Bounds, index: usize) -> Vec<Stage> {
    let Some(task) = system.tasks().get(index).filter(|task| task.is_pipelined()) else {
        return Vec::new();
    };
    let stages = task.segments.iter().enumerate().map(|(position, segment)| {
        let here: Vec<(u64, u64)> = system
            .on(segment.on)
            .filter_map(|(task, segment)| {
                let task = system.tasks().get(task)?;
                Some((task.segments.get(segment)?.wcet.ns(), task.period.ns()))
            })
            .collect();
        let end = bounds.end(index, position);
        Stage {
            jobs_max: end.map(|end| {
                let lag = end.ns().saturating_sub(task.earliest(position).ns());
                lag.div_ceil(task.period.ns())
            }),
            load_permille: work::load(here.into_iter()),
        }
    });
    stages.collect()
}
