//! Bounds on the ends of segments on CPU cores with fixed priorities.

use gpusched_model::end_to_end::Resource;

use super::arithmetic::{INFINITE, least, released};
use super::memory::Omitted;
use super::streams::State;
use super::work::Work;

/// Loads of all tasks that are at least as urgent as `task` on its core.
pub(super) fn loads(state: &State, task: usize, core: Resource, here: &[usize]) -> Vec<Work> {
    let own = state.tasks[task].priority;
    let more = here
        .iter()
        .filter(|&&other| other != task && state.tasks[other].priority <= own);
    let load = |&other: &usize| {
        let equal = state.tasks[other].priority == own;
        // Several jobs of a pipelined task of equal priority, or of a task without a bound, may be pending at the start of each
        // window.
        let pending = equal && state.tasks[other].pipelined || state.queues(other, equal);
        Work::of(state, other, core, !pending)
    };
    more.map(load).collect()
}

/// Bound on the end of a segment under fixed priorities: the minimum of two bounds. The first bound uses a joint window
/// over all segments up to this segment. The second bound uses a local window over this segment alone.
///
/// `alone` states whether the task is the only task with a segment on the core.
pub(super) fn end(state: &State, (task, segment): (usize, usize), loads: &[Work], alone: bool) -> u64 {
    let owner = &state.tasks[task];
    let limit = owner.period;
    let on = owner.parts[segment].on;
    let in_window = |base: u64, omitted: Omitted, carried: bool| {
        let lost = state.lost(on, omitted);
        least(base, limit, |window| {
            let mut work = base.saturating_add(lost.within(window));
            for load in loads {
                work = work.saturating_add(match carried {
                    true => load.any(window),
                    false => load.within(window),
                });
                if work > limit {
                    break;
                }
            }
            work
        })
    };
    let omitted = Omitted::only_if(alone, task);
    let joint = in_window(state.prefix(task, segment), omitted, false);
    let joint = joint.saturating_add(owner.jitter);
    match segment.checked_sub(1) {
        None => joint,
        Some(before) => {
            let cost = owner.parts[segment].cost;
            let mut local = in_window(cost, omitted, false);
            if state.memory.is_some() {
                // This window may start before the release of the segment, while a segment of the same task on
                // another resource delays more urgent work. A window that starts at the release of the segment
                // contains no traffic of the task, but it contains carried work.
                local = local.min(in_window(cost, Omitted::Task(task), true));
            }
            joint.min(local.saturating_add(state.bound(task, before).end))
        }
    }
}

/// Bound on the delay of a segment that a timer releases. All segments on the core are independent streams.
pub(super) fn enforced_delay(state: &State, (task, segment): (usize, usize), here: &[(usize, usize)]) -> u64 {
    let owner = &state.tasks[task];
    let more = here
        .iter()
        .filter(|&&(other, _)| other != task && state.tasks[other].priority <= owner.priority);
    let more: Vec<(usize, usize)> = more.copied().collect();
    if more
        .iter()
        .any(|&(other, _)| state.queues(other, state.tasks[other].priority == owner.priority))
    {
        return INFINITE;
    }
    let streams: Vec<(u64, u64, u64)> = more
        .iter()
        .map(|&(other, part)| state.stream(other, part))
        .collect();
    let cost = owner.parts[segment].cost;
    let alone = here.iter().all(|&(other, _)| other == task);
    let lost = state.lost(owner.parts[segment].on, Omitted::only_if(alone, task));
    least(cost, owner.period, |window| {
        let cost = cost.saturating_add(lost.within(window));
        streams.iter().fold(cost, |work, &stream| {
            work.saturating_add(released(window, stream))
        })
    })
}
