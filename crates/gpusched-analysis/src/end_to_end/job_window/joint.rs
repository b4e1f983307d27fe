//! Resources that a window covers, and the time for which they delay it: (6) to (9) of the page.

use std::ops::RangeInclusive;

use super::super::arithmetic::INFINITE;
use super::super::contexts::Gpu;
use super::super::streams::State;
use super::super::time_slices::occupied;
use super::super::work::Work;
use super::busy::Busy;
use super::station::{Rule, Station};
use super::turns::ClientTurns;

/// Work of another task on a resource.
struct Other {
    /// Whether the task is one of the busy-waiting tasks. Then it counts only in windows without a segment on the core.
    waits: bool,
    priority: u32,
    /// Longest segment; [`INFINITE`] for a pipelined task, because several of its segments may wait at the same time.
    longest: u64,
    work: Work,
}

/// A busy-waiting task with segments on a resource.
struct Waiting {
    /// Position among the busy-waiting tasks.
    busy: usize,
    priority: u32,
    /// Segments of a job on the resource.
    requests: u64,
    /// Longest time for which less urgent work blocks a request.
    block: u64,
    turns: Option<ClientTurns>,
}

/// A resource that may be joint.
pub(super) struct Joint {
    rule: Rule,
    /// Segments of the analyzed task on the resource.
    own: Vec<usize>,
    priority: u32,
    longest: u64,
    block: u64,
    turns: Option<ClientTurns>,
    waiting: Vec<Waiting>,
    others: Vec<Other>,
    /// Whether an earlier segment of the analyzed task may delay a busy-waiting task with a higher priority on the core.
    pub opens: bool,
}

impl Joint {
    /// Returns the resource `station` for windows of `task`; `None` if these windows cannot cover it.
    pub fn new(state: &State, station: &Station, task: usize, busy: &[Busy]) -> Option<Joint> {
        let own = station.tasks.iter().find(|(found, _)| *found == task);
        let own = own.map_or(&[][..], |(_, segments)| segments);
        let level = state.tasks[task].gpu_priority;
        let client = |found: usize| found == task || busy.iter().any(|busy| busy.task == found);
        if let Rule::TimeSliced(gpu) = station.rule {
            let gpu = &state.time_sliced[gpu];
            let mut used = station.tasks.iter().filter(|(found, _)| client(*found));
            let alone = |&segment: &usize, found| gpu.serves_only(state.part(found, segment).on, found);
            if !used.all(|(found, segments)| segments.iter().all(|segment| alone(segment, *found))) {
                return None;
            }
        }
        let longest = |found: usize, segments: &[usize]| {
            let costs = segments.iter().map(|&segment| state.part(found, segment).cost);
            costs.max().unwrap_or(0) // no segment: no time
        };
        let block = |found: usize| {
            let level = state.tasks[found].gpu_priority;
            let less = station
                .tasks
                .iter()
                .filter(|(other, _)| *other != found && state.tasks[*other].gpu_priority > level);
            let longest = less.map(|(other, segments)| longest(*other, segments)).max();
            longest.unwrap_or(0).saturating_sub(1) // no less urgent task: no blocking
        };
        let turns = |found: usize, segments: &[usize]| match station.rule {
            Rule::TimeSliced(gpu) => Some(ClientTurns::new(state, &state.time_sliced[gpu], found, segments)),
            _ => None,
        };
        let ordered = matches!(station.rule, Rule::Preemptive | Rule::NonPreemptive);
        let others = || station.tasks.iter().filter(|(found, _)| *found != task);
        let waiting = others().filter_map(|&(found, ref segments)| {
            Some(Waiting {
                busy: busy.iter().position(|busy| busy.task == found)?,
                priority: state.tasks[found].gpu_priority,
                requests: segments.len() as u64,
                block: block(found),
                turns: turns(found, segments),
            })
        });
        let waiting: Vec<Waiting> = waiting.collect();
        let mut late = waiting.iter().filter(|waiting| waiting.priority >= level);
        let opens = ordered && !own.is_empty() && late.any(|waiting| busy[waiting.busy].first);
        let on_device = others().filter(|_| !matches!(station.rule, Rule::TimeSliced(_)));
        let others = on_device.map(|&(found, ref segments)| {
            let priority = state.tasks[found].gpu_priority;
            // No segment of the analyzed task delays this work.
            let first = station.rule == Rule::Preemptive && (own.is_empty() || priority < level);
            Other {
                waits: client(found),
                priority,
                longest: match state.tasks[found].pipelined {
                    true => INFINITE,
                    false => longest(found, segments),
                },
                work: Work::of_segments(state, found, segments, first),
            }
        });
        Some(Joint {
            rule: station.rule,
            own: own.to_vec(),
            priority: level,
            longest: longest(task, own),
            block: block(task),
            turns: turns(task, own),
            others: others.collect(),
            waiting,
            opens,
        })
    }

    /// Whether the resource has fixed priorities with immediate preemption.
    pub fn is_preemptive(&self) -> bool {
        self.rule == Rule::Preemptive
    }

    /// Returns the time for which the resource delays a window of length `window` over the segments `span`, and whether it is
    /// closed. `busy` are the busy-waiting tasks; empty for a window without a segment on the core. `prompt` tells whether the first
    /// segment is on the core, and no joint resource is preemptive.
    pub fn delay(
        &self,
        state: &State,
        (span, prompt): (&RangeInclusive<usize>, bool),
        busy: &[Busy],
        (window, closed): (u64, bool),
    ) -> u64 {
        let waiting = if busy.is_empty() { &[] } else { &self.waiting[..] };
        let waiting = waiting
            .iter()
            .map(|waiting| (waiting, busy[waiting.busy].count(window, closed)));
        let own = self.own.iter().filter(|&segment| span.contains(segment));
        let own = own.count() as u64;
        let others = self.others.iter();
        let others = others.filter(|other| !other.waits || busy.is_empty());
        match self.rule {
            Rule::Fifo => self.by_arrival(own, waiting, others, (window, closed)),
            Rule::Preemptive | Rule::NonPreemptive => {
                self.by_priority(own, waiting, others, (window, closed))
            }
            Rule::TimeSliced(gpu) => {
                self.by_turns(state, &state.time_sliced[gpu], (span, prompt), waiting, window)
            }
        }
    }

    /// (8) `waiting` has the number of jobs of each busy-waiting task.
    fn by_arrival<'a>(
        &self,
        own: u64,
        waiting: impl Iterator<Item = (&'a Waiting, u64)>,
        others: impl Iterator<Item = &'a Other>,
        (window, closed): (u64, bool),
    ) -> u64 {
        let delayed = waiting.map(|(waiting, jobs)| jobs.saturating_mul(waiting.requests));
        let delayed = delayed.fold(0, u64::saturating_add);
        let all = own.saturating_add(delayed);
        let others = others.map(|other| all.saturating_mul(other.longest).min(other.work.any(window)));
        let before = match closed {
            true => delayed.saturating_mul(self.longest),
            false => 0,
        };
        others.fold(before, u64::saturating_add)
    }

    /// (6), (7)
    fn by_priority<'a>(
        &self,
        own: u64,
        waiting: impl Iterator<Item = (&'a Waiting, u64)> + Clone,
        others: impl Iterator<Item = &'a Other>,
        (window, closed): (u64, bool),
    ) -> u64 {
        let levels = waiting.clone().map(|(waiting, _)| waiting.priority);
        let Some(level) = levels.chain((own > 0).then_some(self.priority)).max() else {
            return 0;
        };
        let urgent = others.filter(|other| other.priority <= level);
        let work = urgent.map(|other| {
            if closed {
                other.work.within(window)
            } else {
                other.work.any(window)
            }
        });
        let work = work.fold(0, u64::saturating_add);
        if self.rule == Rule::Preemptive {
            return work;
        }
        let blocked = waiting.map(|(waiting, jobs)| {
            let requests = jobs.saturating_mul(waiting.requests);
            requests.saturating_mul(waiting.block)
        });
        let blocked = blocked.fold(own.saturating_mul(self.block), u64::saturating_add);
        work.saturating_add(blocked)
    }

    /// (9)
    fn by_turns<'a>(
        &self,
        state: &State,
        gpu: &Gpu,
        (span, prompt): (&RangeInclusive<usize>, bool),
        waiting: impl Iterator<Item = (&'a Waiting, u64)> + Clone,
        window: u64,
    ) -> u64 {
        let mut most = vec![0u64; gpu.contexts.len()];
        let mut total = 0u64;
        let own = self.turns.iter().map(|turns| (turns.count(span), turns));
        let others = waiting.filter_map(|(waiting, jobs)| {
            let turns = waiting.turns.as_ref()?;
            Some((turns.of_job().saturating_mul(jobs), turns))
        });
        for (count, turns) in own.chain(others.clone()) {
            let each = gpu.switch.saturating_add(turns.overrun);
            total = total.saturating_add(count.saturating_mul(each));
            for (most, gap) in most.iter_mut().zip(&turns.gaps) {
                *most = count.saturating_mul(*gap).saturating_add(*most);
            }
        }
        // The jobs of the busy-waiting tasks contain the execution of their kernels.
        for &context in others.flat_map(|(_, turns)| &turns.contexts) {
            most[context] = 0;
        }
        let contexts = gpu.contexts.iter().zip(&most).enumerate();
        contexts.fold(total, |total, (position, (context, &most))| {
            let counted = self
                .turns
                .iter()
                .map(|turns| turns.counted(span, position, prompt));
            total.saturating_add(occupied(state, gpu, context, most, window, counted.sum()))
        })
    }
}
