//! Cores with fixed priorities and tasks of one segment each: one pass from the highest to the lowest priority.
//!
//! A task of one segment has the same jitter in every iteration. So its bound depends on no other bound, except that a task
//! without a bound leaves the tasks of equal priority without bounds. The pass solves the equations of
//! `docs/explanation/end-to-end.md` in time that grows with the number of releases, not with the square of the number of tasks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::arithmetic::{INFINITE, least};
use super::streams::State;
use super::work::Stream;

/// Whether [`ends`] applies to a core with fixed priorities. `tasks` are all tasks of the core.
pub(super) fn applies(state: &State, tasks: &[usize]) -> bool {
    let simple = |&task: &usize| {
        let owner = &state.tasks[task];
        !owner.pipelined && matches!(owner.parts[..], [part] if part.cost > 0)
    };
    !state.enforced && state.memory.is_none() && tasks.iter().all(simple)
}

/// Returns the bounds on the ends of `tasks`: all tasks of a core for which [`applies`] is true.
///
/// The window of each task starts from the largest value so far, plus its own cost. *Proof.* Let w be the least window of task i, and v
/// the least window of a task k of higher priority. Work that delays k delays i, too. A window w > 0 also contains a job of k. So
/// w − c_i is at least the value of k's equation in w − c_i, hence at least v. Each value of k's iteration is at most v. ∎
pub(super) fn ends(state: &State, tasks: &[usize]) -> Vec<u64> {
    let mut order: Vec<(u32, usize)> = { tasks.iter().enumerate() }
        .map(|(position, &task)| (state.tasks[task].priority, position))
        .collect();
    order.sort_unstable();
    let streams = order
        .iter()
        .map(|&(_, position)| Stream::of(state, (tasks[position], 0)));
    let streams: Vec<Stream> = streams.collect();
    let mut ends = vec![INFINITE; tasks.len()];
    let mut urgent = Urgent::of(&streams);
    let mut largest = 0u64;
    let mut first = 0;
    for level in order.chunk_by(|one, other| one.0 == other.0) {
        let (start, after) = (largest, first + level.len());
        let mut bounded = true;
        for (own, &(_, position)) in (first..after).zip(level) {
            let stream = &streams[own];
            let mut reached = start.saturating_add(stream.cost);
            let window = least(reached, stream.period, |window| {
                let work = match level.len() {
                    1 => urgent.work(window),
                    _ => {
                        let others = streams[..own].iter().chain(&streams[own + 1..after]);
                        let works = others.map(|other| other.arriving(window));
                        works.fold(0, u64::saturating_add)
                    }
                };
                reached = work.saturating_add(stream.cost);
                reached
            });
            largest = largest.max(reached);
            ends[position] = window.saturating_add(stream.jitter);
            bounded &= ends[position] <= stream.period;
        }
        if !bounded && level.len() > 1 {
            // Late jobs of equal priority queue before each segment.
            level.iter().for_each(|&(_, position)| ends[position] = INFINITE);
        }
        urgent.add(first..after, largest);
        first = after;
    }
    ends
}

/// The work of the streams of higher priority in the last window.
struct Urgent<'a> {
    streams: &'a [Stream],
    /// For each stream of higher priority: the longest window with the counted jobs, and the position of the stream.
    changes: BinaryHeap<Reverse<(u64, usize)>>,
    /// Number of jobs of each stream in the window.
    jobs: Vec<u64>,
    /// The sum of the work of these jobs.
    work: u64,
}

impl Urgent<'_> {
    /// Returns the work of no stream.
    fn of(streams: &[Stream]) -> Urgent<'_> {
        Urgent {
            streams,
            changes: BinaryHeap::with_capacity(streams.len()),
            jobs: vec![0; streams.len()],
            work: 0,
        }
    }

    /// Adds the streams at `positions`. `window` is positive, and at most the next window.
    fn add(&mut self, positions: Range<usize>, window: u64) {
        for position in positions {
            let last = self.count(position, window);
            self.changes.push(Reverse((last, position)));
        }
    }

    /// Counts the jobs of a stream in `window`. Returns the longest window with these jobs.
    fn count(&mut self, position: usize, window: u64) -> u64 {
        let (stream, counted) = (&self.streams[position], &mut self.jobs[position]);
        let jobs = stream.jobs(window);
        let more = jobs.saturating_sub(*counted);
        *counted = jobs;
        self.work = self.work.saturating_add(more.saturating_mul(stream.cost));
        stream.longest(jobs).max(window)
    }

    /// Returns Σ n(w)·c of all added streams. `window` is positive, and at least the window of each earlier call.
    fn work(&mut self, window: u64) -> u64 {
        while let Some(&Reverse((last, position))) = self.changes.peek()
            && last < window
        {
            let last = self.count(position, window);
            if let Some(mut change) = self.changes.peek_mut() {
                *change = Reverse((last, position));
            }
        }
        self.work
    }
}
