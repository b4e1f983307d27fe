//! Cores with fixed priorities and tasks of one segment each: one pass from the highest to the lowest priority.
//!
//! A task of one segment has the same jitter in every iteration. So its bound depends on no other bound, except that a task
//! without a bound leaves the tasks of equal priority without bounds. The pass solves the equations of
//! `docs/explanation/end-to-end.md` in time that grows with the number of releases, not with the square of the number of tasks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    let priority = |position: usize| state.tasks[tasks[position]].priority;
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&position| priority(position));
    let mut ends = vec![INFINITE; tasks.len()];
    let mut urgent = Urgent::default();
    let mut largest = 0u64;
    for level in order.chunk_by(|&one, &other| priority(one) == priority(other)) {
        let same = level
            .iter()
            .map(|&position| Stream::of(state, (tasks[position], 0)));
        let same: Vec<Stream> = same.collect();
        let start = largest;
        let mut bounded = true;
        for (index, (&position, own)) in level.iter().zip(&same).enumerate() {
            let mut reached = start.saturating_add(own.cost);
            let window = least(reached, own.period, |window| {
                let work = match level.len() {
                    1 => urgent.work(window),
                    _ => {
                        let others = same.iter().enumerate().filter(|&(other, _)| other != index);
                        let others = others.map(|(_, other)| other.arriving(window));
                        let urgent = urgent.streams.iter().map(|other| other.arriving(window));
                        urgent.chain(others).fold(0, u64::saturating_add)
                    }
                };
                reached = work.saturating_add(own.cost);
                reached
            });
            largest = largest.max(reached);
            ends[position] = window.saturating_add(own.jitter);
            bounded &= ends[position] <= own.period;
        }
        if !bounded && level.len() > 1 {
            // Late jobs of equal priority queue before each segment.
            level.iter().for_each(|&position| ends[position] = INFINITE);
        }
        same.into_iter().for_each(|stream| urgent.add(stream));
    }
    ends
}

/// The streams of higher priority, and their work in the last window.
#[derive(Default)]
struct Urgent {
    streams: Vec<Stream>,
    /// Number of jobs of each stream in the window.
    jobs: Vec<u64>,
    /// The sum of the work of all streams in the window.
    work: u64,
    /// The longest window with these jobs, for each stream.
    changes: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Urgent {
    fn add(&mut self, stream: Stream) {
        self.changes.push(Reverse((0, self.streams.len())));
        self.streams.push(stream);
        self.jobs.push(0);
    }

    /// Returns Σ n(w)·c of all streams. `window` is positive, and at least the window of each earlier call.
    fn work(&mut self, window: u64) -> u64 {
        while let Some(mut change) = self.changes.peek_mut() {
            let Reverse((last, index)) = *change;
            if last >= window {
                break;
            }
            let stream = &self.streams[index];
            let jobs = stream.jobs(window);
            let more = jobs.saturating_sub(self.jobs[index]);
            self.work = self.work.saturating_add(more.saturating_mul(stream.cost));
            self.jobs[index] = jobs;
            *change = Reverse((stream.longest(jobs).max(window), index));
        }
        self.work
    }
}
