//! Windows under fixed priorities: (5) to (11) of `docs/explanation/pipelines.md`.

use std::cmp::Ordering;

use gpusched_model::end_to_end::Resource;

use super::super::arithmetic::{INFINITE, least};
use super::super::queues::Preemption;
use super::super::streams::State;
use super::super::time_slices::Turns;
use super::super::work::{Stream, Work, utilization};
use super::JOBS;

/// A window over the segments `first` to `last` of a pipelined task.
struct Window<'a> {
    /// Jitter and minimum distance of `first`, the period of the task, and the WCET of all segments of the window.
    own: Stream,
    /// B: longest blocker.
    blocker: u64,
    /// H: the other work.
    others: Vec<Work>,
    turns: Turns<'a>,
    /// Largest value of R − A that is a bound.
    limit: u64,
    /// Longest busy window: a longer one contains more than [`JOBS`] own jobs.
    busy: u64,
}

/// (9) and (11) Bound on the end of a segment on a resource with fixed priorities.
pub(super) fn end(state: &State, (task, segment): (usize, usize), preemption: Preemption) -> u64 {
    let owner = &state.tasks[task];
    let mut best = INFINITE;
    for first in (0..=segment).rev() {
        if first < segment && !owner.parts[first].joint {
            break;
        }
        let eligible = state.eligible(task, first);
        if eligible != INFINITE {
            let window = Window::of(state, task, (first, segment), preemption);
            best = best.min(eligible.saturating_add(window.longest(preemption)));
        }
        if !owner.parts[segment].joint || owner.slots.iter().any(Option::is_some) {
            break;
        }
    }
    best
}

impl<'a> Window<'a> {
    fn of(
        state: &'a State,
        task: usize,
        (first, last): (usize, usize),
        preemption: Preemption,
    ) -> Window<'a> {
        let owner = &state.tasks[task];
        let mut resources: Vec<Resource> = Vec::new();
        for part in &owner.parts[first..=last] {
            if !resources.contains(&part.on) {
                resources.push(part.on);
            }
        }
        let mut others = Vec::new();
        let mut blocker = 0;
        let block = |task: usize, segment: usize| match preemption {
            Preemption::Immediate => 0,
            Preemption::Blocks => state.blocking(state.part(task, segment).block),
            Preemption::Never => state.blocking(state.part(task, segment).cost),
        };
        // γ: longest block of the kernels that may be preempted.
        let mut longer = 0;
        let mut preempted = |task: usize, segment: usize| {
            let part = state.part(task, segment);
            if preemption == Preemption::Blocks && part.block < part.cost {
                longer = part.block.max(longer);
            }
        };
        for &resource in &resources {
            let level = |owner: &super::super::streams::Owner| match resource.is_core() {
                true => owner.priority,
                false => owner.gpu_priority,
            };
            let mut later = Vec::new();
            for (other, found) in state.tasks.iter().enumerate() {
                let here = found.parts.iter().enumerate();
                let here = here.filter(|(_, part)| part.on == resource);
                let here = here.map(|(segment, _)| segment);
                if other == task {
                    for segment in here.filter(|segment| !(first..=last).contains(segment)) {
                        if segment > last && counts(state, task, first, segment) {
                            later.push(Stream::of(state, (task, segment)));
                            preempted(task, segment);
                        } else {
                            blocker = block(task, segment).max(blocker);
                        }
                    }
                    continue;
                }
                match level(found).cmp(&level(owner)) {
                    Ordering::Greater => {
                        blocker = here.map(|segment| block(other, segment)).fold(blocker, u64::max)
                    }
                    order => {
                        let mut empty = true;
                        for segment in here {
                            empty = false;
                            preempted(other, segment);
                        }
                        if !empty {
                            others.push(Work::of(state, other, resource, order == Ordering::Less));
                        }
                    }
                }
            }
            if !later.is_empty() {
                others.push(Work::streams(later));
            }
        }
        preempted(task, last);
        let longer = if others.is_empty() { 0 } else { longer };
        let costs = owner.parts[first..=last].iter().map(|part| part.cost);
        let mut own = Stream::of(state, (task, first));
        own.cost = costs.fold(0, u64::saturating_add);
        Window {
            own,
            blocker,
            others: others.into_iter().map(|work| work.longer(longer)).collect(),
            turns: Turns::of(state, owner.parts[last].on, false),
            limit: owner.limit,
            busy: owner.period.saturating_mul(JOBS),
        }
    }

    /// (9) or (10) Returns the maximum of w_q − q·T.
    fn longest(mut self, preemption: Preemption) -> u64 {
        let rates = self.others.iter().flat_map(|work| &work.streams);
        let rates = rates
            .chain([&self.own])
            .map(|stream| (stream.cost, stream.period));
        let rates = utilization(rates);
        let longest = match rates {
            Some((Ordering::Greater, _)) => return INFINITE,
            Some((Ordering::Equal, _)) => INFINITE, // the window may never end
            _ => self.until_idle(preemption, None),
        };
        match rates {
            Some((_, multiple)) if longest == INFINITE && self.turns.is_none() => {
                let streams = self.others.iter_mut().flat_map(|work| &mut work.streams);
                streams.for_each(|stream| stream.distance = 0);
                let jobs = multiple / u128::from(self.own.period);
                self.until_idle(preemption, u64::try_from(jobs).ok())
            }
            _ => longest,
        }
    }

    /// Returns the maximum of w_q − q·T over the first `count` jobs, or over all jobs until the window ends.
    fn until_idle(&self, preemption: Preemption, count: Option<u64>) -> u64 {
        let period = self.own.period;
        let (mut worst, mut end, mut start, mut busy) = (0u64, 0, 0, 0);
        for job in 0..count.unwrap_or(INFINITE).min(JOBS + 1) {
            if job == JOBS {
                return INFINITE;
            }
            let since = job.saturating_mul(period);
            let limit = self.limit.saturating_add(since);
            let before = self.blocker.saturating_add(job.saturating_mul(self.own.cost));
            let base = before.saturating_add(self.own.cost);
            let until = |from: u64, limit: u64| {
                least(base.max(from), limit, |window| {
                    self.turns.served(self.demand(base, window), window)
                })
            };
            if preemption == Preemption::Never {
                let demand = |start: u64| self.demand(before, start.saturating_add(1));
                start = least(before.max(start), limit, |start| {
                    self.turns.started(demand(start), start)
                });
                if start == INFINITE {
                    return INFINITE;
                }
                let work = demand(start).saturating_add(self.own.cost);
                end = least(start.max(work), limit, |window| self.turns.served(work, window));
                if count.is_none() {
                    busy = until(busy, self.busy);
                }
            } else {
                end = until(end, limit);
                busy = end;
            }
            if end == INFINITE || busy == INFINITE {
                return INFINITE;
            }
            worst = worst.max(end.saturating_sub(since));
            let next = job + 1;
            let apart = next.saturating_mul(period).saturating_sub(self.own.jitter);
            let apart = apart.max(next.saturating_mul(self.own.distance));
            if count.is_none() && busy <= apart {
                return worst;
            }
        }
        worst
    }

    /// Returns `base` and the other work in a window.
    fn demand(&self, base: u64, window: u64) -> u64 {
        let mut total = base;
        for work in &self.others {
            total = total.saturating_add(work.within(window));
            if total == INFINITE {
                break;
            }
        }
        total
    }
}

/// (5) Whether an older job of `task` may be pending at the segment `later` while a job is at `segment` or after it.
fn counts(state: &State, task: usize, segment: usize, later: usize) -> bool {
    let owner = &state.tasks[task];
    let left = owner.period.saturating_add(owner.parts[segment].earliest);
    state.bounds[task][later..].iter().all(|bound| bound.end > left)
}
