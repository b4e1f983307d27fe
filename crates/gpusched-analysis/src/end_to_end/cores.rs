//! Bounds on the ends of segments on CPU cores with fixed priorities.

use super::arithmetic::{INFINITE, least, released};
use super::memory::Omitted;
use super::pipelines::Work;
use super::streams::State;

/// Work of one task in a window. At the start of the window, no task with a higher priority is ready.
pub(super) enum Load {
    /// A busy-waiting task: the stream of its jobs, and the same stream with the jitter of jobs that carry work into the
    /// window. The execution time includes the waiting time.
    Busy { jobs: (u64, u64, u64), carried: u64 },
    /// Any other task: the streams of its segments on the core, and the stream of whole jobs that carry work into the
    /// window.
    Segments {
        streams: Vec<(u64, u64, u64)>,
        jobs: (u64, u64, u64),
    },
    /// A pipelined task.
    Pipelined(Work),
    /// A task of equal priority without a bound.
    Unbounded,
}

impl Load {
    pub fn of(state: &State, task: usize) -> Load {
        let owner = &state.tasks[task];
        if owner.spins {
            let cost = state.active(task);
            let (jitter, carried) = match state.response(task) {
                INFINITE => (INFINITE, INFINITE), // late jobs queue behind each other
                response => (owner.jitter, response.saturating_sub(cost)),
            };
            return Load::Busy {
                jobs: (jitter, owner.period, cost),
                carried,
            };
        }
        let parts: Vec<usize> = (0..owner.parts.len())
            .filter(|&part| owner.parts[part].on.is_core())
            .collect();
        let streams = parts.iter().map(|&part| state.stream(task, part)).collect();
        Load::Segments {
            streams,
            jobs: state.whole(task, &parts),
        }
    }

    /// Work of the task in a window, if the task is not ready at the start of the window.
    pub fn in_window(&self, window: u64) -> u64 {
        match self {
            Load::Unbounded => INFINITE,
            Load::Busy { jobs, .. } if jobs.2 == INFINITE => INFINITE,
            Load::Pipelined(work) => work.within(window),
            Load::Busy { jobs, .. } => released(window, *jobs),
            Load::Segments { streams, jobs } => {
                let streams = streams.iter().map(|&stream| released(window, stream));
                streams.fold(0, u64::saturating_add).min(released(window, *jobs))
            }
        }
    }

    /// Work of the task in any window, even if the task is ready at the start of the window.
    pub fn carried(&self, window: u64) -> u64 {
        match self {
            Load::Unbounded => INFINITE,
            Load::Busy { jobs, .. } if jobs.2 == INFINITE => INFINITE,
            Load::Pipelined(work) => work.any(window),
            Load::Busy { jobs, carried } => released(window, (*carried, jobs.1, jobs.2)),
            Load::Segments { jobs, .. } => released(window, *jobs),
        }
    }
}

/// Loads of all tasks that are at least as urgent as `task` on its core.
pub(super) fn loads(state: &State, task: usize, here: &[usize]) -> Vec<Load> {
    let own = state.tasks[task].priority;
    let more = here
        .iter()
        .filter(|&&other| other != task && state.tasks[other].priority <= own);
    let core = state.tasks[task]
        .on_core
        .map(|(first, _)| state.part(task, first).on);
    let load = |&other: &usize| {
        let equal = state.tasks[other].priority == own;
        match core {
            // Several jobs of a pipelined task of equal priority may be pending at the start of each window.
            Some(core) if state.tasks[other].pipelined => {
                Load::Pipelined(Work::of(state, other, core, !equal))
            }
            _ if state.queues(other, equal) => Load::Unbounded,
            _ => Load::of(state, other),
        }
    };
    more.map(load).collect()
}

/// Bound on the end of a segment under fixed priorities: the minimum of two bounds. The first bound uses a joint window
/// over all segments up to this segment. The second bound uses a local window over this segment alone.
///
/// `alone` states whether the task is the only task with a segment on the core.
pub(super) fn end(state: &State, (task, segment): (usize, usize), loads: &[Load], alone: bool) -> u64 {
    let owner = &state.tasks[task];
    let limit = owner.period;
    let on = owner.parts[segment].on;
    let in_window = |base: u64, omitted: Omitted, carried: bool| {
        let lost = state.lost(on, omitted);
        least(base, limit, |window| {
            let mut work = base.saturating_add(lost.within(window));
            for load in loads {
                work = work.saturating_add(match carried {
                    true => load.carried(window),
                    false => load.in_window(window),
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
