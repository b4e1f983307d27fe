//! Parts of the reference implementations of the equations.

use gpusched::Time;
use gpusched::model::end_to_end::{Idle, Resource, System, Task, TimeSlices};

pub fn ns(time: Time) -> u128 {
    time.ns().into()
}

pub fn smaller(left: Option<u128>, right: Option<u128>) -> Option<u128> {
    left.into_iter().chain(right).min()
}

/// Returns the least t ≥ `start` with t = `next`(t); `None` above `limit`.
pub fn least(start: u128, limit: u128, next: impl Fn(u128) -> Option<u128>) -> Option<u128> {
    let mut time = start;
    loop {
        let after = next(time)?;
        if after > limit {
            return None;
        }
        if after <= time {
            return Some(time);
        }
        time = after;
    }
}

/// Returns the smaller one of two numbers of jobs in a window, if δ is known.
pub fn spaced(jobs: Option<u128>, window: u128, distance: u128) -> Option<u128> {
    smaller(jobs, (distance > 0).then(|| window.div_ceil(distance)))
}

/// δ of a sequential task.
pub fn whole_job(task: &Task) -> u128 {
    task.segments.iter().map(|segment| ns(segment.bcet)).sum()
}

/// Whether at most one context of `gpu` has kernels, and only contexts with kernels have turns.
pub fn is_alone(system: &System, gpu: &TimeSlices) -> bool {
    let used = gpu.contexts.iter().filter(|context| {
        let on = Resource::Partition(context.partition);
        system.on(on).count() > 0
    });
    used.count() <= 1 && gpu.idle == Idle::Skip
}
