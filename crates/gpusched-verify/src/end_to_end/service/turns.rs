//! The time that a context of a time-sliced partition waits for its turns.
//!
//! Suppose that the context has work during a whole window. The window contains n intervals between own turns. The run list limits the
//! turns of other contexts in n consecutive intervals. Without turns of idle contexts, the work of the other contexts also
//! limits these turns.

use std::collections::HashMap;

use gpusched_model::end_to_end::{Idle, PartitionPolicy, Resource, System, TimeSlices};

use super::super::stream::Stream;
use super::Until;
use super::occupation::{Occupation, Use};

/// A time-sliced partition.
#[derive(Debug)]
pub(in super::super) struct TimeSliced {
    idle: Idle,
    /// θ: time of a switch.
    switch: u128,
    contexts: Vec<Occupation>,
    /// Positions of the contexts, in the order of the turns.
    runlist: Vec<usize>,
    /// Whether at most one context has kernels, and only contexts with kernels have turns. No slice of such a context ends.
    alone: bool,
    /// For each context and each of its turns: the contexts that have turns before its next own turn.
    intervals: Vec<Vec<Vec<usize>>>,
}

impl TimeSliced {
    /// Creates the partition `gpu` of `system`, whose segments release jobs as `streams` states.
    pub fn new(gpu: &TimeSlices, system: &System, streams: &HashMap<Resource, Vec<Stream>>) -> TimeSliced {
        let contexts = gpu.contexts.iter().map(|context| {
            let resource = Resource::Partition(context.partition);
            let streams = streams.get(&resource).map_or(&[][..], Vec::as_slice); // no kernel uses the context
            let policy = system
                .partitions()
                .get(context.partition)
                .map(|found| found.policy);
            let preemptive = matches!(policy, Some(PartitionPolicy::Fp | PartitionPolicy::Edf));
            let from_idle = |stream: &Stream| starts_idle(gpu.idle, system, streams, stream);
            let times = (context.slice.ns().into(), context.overrun.ns().into());
            let one_by_one = serves_one_task(streams) && (streams.len() == 1 || !pipelined(streams));
            Occupation::new(times, preemptive && !one_by_one, streams, from_idle)
        });
        let turns = |context| intervals(&gpu.runlist, context);
        let used = gpu.contexts.iter().filter(|context| {
            let kernels = streams.get(&Resource::Partition(context.partition));
            kernels.is_some_and(|kernels| !kernels.is_empty())
        });
        TimeSliced {
            alone: gpu.idle == Idle::Skip && used.count() <= 1,
            idle: gpu.idle,
            switch: gpu.switch.ns().into(),
            contexts: contexts.collect(),
            runlist: gpu.runlist.clone(),
            intervals: (0..gpu.contexts.len()).map(turns).collect(),
        }
    }

    /// Returns the turns of the context at position `own`.
    pub fn turns(&self, own: usize) -> Turns<'_> {
        Turns { gpu: self, own }
    }

    /// Returns θ, the time of a switch.
    pub fn switch(&self) -> u128 {
        self.switch
    }

    /// Returns the longest time of a turn of `context`, with its switch and its overrun.
    pub fn longest_turn(&self, context: usize) -> u128 {
        let of = &self.contexts[context];
        self.switch.saturating_add(of.slice).saturating_add(of.overrun)
    }

    /// Returns the largest number of turns of `other` between two consecutive turns of `context`.
    pub fn gap(&self, context: usize, other: usize) -> u128 {
        let count = |interval: &Vec<usize>| interval.iter().filter(|&&turn| turn == other).count() as u128;
        self.intervals[context].iter().map(count).max().unwrap_or(0) // every context has a turn
    }

    /// Returns the number of turns of `context` that start in a window of length `window`, and its time there with overruns. The
    /// run list allows `most` turns. Returns `None` if the work of the context has no bound.
    pub fn used(&self, context: usize, window: u128, most: u128) -> Option<(u128, u128)> {
        let found = self.contexts[context].within(window)?;
        Some((found.turns(most), found.time(most)))
    }

    /// Returns F, the length of a round where each turn takes its whole slice.
    fn round(&self) -> u128 {
        let turns = self.runlist.iter().map(|&turn| self.contexts[turn].slice);
        turns.fold(0u128, |sum, slice| {
            sum.saturating_add(slice).saturating_add(self.switch)
        })
    }
}

/// Returns the contexts between each turn of `context` in `runlist` and its next turn.
fn intervals(runlist: &[usize], context: usize) -> Vec<Vec<usize>> {
    let first = runlist.iter().position(|&turn| turn == context);
    let (before, after) = runlist.split_at(first.unwrap_or(0)); // every context has a turn
    let round: Vec<usize> = after.iter().chain(before).copied().collect();
    let turns = round.split(|&turn| turn == context).skip(1); // the round starts with an own turn
    turns.map(<[usize]>::to_vec).collect()
}

/// Returns whether a kernel of a context belongs to a pipelined task.
fn pipelined(streams: &[Stream]) -> bool {
    streams.iter().any(|stream| stream.pipelined)
}

/// Returns whether all kernels of a context belong to one task.
fn serves_one_task(streams: &[Stream]) -> bool {
    streams
        .iter()
        .all(|stream| Some(stream.task) == streams.first().map(|first| first.task))
}

/// Returns whether a context with the kernels `streams` is idle just before each release of the kernel `stream`. Only contexts
/// with kernels have turns, the only task is sequential, and its previous segment is on another resource. Before the first
/// segment, the last segment of the previous job may be on the context if this job ends before the next arrival.
pub(in super::super) fn starts_idle(
    idle: Idle,
    system: &System,
    streams: &[Stream],
    stream: &Stream,
) -> bool {
    let segments = system
        .tasks()
        .get(stream.task)
        .map_or(&[][..], |task| &task.segments);
    let on = |segment: usize| segments.get(segment).map(|segment| segment.on);
    let leaves = match stream.segment.checked_sub(1) {
        Some(previous) => on(previous) != on(stream.segment),
        None => {
            let last = streams.iter().find(|found| found.segment + 1 == segments.len());
            last.is_none_or(|last| last.end.is_some_and(|end| end < last.period))
        }
    };
    idle == Idle::Skip && serves_one_task(streams) && !pipelined(streams) && leaves
}

/// The turns of one context.
#[derive(Copy, Clone, Debug)]
pub(in super::super) struct Turns<'a> {
    gpu: &'a TimeSliced,
    own: usize,
}

impl Turns<'_> {
    /// Returns the time for which the context waits with work in a window of length `window`. It executes `demand` in this window.
    /// Returns `None` if no bound follows.
    pub fn waiting(&self, demand: u128, window: u128, until: Until) -> Option<u128> {
        let own = &self.gpu.contexts[self.own];
        if self.gpu.idle == Idle::Fixed {
            let (round, least) = (self.gpu.round(), self.least_turn()?);
            let intervals = intervals_until(demand, least, until);
            return Some(intervals.saturating_mul(round.saturating_sub(least)));
        }
        let intervals = intervals_until(demand, own.slice, until);
        let overruns = match until {
            _ if self.gpu.alone => 0,
            Until::Start | Until::End => intervals,
            Until::EndFromIdle => intervals.saturating_sub(1),
        };
        let overruns = overruns.saturating_mul(own.overrun);
        // Until the start of a kernel, the instant of the start counts, too: a slice may end there, and another context may receive
        // a kernel at this instant.
        let window = match until {
            Until::Start => window.saturating_add(1),
            Until::End | Until::EndFromIdle => window,
        };
        let uses: Vec<Option<Use>> = match self.gpu.idle {
            Idle::Skip => self
                .gpu
                .contexts
                .iter()
                .map(|context| context.within(window))
                .collect(),
            Idle::Wait | Idle::Fixed => self.gpu.contexts.iter().map(|_| None).collect(),
        };
        let first = 0..self.gpu.intervals[self.own].len();
        let others =
            first.map(|first| self.of_others(&self.turns_of_others(first, intervals), intervals, &uses));
        Some(others.max().unwrap_or(0).saturating_add(overruns)) // every context has a turn
    }

    /// Returns u, the shortest time for which the context executes in an own turn, with fixed turns. Returns `None` if the
    /// context has several turns per round.
    fn least_turn(&self) -> Option<u128> {
        let runlist = &self.gpu.runlist;
        let mut own = (0..runlist.len()).filter(|&turn| runlist[turn] == self.own);
        let (Some(turn), None) = (own.next(), own.next()) else {
            return None;
        };
        let before = runlist[(turn + runlist.len() - 1) % runlist.len()];
        let least = self.gpu.contexts[self.own]
            .slice
            .checked_sub(self.gpu.contexts[before].overrun);
        least.filter(|&least| least > 0)
    }

    /// Returns the number of turns of each context in `count` consecutive intervals, from interval `first` on.
    fn turns_of_others(&self, first: usize, count: u128) -> Vec<u128> {
        let intervals = &self.gpu.intervals[self.own];
        let per_round = intervals.len() as u128;
        let (rounds, rest) = (count / per_round, count % per_round);
        let mut turns = vec![0u128; self.gpu.contexts.len()];
        let from_first = intervals.iter().cycle().skip(first).take(intervals.len());
        for (position, interval) in (0u128..).zip(from_first) {
            let times = rounds.saturating_add(u128::from(position < rest));
            for &context in interval {
                turns[context] = turns[context].saturating_add(times);
            }
        }
        turns
    }

    /// Returns the time of the `turns` of other contexts, with the switches back in `intervals` intervals. `uses` has the use
    /// of the GPU by each context, as far as it limits the turns.
    fn of_others(&self, turns: &[u128], intervals: u128, uses: &[Option<Use>]) -> u128 {
        let (mut time, mut started) = (0u128, 0u128);
        for (context, (&most, found)) in turns.iter().zip(uses).enumerate() {
            if context == self.own {
                continue;
            }
            let of = &self.gpu.contexts[context];
            let turn = self
                .gpu
                .switch
                .saturating_add(of.slice)
                .saturating_add(of.overrun);
            let whole = most.saturating_mul(turn);
            let (number, length) = match found {
                None => (most, whole),
                Some(found) => {
                    let number = found.turns(most);
                    let switches = number.saturating_mul(self.gpu.switch);
                    (number, whole.min(found.time(most).saturating_add(switches)))
                }
            };
            started = started.saturating_add(number);
            time = time.saturating_add(length);
        }
        let back = match self.gpu.idle {
            Idle::Skip => intervals.min(started.saturating_add(1)),
            Idle::Wait | Idle::Fixed => intervals,
        };
        time.saturating_add(back.saturating_mul(self.gpu.switch))
    }
}

/// Returns n, the number of intervals between own turns that each execute `slice`: ⌈x/q⌉, or ⌊x/q⌋ + 1 until the start
/// of a non-preemptive kernel.
fn intervals_until(demand: u128, slice: u128, until: Until) -> u128 {
    match until {
        Until::Start => (demand / slice).saturating_add(1),
        Until::End | Until::EndFromIdle => demand.div_ceil(slice),
    }
}
