//! Windows under fixed priorities, (5) to (11).
//!
//! A window starts at the last time without pending work of more urgent tasks, of the job and of older jobs. It covers the
//! segments `first` to `last` of a job. With one segment, its resource may have each rule. With several segments, all their
//! resources must be preemptive.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gpusched_model::end_to_end::{CorePolicy, PartitionPolicy, Resource};

use super::super::device::Rule;
use super::super::load::{Load, each, rate};
use super::super::service::{Lost, Service, Until};
use super::super::stream::Stream;
use super::super::table::{Table, cost};
use super::super::window::{blocking, least, total};
use super::{JOBS_LIMIT, Limits};
use crate::conditions::{Fraction, least_common_multiple};

/// A window over segments of one task.
struct Window<'a> {
    /// T of the own task.
    period: u128,
    /// Sum of the WCETs of the covered segments.
    own: u128,
    /// B: longest blocking.
    blocker: u128,
    /// γ: time by which a preemption makes a kernel longer.
    charge: u128,
    /// Strictly more urgent tasks.
    urgent: Vec<Load<'a>>,
    /// Other tasks of equal priority.
    equal: Vec<Load<'a>>,
    /// Later own segments that count.
    later: Vec<&'a Stream>,
    preemptive: bool,
    /// The service of a context.
    service: Service<'a>,
    limits: Limits,
}

/// Returns the least R that follows from one window over the segments `first` to `last` of `task`, or `None` if no bound
/// follows.
pub(super) fn end(rule: Rule, table: &Table<'_>, (task, first, last): (usize, usize, usize)) -> Option<u128> {
    if first < last && !is_preemptive(table, task, first, last) {
        return None;
    }
    let on = table.task(task).segments[first].on;
    let release = table
        .streams(on)
        .iter()
        .find(|stream| stream.task == task && stream.segment == first)?;
    let window = Window::new(rule, table, (task, first, last))?;
    let (eligible, jitter) = (table.eligible(task, first)?, release.jitter?);
    let rate = window.rate()?;
    let context = window.service.turns.is_some();
    let periodic = || match context {
        true => None,
        false => window.whole_period(table),
    };
    let longest = match rate.cmp(1) {
        Ordering::Greater => None,
        Ordering::Equal if !context => periodic(),
        _ => window.longest(jitter, release.distance).or_else(periodic),
    };
    let end = eligible.saturating_add(longest?);
    Some(end).filter(|&end| end <= window.limits.end)
}

/// Whether one window may cover several segments: the task has no buffers, and all resources of the segments `first` to
/// `last` are preemptive cores and partitions with fixed priorities.
fn is_preemptive(table: &Table<'_>, task: usize, first: usize, last: usize) -> bool {
    let (system, found) = (table.system, table.task(task));
    let preemptive = |on: Resource| match on {
        Resource::Core(core) => system.cores()[core].policy == CorePolicy::Fp,
        Resource::Engine(_) => false,
        Resource::Partition(partition) => {
            system.partitions()[partition].policy == PartitionPolicy::Fp && system.context(on).is_none()
        }
    };
    let mut covered = found.segments[first..=last].iter();
    (0..found.segments.len()).all(|segment| found.slots(segment).is_none())
        && covered.all(|segment| preemptive(segment.on))
}

impl<'a> Window<'a> {
    /// Returns the window, or `None` if no bound follows.
    fn new(
        rule: Rule,
        table: &'a Table<'_>,
        (task, first, last): (usize, usize, usize),
    ) -> Option<Window<'a>> {
        let found = table.task(task);
        let covered = &found.segments[first..=last];
        let resources: BTreeSet<Resource> = covered.iter().map(|segment| segment.on).collect();
        let priority = |on: Resource, task: usize| match on.is_core() {
            true => table.task(task).priority,
            false => table.task(task).gpu_priority,
        };
        // An older job has left a later segment before this job is eligible at the segment `first`.
        let ready = table.period(task).saturating_add(table.earliest(task, first));
        let empty = |segment: usize| {
            let mut after = segment..found.segments.len();
            after.any(|after| table.end(task, after).is_some_and(|end| end <= ready))
        };
        let (mut urgent, mut equal, mut later) = (Vec::new(), Vec::new(), Vec::new());
        let mut blockers = Vec::new();
        for &on in &resources {
            let level = priority(on, task);
            for load in Load::all(table, on) {
                if load.task == task {
                    for stream in load.streams {
                        match stream.segment > last && !empty(stream.segment) {
                            true => later.push(stream),
                            false if stream.segment < first || stream.segment > last => blockers.push(stream),
                            false => {}
                        }
                    }
                    continue;
                }
                match priority(on, load.task).cmp(&level) {
                    Ordering::Less => urgent.push(load),
                    Ordering::Equal => equal.push(load),
                    Ordering::Greater => blockers.extend(load.streams),
                }
            }
        }
        let blocker = match rule {
            Rule::Preemptive | Rule::Fifo => 0,
            Rule::NonPreemptive => blocking(blockers.iter().map(|stream| stream.cost), false),
            Rule::Limited => blocking(blockers.iter().map(|stream| stream.block), false),
        };
        let mut charge = 0;
        if rule == Rule::Limited && !(urgent.is_empty() && equal.is_empty() && later.is_empty()) {
            let others = urgent.iter().chain(&equal).flat_map(|load| load.streams);
            let others = others.chain(later.iter().copied());
            let on = covered.first()?.on;
            let own = table.streams(on).iter();
            let own = own.filter(|stream| stream.task == task && stream.segment == first);
            let blocks = others.chain(own).filter(|stream| stream.block < stream.cost);
            charge = blocks.map(|stream| stream.block).max().unwrap_or(0); // no kernel is preempted
            if charge > 0 && !equal.is_empty() {
                return None;
            }
        }
        Some(Window {
            period: table.period(task),
            own: covered.iter().map(cost).fold(0, u128::saturating_add),
            blocker,
            charge,
            urgent,
            equal,
            later,
            preemptive: rule != Rule::NonPreemptive,
            service: match first == last {
                true => table.service(covered.first()?.on, Lost::default()),
                false => Service::default(),
            },
            limits: Limits::new(table, task),
        })
    }

    /// Returns H(w), with or without minimum distances.
    fn others(&self, window: u128, spaced: bool) -> Option<u128> {
        let urgent = self
            .urgent
            .iter()
            .map(|load| load.since_idle(window, spaced, self.charge));
        let equal = self.equal.iter().map(|load| load.any(window));
        let later = self
            .later
            .iter()
            .map(|stream| each(stream, window, spaced, self.charge));
        total(urgent.chain(equal).chain(later))
    }

    /// Returns the sum of all rates; `None` if a task has no rate, because it has no bound.
    fn rate(&self) -> Option<Fraction> {
        let mut sum = Fraction::new(self.own, self.period);
        for load in &self.urgent {
            sum = sum.plus(load.rate(self.charge)?);
        }
        for load in &self.equal {
            sum = sum.plus(load.rate(0)?);
        }
        let later = self.later.iter().map(|stream| rate(stream, self.charge));
        Some(sum.plus(Fraction::sum(later)))
    }

    /// Returns b_q: the time until all work is done, with q = `before` own jobs before the job. `start` is at most this time.
    fn busy(&self, before: u128, start: u128, spaced: bool, limit: u128) -> Option<u128> {
        let own = (before + 1).saturating_mul(self.own).saturating_add(self.blocker);
        least(own.max(start), limit, |b| {
            let work = self.others(b, spaced)?.saturating_add(own);
            self.service.time(work, b, Until::End)
        })
    }

    /// Returns w_q under `np-fp`: the end of the segment after its latest start.
    fn started(&self, before: u128, spaced: bool, limit: u128) -> Option<u128> {
        let own = before.saturating_mul(self.own).saturating_add(self.blocker);
        let demand = |s: u128| Some(self.others(s.saturating_add(1), spaced)?.saturating_add(own));
        let start = least(own, limit, |s| self.service.time(demand(s)?, s, Until::Start))?;
        if self.service.turns.is_none() {
            return Some(start.saturating_add(self.own));
        }
        let all = demand(start)?.saturating_add(self.own);
        least(all.max(start), limit, |e| self.service.time(all, e, Until::End))
    }

    /// Returns max (w_q − q·T), up to the first q with which the window ends, (9).
    fn longest(&self, jitter: u128, distance: u128) -> Option<u128> {
        let (mut longest, mut busy) = (0, 0);
        for before in 0..JOBS_LIMIT {
            busy = self.busy(before, busy, true, self.limits.window)?;
            let end = match self.preemptive {
                true => busy,
                false => self.started(before, true, self.limits.window)?,
            };
            longest = end
                .saturating_sub(before.saturating_mul(self.period))
                .max(longest);
            let next = (before + 1).saturating_mul(self.period).saturating_sub(jitter);
            if busy <= next.max((before + 1).saturating_mul(distance)) {
                return Some(longest);
            }
        }
        None
    }

    /// Returns max (w_q − q·T) over the own jobs of one hyperperiod, (10).
    fn whole_period(&self, table: &Table<'_>) -> Option<u128> {
        let others = self.urgent.iter().chain(&self.equal).map(|load| load.task);
        let periods = others.map(|task| table.period(task)).chain([self.period]);
        let jobs = least_common_multiple(periods)? / self.period;
        if jobs > JOBS_LIMIT {
            return None;
        }
        let (mut longest, mut busy) = (0, 0);
        for before in 0..jobs {
            let earlier = before.saturating_mul(self.period);
            let limit = earlier.saturating_add(self.limits.end);
            let end = match self.preemptive {
                true => {
                    busy = self.busy(before, busy, false, limit)?;
                    busy
                }
                false => self.started(before, false, limit)?,
            };
            longest = end.saturating_sub(earlier).max(longest);
        }
        Some(longest)
    }
}
