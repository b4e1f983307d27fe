//! Reference implementation of the equations of `docs/explanation/pipelines.md`, and wrong variants of these equations. The
//! numbers in parentheses are the numbers of the equations. Contexts and earliest deadline first have other references.

use std::cmp::Ordering;

use gpusched::model::end_to_end::{
    Bounds, CorePolicy, EnginePolicy, PartitionPolicy, Resource, System, Task,
};

use super::super::equations::{self, ns, smaller, spaced, whole_job};

/// A change that makes the equations wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// No change: the equations of the page.
    Nothing,
    /// Only the first own job of a window.
    FirstActivation,
    /// Each segment has the release jitter of the task.
    FirstJitter,
    /// Later own segments do not interfere.
    LaterOwn,
    /// A pipelined task has at most one request in a queue.
    OneRequest,
    /// The window until the start of a kernel does not include the instant of the start.
    StartInstant,
    /// At utilization 1, minimum distances count, and the number of own jobs is limited.
    Distances,
    /// In a queue, the work grows only with the periods and the jitters.
    DistanceSteps,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Rule {
    Fifo,
    Preemptive,
    Blocks,
    NonPreemptive,
}

/// A segment with the values of the table; `None` means that there is no bound.
#[derive(Copy, Clone)]
struct Part {
    task: usize,
    segment: usize,
    period: u128,
    cost: u128,
    block: u128,
    /// φ
    earliest: u128,
    /// A
    eligible: Option<u128>,
    /// R
    end: Option<u128>,
    /// δ
    distance: u128,
}

/// The equations of one system, for the values of the table `bounds`.
pub struct Reference<'a> {
    pub system: &'a System,
    pub bounds: &'a Bounds,
    pub wrong: Wrong,
}

/// No window of a test system is longer.
const FAR: u128 = 1_000_000;

/// Returns the least t ≥ `start` with t = `next`(t).
fn least(start: u128, next: impl Fn(u128) -> Option<u128>) -> Option<u128> {
    equations::least(start, FAR, next)
}

fn multiple(periods: impl Iterator<Item = u128>) -> u128 {
    periods.fold(1, |multiple, period| {
        let (mut a, mut b) = (multiple, period);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        multiple / a * period
    })
}

impl Reference<'_> {
    fn task(&self, task: usize) -> &Task {
        &self.system.tasks()[task]
    }

    fn part(&self, task: usize, segment: usize) -> Part {
        let found = self.task(task);
        // A stage of a pipelined task does not wait for later stages.
        let bounded = found.is_pipelined() || self.bounds.response_time(task).is_some();
        let end = |segment| self.bounds.end(task, segment).filter(|_| bounded).map(ns);
        let slots = found.slots(segment);
        let before = match segment {
            0 if bounded || found.segments.len() == 1 || (found.is_pipelined() && slots.is_none()) => {
                Some(ns(found.jitter))
            }
            0 => None,
            _ => end(segment - 1),
        };
        // (1)
        let eligible = match slots {
            None => before,
            Some(slots) => before.zip(end(segment + 1)).map(|(before, after)| {
                before.max(after.saturating_sub(u128::from(slots) * ns(found.period)))
            }),
        };
        Part {
            task,
            segment,
            period: ns(found.period),
            cost: ns(found.segments[segment].wcet),
            block: ns(found.segments[segment].block),
            earliest: ns(found.earliest(segment)),
            eligible,
            end: end(segment),
            distance: match segment.checked_sub(1) {
                Some(before) if found.is_pipelined() && found.slots(segment).is_none() => {
                    ns(found.segments[before].bcet)
                }
                _ if found.is_pipelined() => 0,
                _ => whole_job(found),
            },
        }
    }

    fn on(&self, resource: Resource) -> Vec<Part> {
        let parts = self.system.on(resource);
        parts.map(|(task, segment)| self.part(task, segment)).collect()
    }

    fn jitter(&self, part: &Part) -> Option<u128> {
        match self.wrong {
            Wrong::FirstJitter => Some(ns(self.task(part.task).jitter)),
            _ => Some(part.eligible? - part.earliest),
        }
    }

    /// (2)
    fn arriving(&self, part: &Part, window: u128, distances: bool) -> Option<u128> {
        let jobs = self
            .jitter(part)
            .map(|jitter| (window + jitter).div_ceil(part.period));
        spaced(jobs, window, if distances { part.distance } else { 0 })
    }

    /// The smaller one of n(w)·c and E(w).
    fn each(&self, part: &Part, window: u128, distances: bool) -> Option<u128> {
        let arriving = self.arriving(part, window, distances);
        let arriving = arriving.map(|jobs| jobs * part.cost);
        smaller(arriving, self.any(&[*part], window))
    }

    /// (4) any(w)
    fn any(&self, parts: &[Part], window: u128) -> Option<u128> {
        let executed = |lag: Option<u128>, cost: u128, period: u128| {
            Some((window + lag? - cost).div_ceil(period) * cost)
        };
        let each = parts.iter().map(|part| {
            let lag = part.end.map(|end| end - part.earliest);
            executed(lag, part.cost, part.period)
        });
        let each = each.sum::<Option<u128>>();
        let all: u128 = parts.iter().map(|part| part.cost).sum();
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        match all <= first.period {
            true => smaller(
                each,
                executed(last.end.map(|end| end - first.earliest), all, first.period),
            ),
            false => each,
        }
    }

    /// (4) Load of another task on one resource. `idle_before` means in(w).
    fn load(&self, parts: &[Part], window: u128, idle_before: bool, distances: bool) -> Option<u128> {
        let task = self.task(parts[0].task);
        let on = task.segments[parts[0].segment].on;
        let (any, arriving) = if task.spins() && on.is_core() {
            let response = ns(self.bounds.response_time(parts[0].task)?);
            let cost = self.with_waiting(parts[0].task)?;
            let jobs = |early: u128| Some((window + early).div_ceil(ns(task.period)));
            let distance = if distances { whole_job(task) } else { 0 };
            let arriving = spaced(jobs(ns(task.jitter)), window, distance);
            let work = |jobs: Option<u128>| jobs.map(|jobs| jobs * cost);
            (work(jobs(response.saturating_sub(cost))), work(arriving))
        } else {
            let arriving = parts.iter().map(|part| self.each(part, window, distances));
            (self.any(parts, window), arriving.sum())
        };
        match idle_before {
            true => smaller(any, arriving),
            false => any,
        }
    }

    /// E_j
    fn with_waiting(&self, task: usize) -> Option<u128> {
        let segments = self.task(task).segments.iter().enumerate();
        let parts = segments.map(|(segment, found)| match found.on.is_core() {
            true => Some(ns(found.wcet)),
            false => self.bounds.delay(task, segment).map(ns),
        });
        smaller(parts.sum(), self.bounds.response_time(task).map(ns))
    }

    fn rule(&self, resource: Resource) -> Option<Rule> {
        if self.system.context(resource).is_some() {
            return None;
        }
        match resource {
            Resource::Core(index) => {
                (self.system.cores()[index].policy == CorePolicy::Fp).then_some(Rule::Preemptive)
            }
            Resource::Engine(index) => Some(match self.system.engines()[index].policy {
                EnginePolicy::Fifo => Rule::Fifo,
                EnginePolicy::NpFp => Rule::NonPreemptive,
            }),
            Resource::Partition(index) => match self.system.partitions()[index].policy {
                PartitionPolicy::NpFifo => Some(Rule::Fifo),
                PartitionPolicy::NpFp => Some(Rule::NonPreemptive),
                PartitionPolicy::Fp => Some(Rule::Preemptive),
                PartitionPolicy::LpFp => Some(Rule::Blocks),
                _ => None,
            },
        }
    }

    /// Returns the right-hand side of the equation of R for a segment of a pipelined task. The outer `None` means that another
    /// reference has the equation.
    pub fn end(&self, task: usize, segment: usize) -> Option<Option<u128>> {
        let on = |segment: usize| self.task(task).segments[segment].on;
        let rule = self.rule(on(segment))?;
        if rule == Rule::Fifo {
            let own = self.part(task, segment);
            let best = smaller(self.requests(&own), self.busy(&own));
            return Some(best.and_then(|time| Some(own.eligible? + time)));
        }
        let mut best = self.window(task, (segment, segment), rule);
        let buffers = self.task(task).buffers.iter().any(Option::is_some);
        for first in (0..segment).rev() {
            // (11)
            let mut used = first..=segment;
            if buffers || !used.all(|segment| self.rule(on(segment)) == Some(Rule::Preemptive)) {
                break;
            }
            best = smaller(best, self.window(task, (first, segment), rule));
        }
        Some(best)
    }

    /// Returns the right-hand side of the equation of S for a segment of a sequential task under first in, first out, beside
    /// pipelined tasks. The outer `None` means that another reference has the equation.
    pub fn delay(&self, task: usize, segment: usize) -> Option<Option<u128>> {
        let on = self.task(task).segments[segment].on;
        let beside = self.on(on).iter().any(|part| self.task(part.task).is_pipelined());
        if self.task(task).is_pipelined() || self.rule(on)? != Rule::Fifo || !beside {
            return None;
        }
        let own = self.part(task, segment);
        let best = smaller(self.requests(&own), self.busy(&own));
        Some(best.filter(|&time| time <= own.period))
    }

    /// (5) to (11)
    fn window(&self, task: usize, (first, last): (usize, usize), rule: Rule) -> Option<u128> {
        let own = self.part(task, first);
        let eligible = own.eligible?;
        let cost: u128 = (first..=last).map(|segment| self.part(task, segment).cost).sum();
        let own_last = self.part(task, last);
        // Work that counts in each window: the segments of a task on a resource, and whether the task is not pending before.
        let mut others: Vec<(Vec<Part>, bool)> = Vec::new();
        let mut blocker = 0;
        let mut resources: Vec<Resource> = Vec::new();
        for segment in first..=last {
            let on = self.task(task).segments[segment].on;
            if !resources.contains(&on) {
                resources.push(on);
            }
        }
        for &resource in &resources {
            let level = |task: usize| match resource.is_core() {
                true => self.task(task).priority,
                false => self.task(task).gpu_priority,
            };
            for other in 0..self.system.tasks().len() {
                let here = self.on(resource).into_iter().filter(|part| part.task == other);
                let (here, mut less): (Vec<Part>, Vec<Part>) = match level(other).cmp(&level(task)) {
                    Ordering::Greater => (Vec::new(), here.collect()),
                    Ordering::Equal if other == task => here
                        .filter(|part| !(first..=last).contains(&part.segment))
                        .partition(|part| part.segment > last && self.counts(&own, part)),
                    _ => (here.collect(), Vec::new()),
                };
                if other == task && self.wrong == Wrong::LaterOwn {
                    less.clear();
                } else if other == task {
                    others.extend(here.into_iter().map(|part| (vec![part], true)));
                } else if !here.is_empty() {
                    others.push((here, level(other) < level(task)));
                }
                let block = |part: &Part| match rule {
                    Rule::NonPreemptive => part.cost - 1,
                    Rule::Blocks => part.block - 1,
                    _ => 0,
                };
                blocker = less.iter().map(block).chain([blocker]).max()?;
            }
        }
        // (8)
        let several = others.iter().flat_map(|(parts, _)| parts).chain([&own_last]);
        let several = several.filter(|part| rule == Rule::Blocks && part.block < part.cost);
        let longer = several.map(|part| part.block).max().unwrap_or(0);
        let longer = if others.is_empty() { 0 } else { longer };
        let mut rates = vec![(Some(cost), own.period)];
        for (parts, _) in &others {
            let spins = self.task(parts[0].task).spins() && resources[0].is_core();
            match spins {
                true => rates.push((self.with_waiting(parts[0].task), parts[0].period)),
                false => rates.extend(parts.iter().map(|part| (Some(part.cost + longer), part.period))),
            }
        }
        let all = multiple(rates.iter().map(|&(_, period)| period));
        let work = rates.iter().map(|&(cost, period)| Some(cost? * (all / period)));
        let work: Option<u128> = work.sum();
        let work = work.filter(|&work| work <= all)?;
        let (full, distances) = (work == all, work < all || self.wrong == Wrong::Distances);
        let demand = |base: u128, window: u128| {
            let mut total = base;
            for (parts, idle_before) in &others {
                total += if longer > 0 {
                    let jobs = parts
                        .iter()
                        .map(|part| Some(self.arriving(part, window, distances)? * (part.cost + longer)));
                    jobs.sum::<Option<u128>>().filter(|_| *idle_before)?
                } else if parts[0].task == task {
                    self.each(&parts[0], window, distances)?
                } else {
                    self.load(parts, window, *idle_before, distances)?
                };
            }
            Some(total)
        };
        let mut longest = 0;
        for job in 0u128.. {
            if (full && job == all / own.period) || job == 10_000 {
                if !full {
                    return None;
                }
                break;
            }
            let base = blocker + (job + 1) * cost;
            let busy = || least(base, |window| demand(base, window));
            let end = match rule {
                Rule::NonPreemptive => {
                    let instant = u128::from(self.wrong != Wrong::StartInstant);
                    least(base - cost, |start| demand(base - cost, start + instant))? + cost
                }
                _ => busy()?,
            };
            longest = longest.max(end.saturating_sub(job * own.period));
            if self.wrong == Wrong::FirstActivation {
                break;
            }
            let next = job + 1;
            let apart = (next * own.period).saturating_sub(eligible - own.earliest);
            if !full && busy()? <= apart.max(next * own.distance) {
                break;
            }
        }
        Some(eligible + longest)
    }

    /// (5)
    fn counts(&self, own: &Part, later: &Part) -> bool {
        let last = self.task(own.task).segments.len();
        (later.segment..last).all(|segment| {
            let end = self.part(own.task, segment).end;
            end.is_none_or(|end| end > own.period + own.earliest)
        })
    }

    /// (12)
    fn requests(&self, own: &Part) -> Option<u128> {
        let here = self.on(self.task(own.task).segments[own.segment].on);
        let mut total = own.cost;
        for task in 0..self.system.tasks().len() {
            let parts = here.iter().filter(|part| part.task == task);
            if task == own.task && !self.task(task).is_pipelined() {
                continue; // one thread
            }
            if !self.task(task).is_pipelined() || (self.wrong == Wrong::OneRequest && task != own.task) {
                total += parts.map(|part| part.cost).max().unwrap_or(0);
                continue;
            }
            for part in parts {
                let outstanding = (part.end? - part.earliest).div_ceil(part.period);
                let jobs = if task != own.task {
                    outstanding
                } else if self.wrong == Wrong::OneRequest {
                    0
                } else if part.segment >= own.segment {
                    let since = part.end?.saturating_sub(own.earliest);
                    since.div_ceil(own.period).saturating_sub(1)
                } else {
                    (own.eligible? - part.earliest) / own.period
                };
                total += jobs.min(outstanding) * part.cost;
            }
        }
        Some(total)
    }

    /// (13)
    fn busy(&self, own: &Part) -> Option<u128> {
        let here = self.on(self.task(own.task).segments[own.segment].on);
        let all = multiple(here.iter().map(|part| part.period));
        let work: u128 = here.iter().map(|part| part.cost * (all / part.period)).sum();
        if work > all {
            return None;
        }
        let distances = work < all;
        let arriving = |part: &Part, window: u128| Some(self.arriving(part, window, distances)? * part.cost);
        let busy = least(1, |window| here.iter().map(|part| arriving(part, window)).sum());
        let length = match work == all {
            true => smaller(busy, Some(all)),
            false => busy,
        };
        let others = || {
            here.iter()
                .filter(|part| (part.task, part.segment) != (own.task, own.segment))
        };
        let mut longest = 0;
        for time in 0..length? {
            let grows = |part: &Part| Some((time + self.jitter(part)?).is_multiple_of(part.period));
            if self.wrong == Wrong::DistanceSteps
                && time > 0
                && !here.iter().any(|part| grows(part) == Some(true))
            {
                continue;
            }
            let work: Option<u128> = others().map(|part| arriving(part, time + 1)).sum();
            let own = match self.task(own.task).is_pipelined() {
                true => (time / own.period + 1) * own.cost,
                false => arriving(own, time + 1)?,
            };
            longest = longest.max((work? + own).saturating_sub(time));
            if self.wrong == Wrong::FirstActivation {
                break;
            }
        }
        Some(longest)
    }
}
