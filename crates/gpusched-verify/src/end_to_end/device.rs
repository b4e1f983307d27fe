//! Segments on copy engines and partitions, under FIFO and fixed priorities: the time from the
//! release to the end of a segment.
//!
//! With enforced releases, the segments on a core are independent tasks. So the preemptive case also applies to these
//! cores.

use std::collections::BTreeMap;

use gpusched_model::end_to_end::Resource;

use super::load::Load;
use super::service::{Service, Until};
use super::stream::Stream;
use super::table::Table;
use super::window::{blocking, least, smaller, total};

/// Scheduling rule of a resource, except EDF.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Fifo,
    /// Fixed priorities without preemption.
    NonPreemptive,
    /// Fixed priorities with immediate preemption.
    Preemptive,
    /// Fixed priorities with preemption at the boundaries of thread blocks.
    Limited,
}

/// Returns the least valid S of the segment `own`, or `None` if the segment has no bound. `all` are the streams on the
/// resource.
pub(super) fn delay(rule: Rule, table: &Table<'_>, all: &[Stream], own: &Stream) -> Option<u128> {
    let rivals = Rivals::new(table, own);
    let delay = match rule {
        Rule::Fifo => fifo(table, all, own),
        _ if rivals.queue => None,
        Rule::NonPreemptive => rivals.non_preemptive(table),
        Rule::Preemptive => rivals.preemptive(table),
        // A preempted kernel may transfer its data again.
        Rule::Limited if table.shares_memory() => None,
        Rule::Limited => rivals.limited(),
    };
    delay.filter(|&delay| delay <= own.period)
}

/// Each other sequential task has at most one request at a time, because a task is one thread. The requests of a pipelined
/// task arrived less than L = R − φ before the release of the segment.
fn fifo(table: &Table<'_>, all: &[Stream], own: &Stream) -> Option<u128> {
    let mut longest: BTreeMap<usize, u128> = BTreeMap::new();
    let (pipelined, sequential): (Vec<&Stream>, Vec<&Stream>) = all
        .iter()
        .filter(|other| other.task != own.task)
        .partition(|other| other.pipelined);
    for other in sequential {
        let longest = longest.entry(other.task).or_default();
        *longest = other.cost.max(*longest);
    }
    let work = longest.into_values().fold(own.cost, u128::saturating_add);
    let work = work.saturating_add(total(pipelined.into_iter().map(Stream::pending))?);
    let resource = resource(table, own);
    let service = table.service(resource, table.lost_from_release(resource, own.task));
    let until = table.until_end(own);
    least(work, own.period, |w| service.time(work, w, until))
}

/// Returns the resource of `stream`.
fn resource(table: &Table<'_>, stream: &Stream) -> Resource {
    table.task(stream.task).segments[stream.segment].on
}

/// The segments on the resource of a segment, by priority.
struct Rivals<'a> {
    own: &'a Stream,
    /// Other tasks with the same priority or a higher priority, except the tasks in `beside`.
    higher: Vec<Load<'a>>,
    /// Pipelined tasks with the same priority. Several jobs may be pending before the segment.
    beside: Vec<Load<'a>>,
    /// Streams of tasks with lower priority.
    lower: Vec<&'a Stream>,
    /// Streams of the task of the segment: the segment and its other segments on the resource.
    mine: Vec<&'a Stream>,
    /// Whether a task with the same priority has no bound. Its jobs may queue while an earlier segment of the analyzed
    /// task executes. So every window may start with queued jobs.
    queue: bool,
}

impl<'a> Rivals<'a> {
    fn new(table: &'a Table<'_>, own: &'a Stream) -> Rivals<'a> {
        let on = resource(table, own);
        let priority = |task: usize| match on.is_core() {
            true => table.task(task).priority,
            false => table.task(task).gpu_priority,
        };
        let level = priority(own.task);
        let mut rivals = Rivals {
            own,
            higher: Vec::new(),
            beside: Vec::new(),
            lower: Vec::new(),
            mine: Vec::new(),
            queue: false,
        };
        for load in Load::all(table, on) {
            let equal = load.task != own.task && priority(load.task) == level;
            rivals.queue |=
                equal && !table.task(load.task).is_pipelined() && table.response(load.task).is_none();
            if load.task == own.task {
                rivals.mine.extend(load.streams);
            } else if priority(load.task) > level {
                rivals.lower.extend(load.streams);
            } else if equal && table.task(load.task).is_pipelined() {
                rivals.beside.push(load);
            } else {
                rivals.higher.push(load);
            }
        }
        rivals
    }

    /// Returns the higher-priority work in a half-open window of length `window` > 0. The window starts when no higher-priority
    /// work is pending. Each job preempts a kernel, which takes `charge` longer.
    fn work_from_idle(&self, window: u128, charge: u128) -> Option<u128> {
        let higher = self
            .higher
            .iter()
            .map(|load| load.since_idle(window, true, charge));
        total(higher.chain(self.beside.iter().map(|load| load.any(window))))
    }

    /// Returns the higher-priority work in a half-open window of length `window` > 0 that starts with the release of the segment.
    fn work_from_release(&self, window: u128) -> Option<u128> {
        let all = self.higher.iter().chain(&self.beside);
        total(all.map(|load| load.any(window)))
    }

    /// S = c + min(w1, w2). The window of w1 starts at the last time when no higher-priority work is pending. At this
    /// time, a segment of the same task may execute, for example the segment of the previous job. The window of w2
    /// starts with the release. Memory traffic also delays the segment itself. So each window gives an e = B + Σ
    /// work(w) + c + lost(e), and S is the smaller e.
    fn non_preemptive(&self, table: &Table<'_>) -> Option<u128> {
        let in_full = table.shares_memory();
        let costs = |streams: &[&Stream]| blocking(streams.iter().map(|stream| stream.cost), in_full);
        let lower = costs(&self.lower);
        let pushed = lower.max(costs(&self.mine));
        let (resource, task) = (resource(table, self.own), self.own.task);
        let from_idle = table.service(resource, table.lost_from_idle(resource, task));
        let w1 = self.start_and_end(pushed, &from_idle, |w| self.work_from_idle(w, 0));
        let from_release = table.service(resource, table.lost_from_release(resource, task));
        let w2 = self.start_and_end(lower, &from_release, |w| self.work_from_release(w));
        smaller(w1, w2)
    }

    /// Returns the least e = B + work(w) + c + lost(e), with the least w = B + work(w) + lost(w). w is the latest start
    /// of the segment, and e is its latest end. On a context of a time-sliced partition, the time until its turns is added in
    /// place of the lost time, and e is at least w.
    fn start_and_end(
        &self,
        blocking: u128,
        service: &Service<'_>,
        work: impl Fn(u128) -> Option<u128>,
    ) -> Option<u128> {
        let limit = self.own.period;
        // The window includes the instant of the start.
        let before = |w: u128| Some(work(w.saturating_add(1))?.saturating_add(blocking));
        let start = least(blocking, limit, |w| service.time(before(w)?, w, Until::Start))?;
        let all = before(start)?.saturating_add(self.own.cost);
        let first = if service.turns.is_some() {
            all.max(start)
        } else {
            all
        };
        least(first, limit, |e| service.time(all, e, Until::End))
    }

    /// Least w = c + Σ ⌈(w + J)/T⌉·c + lost(w), or with the time until own turns in place of lost(w). On a partition without higher-priority segments,
    /// the window starts with the release.
    fn preemptive(&self, table: &Table<'_>) -> Option<u128> {
        let cost = self.own.cost;
        let (resource, task) = (resource(table, self.own), self.own.task);
        let lost = match self.higher.is_empty() && !resource.is_core() {
            true => table.lost_from_release(resource, task),
            false => table.lost_from_idle(resource, task),
        };
        let (service, until) = (table.service(resource, lost), table.until_end(self.own));
        least(cost, self.own.period, |w| {
            let work = self.work_from_idle(w, 0)?;
            service.time(work.saturating_add(cost), w, until)
        })
    }

    /// Preemption at block boundaries. The first window is the window of [`Rivals::preemptive`], plus the blocking by
    /// one thread block. This thread block may belong to the same task. Each higher-priority job may preempt one
    /// kernel. The preemption makes this kernel up to one block longer (γ). The second window starts with the release.
    /// The second window counts no preemptions before the release, so it is valid only if preemptions add no time.
    fn limited(&self) -> Option<u128> {
        let (cost, limit) = (self.own.cost, self.own.period);
        let blocks = |streams: &[&Stream]| blocking(streams.iter().map(|stream| stream.block), false);
        let lower = blocks(&self.lower);
        let pushed = lower.max(blocks(&self.mine)).saturating_add(cost);
        let charge = self.charge();
        if charge > 0 && !self.beside.is_empty() {
            return None;
        }
        let w1 = least(pushed, limit, |w| {
            Some(self.work_from_idle(w, charge)?.saturating_add(pushed))
        });
        let start = lower.saturating_add(cost);
        let w2 = match charge {
            0 => least(start, limit, |w| {
                Some(self.work_from_release(w.saturating_add(1))?.saturating_add(start))
            }),
            _ => None,
        };
        smaller(w1, w2)
    }

    /// Returns γ: the longest block of the kernels whose preemption delays the segment. A kernel with only one block is
    /// never preempted.
    fn charge(&self) -> u128 {
        let more_urgent = self.higher.iter().chain(&self.beside);
        let preemptable = more_urgent.flat_map(|load| load.streams).chain([self.own]);
        let preemptable = preemptable.filter(|stream| stream.block < stream.cost);
        match self.higher.is_empty() && self.beside.is_empty() {
            true => 0,                                                          // no job preempts
            false => preemptable.map(|stream| stream.block).max().unwrap_or(0), // no kernel is preempted
        }
    }
}
