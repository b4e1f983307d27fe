//! Delays under first in, first out: (12) and (13) of `docs/explanation/pipelines.md`.

use std::cmp::Ordering;

use super::super::arithmetic::{INFINITE, least};
use super::super::streams::State;
use super::super::time_slices::Turns;
use super::super::work::{Stream, utilization};
use super::JOBS;

/// Bound on the end of a segment: the smaller one of two bounds.
pub(super) fn end(state: &State, own: (usize, usize), here: &[(usize, usize)]) -> u64 {
    let eligible = state.eligible(own.0, own.1);
    if eligible == INFINITE {
        return INFINITE;
    }
    let turns = Turns::of(state, state.part(own.0, own.1).on, false);
    let limit = state.tasks[own.0].limit;
    let requests = requests(state, own, here);
    let requests = least(1, limit, |window| turns.served(requests, window));
    eligible.saturating_add(requests.min(busy_window(state, own, here)))
}

/// (12) The work of all requests that are outstanding when a segment becomes eligible.
fn requests(state: &State, (task, segment): (usize, usize), here: &[(usize, usize)]) -> u64 {
    let owner = &state.tasks[task];
    let part = state.part(task, segment);
    let mut total = part.cost;
    let mut longest: Option<(usize, u64)> = None;
    for &(other, position) in here {
        let found = state.part(other, position);
        if other != task && !state.tasks[other].pipelined {
            // Segments of one task follow each other in `here`.
            let before = longest.filter(|&(of, _)| of == other).map_or(0, |(_, cost)| cost);
            total = total.saturating_add(found.cost.saturating_sub(before));
            longest = Some((other, before.max(found.cost)));
            continue;
        }
        let outstanding = state.outstanding(other, position);
        let own = match position.cmp(&segment) {
            _ if other != task || outstanding == INFINITE => INFINITE,
            Ordering::Less => {
                let since = state.eligible(task, segment).saturating_sub(found.earliest);
                (since / owner.period).saturating_mul(found.cost)
            }
            _ => {
                let since = state.bound(task, position).end.saturating_sub(part.earliest);
                let older = since.div_ceil(owner.period).saturating_sub(1);
                older.saturating_mul(found.cost)
            }
        };
        total = total.saturating_add(own.min(outstanding));
    }
    total
}

/// (13) The longest time in a busy window until the end of a segment. For a pipelined task, the time starts at the latest moment when
/// the segment is eligible. For a sequential task, it starts at the release.
pub(in super::super) fn busy_window(state: &State, own: (usize, usize), here: &[(usize, usize)]) -> u64 {
    let turns = &Turns::of(state, state.part(own.0, own.1).on, false);
    let mut streams: Vec<Stream> = here.iter().map(|&segment| Stream::of(state, segment)).collect();
    let Some(position) = here.iter().position(|&segment| segment == own) else {
        return INFINITE; // `here` has the own segment
    };
    let limit = state.tasks[own.0].limit;
    // The jobs of a pipelined task count from the latest moment. A bound from the release counts all jobs as they are.
    let position = state.tasks[own.0].pipelined.then_some(position);
    let busy = |streams: &[Stream]| {
        let longest = state.tasks[own.0].period.saturating_mul(JOBS);
        least(1, longest, |window| {
            turns.served(arriving(streams, window), window)
        })
    };
    let rates = utilization(streams.iter().map(|stream| (stream.cost, stream.period)));
    let longest = match rates {
        Some((Ordering::Greater, _)) => return INFINITE,
        Some((Ordering::Equal, _)) if turns.is_none() => INFINITE, // the window may never end
        _ => until(&streams, position, busy(&streams), limit, turns),
    };
    match rates {
        Some((_, multiple)) if longest == INFINITE && turns.is_none() => {
            streams.iter_mut().for_each(|stream| stream.distance = 0);
            let multiple = u64::try_from(multiple).unwrap_or(INFINITE);
            until(&streams, position, multiple, limit, turns)
        }
        _ => longest,
    }
}

fn arriving(streams: &[Stream], window: u64) -> u64 {
    let work = streams.iter().map(|stream| stream.arriving(window));
    work.fold(0, u64::saturating_add)
}

/// Returns the longest time in a busy window of `streams` of the length `horizon`. `position` is the analyzed stream, if its jobs
/// count from the latest moment. A time above `limit` is no bound.
fn until(streams: &[Stream], position: Option<usize>, horizon: u64, limit: u64, turns: &Turns<'_>) -> u64 {
    let jobs = streams.iter().map(|stream| stream.jobs(horizon));
    if horizon == INFINITE || jobs.fold(0, u64::saturating_add) > JOBS {
        return INFINITE;
    }
    let mut streams = streams.to_vec();
    if let Some(own) = position.and_then(|position| streams.get_mut(position)) {
        (own.jitter, own.distance) = (0, 0);
    }
    let (mut after, mut worst) = (0u64, 0u64);
    while after < horizon {
        let work = arriving(&streams, after.saturating_add(1));
        let latest = after.saturating_add(limit);
        let end = least(work, latest, |window| turns.served(work, window));
        if end == INFINITE {
            return INFINITE;
        }
        worst = worst.max(end.saturating_sub(after));
        let steps = streams.iter().map(|stream| stream.next(after));
        after = steps.min().unwrap_or(INFINITE);
    }
    worst
}
