//! Bounds on the ends of segments on CPU cores, with fixed priorities or under earliest deadline first.

use gpusched_model::end_to_end::Resource;

use crate::interference::bandwidth::Delay;

use super::arithmetic::{INFINITE, least, released};
use super::deadlines::{Deadlines, Stream};
use super::memory::Omitted;
use super::streams::State;
use super::time_slices::Turns;
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

/// Returns the bounds on the ends of the segments `here`: all segments of the core `core` under earliest deadline first. In the first
/// analysis, each sequential task has a stream of whole jobs. In the second one, only tasks that busy-wait have it. The smaller bound
/// applies. `lost` returns the time that the core loses.
pub(super) fn by_deadline(
    state: &State,
    core: Resource,
    here: &[(usize, usize)],
    lost: &dyn Fn() -> Delay,
) -> Vec<u64> {
    let turns = || Turns::of(state, core, false);
    let jobs = CoreStreams::new(state, here, |task| !state.tasks[task].pipelined);
    let segments = CoreStreams::new(state, here, |task| state.tasks[task].spins);
    let mut ends = jobs.ends(state, here, turns(), lost());
    if segments.streams != jobs.streams {
        let others = segments.ends(state, here, turns(), lost());
        ends.iter_mut()
            .zip(others)
            .for_each(|(end, other)| *end = other.min(*end));
    }
    ends
}

/// Segments on a core under earliest deadline first, as streams.
struct CoreStreams {
    /// Task of each stream, and its segment; without a segment, the stream has whole jobs.
    of: Vec<(usize, Option<usize>)>,
    streams: Vec<Stream>,
}

impl CoreStreams {
    /// Returns the streams of a core. The tasks for which `whole` is true have one stream of whole jobs: the delays of their other
    /// segments count as execution on the core. All other tasks have one stream for each segment.
    fn new(state: &State, here: &[(usize, usize)], whole: impl Fn(usize) -> bool) -> CoreStreams {
        let mut of: Vec<(usize, Option<usize>)> = here
            .iter()
            .map(|&(task, segment)| (task, (!whole(task)).then_some(segment)))
            .collect();
        of.dedup();
        let stream = |&(task, segment): &(usize, Option<usize>)| {
            let owner = &state.tasks[task];
            let earliest = segment.map_or(0, |segment| owner.parts[segment].earliest);
            Stream {
                period: owner.period,
                deadline: i128::from(owner.deadline) - i128::from(earliest),
                jitter: segment.map_or(owner.jitter, |segment| state.jitter(task, segment)),
                cost: match segment {
                    Some(segment) => owner.parts[segment].cost,
                    None => state.active(task),
                },
                block: 0,
                task: Some(task),
                pipelined: owner.pipelined,
            }
        };
        let streams = of.iter().map(stream).collect();
        CoreStreams { of, streams }
    }

    /// Returns the bounds on the ends of the segments `here`: all segments of the core. The core loses the time `lost`.
    fn ends(&self, state: &State, here: &[(usize, usize)], turns: Turns<'_>, lost: Delay) -> Vec<u64> {
        let analysis = Deadlines::new(&self.streams, lost, turns);
        let ends = here.iter().map(|&(task, segment)| {
            let Some(analysis) = &analysis else {
                return INFINITE;
            };
            let own = |segment| self.of.iter().position(|&stream| stream == (task, segment));
            let (known, limit) = (state.bound(task, segment).end, state.tasks[task].limit);
            match (own(Some(segment)), own(None)) {
                (Some(own), _) => {
                    let part = state.part(task, segment);
                    let known = known.saturating_sub(part.earliest);
                    let end = analysis.response(own, part.cost, (known, limit));
                    end.saturating_add(part.earliest)
                }
                (None, Some(own)) => analysis.response(own, state.prefix(task, segment), (known, limit)),
                (None, None) => INFINITE, // every segment has a stream
            }
        });
        ends.collect()
    }
}
