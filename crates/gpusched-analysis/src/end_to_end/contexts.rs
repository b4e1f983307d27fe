//! Contexts of time-sliced partitions, the order of their turns, and their known work.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gpusched_model::end_to_end::{Idle, PartitionPolicy, Resource, System, Task};

use super::arithmetic::INFINITE;

/// A time-sliced partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gpu {
    /// θ: time to switch to another context [ns].
    pub switch: u64,
    pub idle: Idle,
    pub contexts: Vec<Context>,
    /// Positions in `contexts`, in the order of the turns.
    runlist: Vec<usize>,
}

/// A context of a time-sliced partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Context {
    pub resource: Resource,
    /// q: slice [ns].
    pub slice: u64,
    /// o: overrun [ns].
    pub overrun: u64,
    /// Tasks with segments on the context, and the positions of these segments.
    pub tasks: Vec<(usize, Vec<usize>)>,
    /// Whether no kernel of the context preempts another kernel of the context.
    pub whole_kernels: bool,
    known: RefCell<Known>,
}

/// Work of a context in any window of one length. It limits the turns of the context in this window.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Work {
    /// Execution of its kernels [ns].
    pub executed: u64,
    /// Maximum number of its turns that start in the window.
    pub turns: u64,
    /// Maximum number of its slices that end in the window.
    pub slice_ends: u64,
    /// Execution of its kernels and overruns during these kernels [ns]; [`INFINITE`] if slices may end between parts of a
    /// kernel.
    pub with_overruns: u64,
}

/// The work of a context in windows of known lengths. The work is a step function of the length, so each result holds for
/// an interval of lengths.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    /// The bounds on which the work depends.
    bounds: Vec<u64>,
    /// For the last length of each interval: the first length, and the work in each window of the interval.
    steps: BTreeMap<u64, (u64, Option<Work>)>,
}

/// Maximum number of known intervals of one context.
const INTERVALS: usize = 1 << 16;

impl Context {
    /// Forgets the known work, if it is not the work for `bounds`.
    pub fn depends_on(&self, bounds: impl Iterator<Item = u64> + Clone) {
        let mut known = self.known.borrow_mut();
        if !bounds.clone().eq(known.bounds.iter().copied()) {
            known.bounds.clear();
            known.bounds.extend(bounds);
            known.steps.clear();
        }
    }

    /// Returns the work in windows of length `window`, from `compute` if it is not known. `compute` also returns the first
    /// and the last length with this work.
    pub fn work(&self, window: u64, compute: impl FnOnce() -> (Option<Work>, (u64, u64))) -> Option<Work> {
        let mut known = self.known.borrow_mut();
        if let Some((_, &(first, work))) = known.steps.range(window..).next()
            && first <= window
        {
            return work;
        }
        let (work, (first, last)) = compute();
        if known.steps.len() == INTERVALS {
            known.steps.clear();
        }
        known.steps.insert(last, (first, work));
        work
    }
}

impl Gpu {
    /// Returns the time-sliced partitions of `system`.
    pub fn all(system: &System) -> Vec<Gpu> {
        let gpus = system.time_slices().iter();
        let gpus = gpus.map(|gpu| Gpu {
            switch: gpu.switch.ns(),
            idle: gpu.idle,
            contexts: gpu
                .contexts
                .iter()
                .map(|context| {
                    let resource = Resource::Partition(context.partition);
                    let tasks = by_task(system.on(resource));
                    let policy = system
                        .partitions()
                        .get(context.partition)
                        .map(|found| found.policy);
                    Context {
                        resource,
                        slice: context.slice.ns(),
                        overrun: context.overrun.ns(),
                        whole_kernels: is_one_queue(system, &tasks)
                            || !matches!(policy, Some(PartitionPolicy::Fp | PartitionPolicy::Edf) | None),
                        tasks,
                        known: RefCell::default(),
                    }
                })
                .collect(),
            runlist: gpu.runlist.clone(),
        });
        gpus.collect()
    }

    /// Whether `on` is a context that executes segments of `task` only, and contexts without kernels have no turns.
    pub fn serves_only(&self, on: Resource, task: usize) -> bool {
        let found = self.contexts.iter().find(|context| context.resource == on);
        self.idle == Idle::Skip
            && found.is_some_and(|context| matches!(&context.tasks[..], [(only, _)] if *only == task))
    }

    /// Whether only context `own` has kernels, and contexts without kernels have no turns. No slice of such a context ends.
    pub fn is_alone(&self, own: usize) -> bool {
        let mut others = self.contexts.iter().enumerate();
        self.idle == Idle::Skip && others.all(|(other, context)| other == own || context.tasks.is_empty())
    }

    /// Whether the times of context `on` depend on the bounds of `task`.
    pub fn depends(&self, on: Resource, task: usize) -> bool {
        self.resources().any(|resource| resource == on)
            && self
                .contexts
                .iter()
                .any(|context| context.tasks.iter().any(|(found, _)| *found == task))
    }

    /// Returns the contexts.
    pub fn resources(&self) -> impl Iterator<Item = Resource> {
        self.contexts.iter().map(|context| context.resource)
    }

    /// Returns the waiting time of a context whose turns start at fixed times.
    pub fn fixed(&self, own: usize, gaps: impl Fn(u64) -> u64) -> u64 {
        let turns = self.runlist.iter().filter(|&&turn| turn == own).count();
        if turns > 1 {
            return INFINITE; // the distances between the turns differ
        }
        let length = |turn: &usize| self.contexts[*turn].slice.saturating_add(self.switch);
        let round = self.runlist.iter().map(length).fold(0, u64::saturating_add);
        let before = self.runlist.iter().position(|&turn| turn == own).unwrap_or(0);
        let before = before.checked_sub(1).unwrap_or(self.runlist.len() - 1);
        let usable = self.contexts[own]
            .slice
            .saturating_sub(self.contexts[self.runlist[before]].overrun);
        match usable {
            0 => INFINITE,
            _ => gaps(usable).saturating_mul(round.saturating_sub(usable)),
        }
    }

    /// For each turn of context `own` in a round: returns how many turns each context has in `gaps` consecutive intervals
    /// between own turns, if the first interval follows this turn. Own turns do not count.
    pub fn turns(&self, own: usize, gaps: u64) -> Vec<Vec<u64>> {
        let length = self.runlist.len();
        let starts = (0..length).filter(|&start| self.runlist[start] == own);
        let own_turns = starts.clone().count() as u64;
        let of_start = |start: usize| {
            let round = (1..=length).map(|step| self.runlist[(start + step) % length]);
            let mut turns = vec![0u64; self.contexts.len()];
            let mut rest = gaps % own_turns;
            for turn in round {
                turns[turn] = turns[turn].saturating_add(gaps / own_turns);
                if turn == own {
                    rest = rest.saturating_sub(1);
                } else if rest > 0 {
                    turns[turn] = turns[turn].saturating_add(1);
                }
            }
            turns[own] = 0;
            turns
        };
        starts.map(of_start).collect()
    }
}

/// Returns each task of `segments` with its segments. `segments` is sorted by task.
pub(super) fn by_task(segments: impl IntoIterator<Item = (usize, usize)>) -> Vec<(usize, Vec<usize>)> {
    let mut tasks: Vec<(usize, Vec<usize>)> = Vec::new();
    for (task, segment) in segments {
        match tasks.last_mut().filter(|(last, _)| *last == task) {
            Some((_, segments)) => segments.push(segment),
            None => tasks.push((task, vec![segment])),
        }
    }
    tasks
}

/// Whether kernels of `tasks` never preempt each other under every policy: a sequential task, or a segment of a pipelined task.
fn is_one_queue(system: &System, tasks: &[(usize, Vec<usize>)]) -> bool {
    let pipelined = |task: usize| system.tasks().get(task).is_some_and(Task::is_pipelined);
    match tasks {
        [] => true,
        [(task, segments)] => segments.len() == 1 || !pipelined(*task),
        _ => false,
    }
}
