//! The choices of a search: for each context its tasks, their priorities, its slice and its turns.

use std::iter;

use gpusched_model::end_to_end::{
    ContextDraft, Draft, DraftPolicy, PartitionDraft, PartitionPolicy, TaskDraft,
};
use gpusched_model::error::Refusal;
use gpusched_model::policy::Priorities;
use gpusched_model::time::Time;

use super::{SharedContexts, TurnSearch};

/// A context of a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chosen {
    /// Tasks of the context, the most urgent first. Empty if the draft states the tasks.
    tasks: Vec<usize>,
    /// Slice and number of turns.
    turns: Turns,
}

/// Position of a slice in the slices of the search, and number of turns per round minus 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
struct Turns {
    slice: usize,
    more: usize,
}

/// One context for each element, in the order of the first turns.
pub(super) type Choice = Vec<Chosen>;

/// A part of a choice that a search changes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Slice and turns of the context at this position.
    Context(usize),
    /// Context and priority of this task.
    Task(usize),
}

/// All choices of a search.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    draft: &'a Draft,
    /// Position of the time-sliced partition.
    gpu: usize,
    slices: &'a [Time],
    /// Slices and turns of one context.
    options: Vec<Turns>,
    shared: Option<Shared>,
}

/// Tasks that share contexts.
#[derive(Debug)]
struct Shared {
    /// Maximum number of contexts.
    contexts: usize,
    policy: PartitionPolicy,
    /// Whether the kernels have fixed priorities.
    fixed: bool,
    /// Whether the search chooses the priorities.
    free: bool,
    /// Tasks in the order of their urgency. If the search chooses the priorities, it starts with this order.
    order: Vec<usize>,
    /// Own context of each task in the draft.
    own: Vec<usize>,
}

impl<'a> Choices<'a> {
    /// Returns the choices of `search` for the first time-sliced partition of `draft`.
    pub fn new(draft: &'a Draft, search: &TurnSearch<'a>) -> Result<Choices<'a>, Refusal> {
        let sliced = |partition: &PartitionDraft| partition.policy == DraftPolicy::TimeSliced;
        let Some(gpu) = draft.partitions.iter().position(sliced) else {
            return Refusal::refuse(
                "partitions",
                "no time-sliced partition",
                "a time-sliced partition",
            );
        };
        let options = (0..search.turns.max(1))
            .flat_map(|more| (0..search.slices.len()).map(move |slice| Turns { slice, more }));
        let contexts = &draft.partitions[gpu].contexts;
        let shared = search.shared.map(|shared| Shared::new(draft, contexts, shared));
        Ok(Choices {
            draft,
            gpu,
            slices: search.slices,
            options: options.collect(),
            shared: shared.transpose()?,
        })
    }

    /// Returns the tasks that the search assigns to contexts.
    pub fn tasks(&self) -> std::ops::Range<usize> {
        0..self.shared.as_ref().map_or(0, |shared| shared.own.len())
    }

    /// Returns the choices with one slice and one turn for all contexts. Contexts have the tasks of the draft, or about equal
    /// numbers of tasks with similar urgency.
    pub fn starts(&self) -> impl Iterator<Item = Choice> + '_ {
        let splits = self.shared.as_ref().map_or_else(
            || vec![vec![Vec::new(); self.draft.partitions[self.gpu].contexts.len()]],
            Shared::similar,
        );
        (0..self.slices.len()).flat_map(move |slice| {
            let turns = Turns { slice, more: 0 };
            let choice = move |split: Vec<Vec<usize>>| {
                let contexts = split.into_iter();
                contexts.map(|tasks| Chosen { tasks, turns }).collect()
            };
            splits.clone().into_iter().map(choice)
        })
    }

    /// Whether the search has at most `limit` choices.
    pub fn are_at_most(&self, limit: u64) -> bool {
        let mut total = 0u64;
        self.splits().all(|split| {
            let sum = self
                .of_split(&split)
                .and_then(|choices| total.checked_add(choices));
            total = sum.unwrap_or(u64::MAX);
            sum.is_some_and(|total| total <= limit)
        })
    }

    /// Returns all choices. [`Choices::are_at_most`] must hold for some limit.
    pub fn all(&self) -> impl Iterator<Item = Choice> + '_ {
        self.splits().flat_map(move |split| {
            let choices = self.of_split(&split).unwrap_or(0); // `are_at_most` is false for such a split
            (0..choices).map(move |number| self.numbered(&split, number))
        })
    }

    /// Returns all ways to assign the tasks to contexts. Each context lists its tasks in the order of their urgency.
    fn splits(&self) -> impl Iterator<Item = Vec<Vec<usize>>> + '_ {
        let stated = self
            .shared
            .is_none()
            .then(|| vec![Vec::new(); self.draft.partitions[self.gpu].contexts.len()]);
        let shared = self.shared.iter().flat_map(Shared::splits);
        stated.into_iter().chain(shared)
    }

    /// Returns the number of choices with the tasks of `split`; `None` if it is 2⁶⁴ or more.
    fn of_split(&self, split: &[Vec<usize>]) -> Option<u64> {
        let options = self.options.len() as u64;
        split.iter().try_fold(1u64, |product, tasks| {
            product.checked_mul(options)?.checked_mul(self.orders(tasks)?)
        })
    }

    /// Returns the number of priority orders of `tasks`, which share a context.
    fn orders(&self, tasks: &[usize]) -> Option<u64> {
        match self.shared.as_ref().is_some_and(|shared| shared.free) {
            true => (1..=tasks.len() as u64).try_fold(1u64, u64::checked_mul),
            false => Some(1),
        }
    }

    /// Returns choice `number` with the tasks of `split`.
    fn numbered(&self, split: &[Vec<usize>], mut number: u64) -> Choice {
        let mut digit = |base: u64| {
            let digit = number % base.max(1);
            number /= base.max(1);
            usize::try_from(digit).unwrap_or(usize::MAX)
        };
        let contexts = split.iter().map(|tasks| {
            let turns = self.options[digit(self.options.len() as u64)];
            let mut rest = tasks.clone();
            let tasks = match self.orders(tasks) {
                Some(2..) => (1..=rest.len() as u64)
                    .rev()
                    .map(|left| rest.remove(digit(left)))
                    .collect(),
                _ => rest,
            };
            Chosen { tasks, turns }
        });
        contexts.collect()
    }

    /// Returns the choices that differ from `choice` in one `unit`.
    pub fn beside(&self, choice: &Choice, unit: Unit) -> Vec<Choice> {
        match (unit, &self.shared) {
            (Unit::Context(position), _) if position < choice.len() => {
                let others = self.options.iter();
                let others = others.filter(|&&turns| turns != choice[position].turns);
                let changed = others.map(|&turns| {
                    let mut changed = choice.clone();
                    changed[position].turns = turns;
                    changed
                });
                changed.collect()
            }
            (Unit::Task(task), Some(shared)) => shared.moves(choice, task),
            _ => Vec::new(),
        }
    }

    /// Returns the draft with `choice`. Turns of one context are as far apart as possible.
    pub fn draft(&self, choice: &Choice) -> Draft {
        let mut draft = self.draft.clone();
        if let Some(shared) = &self.shared {
            shared.assign(&mut draft, self.gpu, choice);
        }
        let gpu = &mut draft.partitions[self.gpu];
        // The turns of a context divide the round into equal parts, and contexts with equal places keep their order.
        let mut turns: Vec<(u128, usize)> = Vec::new();
        for (position, (context, chosen)) in gpu.contexts.iter_mut().zip(choice).enumerate() {
            context.slice = self.slices[chosen.turns.slice];
            let count = chosen.turns.more as u128 + 1;
            turns.extend((0..count).map(|turn| (turn * ROUND / count, position)));
        }
        turns.sort_unstable();
        let names = turns
            .into_iter()
            .map(|(_, position)| gpu.contexts[position].name.clone());
        gpu.runlist = Some(names.collect());
        draft
    }
}

/// Length of a round in the units of places in it.
const ROUND: u128 = 1 << 64;

impl Shared {
    fn new(draft: &Draft, contexts: &[ContextDraft], shared: SharedContexts) -> Result<Shared, Refusal> {
        let (policy, priorities) = shared.rule()?;
        let context = |(index, task): (usize, &TaskDraft)| {
            let first = task.segments.first().map(|segment| segment.on.as_str());
            let found = { contexts.iter() }.position(|context| Some(context.name.as_str()) == first);
            let alone = task
                .segments
                .iter()
                .all(|segment| Some(segment.on.as_str()) == first);
            found.filter(|_| alone).ok_or_else(|| {
                let expected = "segments on one context of the partition, because the search assigns the task to a context";
                Refusal::new(format!("tasks[{index}].segments"), "other segments", expected)
            })
        };
        let own: Vec<usize> = draft
            .tasks
            .iter()
            .enumerate()
            .map(context)
            .collect::<Result<_, _>>()?;
        if let Some(index) = (1..own.len()).find(|&index| own[..index].contains(&own[index])) {
            let expected =
                "a context for each task, because the search chooses the tasks that share contexts";
            Refusal::refuse(format!("tasks[{index}].segments"), "a shared context", expected)?;
        }
        // The default depends on the tasks of the context, so it says nothing about the overrun of another context.
        let of = |is_stated: bool| {
            own.iter()
                .any(|&own| contexts[own].overrun.is_some() == is_stated)
        };
        if of(true) && of(false) {
            let expected = "an overrun of every context, or of none, because tasks can share a context";
            Refusal::refuse("contexts.overrun", "only some overruns", expected)?;
        }
        let mut order: Vec<usize> = (0..own.len()).collect();
        let urgency = |task: &usize| {
            let task = &draft.tasks[*task];
            match priorities {
                Some(Priorities::Given) => 0,
                Some(Priorities::RateMonotonic) => i128::from(task.period.ns()),
                _ => {
                    let deadline = task.deadline.unwrap_or(task.period).ns();
                    i128::from(deadline) - i128::from(task.jitter.unwrap_or_default().ns())
                }
            }
        };
        order.sort_by_key(urgency);
        Ok(Shared {
            contexts: shared.contexts.max(1),
            policy,
            fixed: priorities.is_some(),
            free: priorities == Some(Priorities::Audsley),
            order,
            own,
        })
    }

    /// Returns one split for each number of contexts, the largest number first. Contexts have about equal numbers of tasks with
    /// similar urgency.
    fn similar(&self) -> Vec<Vec<Vec<usize>>> {
        let tasks = self.order.len();
        let split = |contexts: usize| {
            let bounds =
                (0..contexts).map(|context| context * tasks / contexts..(context + 1) * tasks / contexts);
            in_order(
                bounds.map(|bounds| self.order[bounds].to_vec()).collect(),
                Vec::as_slice,
            )
        };
        (1..=self.contexts.min(tasks)).rev().map(split).collect()
    }

    /// Returns all ways to assign the tasks to contexts.
    fn splits(&self) -> impl Iterator<Item = Vec<Vec<usize>>> + '_ {
        // Task i is in context s[i]. A new context has the next number, so each split occurs once.
        let next = |string: &Vec<usize>| {
            let mut string = string.clone();
            for position in (1..string.len()).rev() {
                let largest = string[..position].iter().max().copied().unwrap_or(0);
                if string[position] <= largest && string[position] + 1 < self.contexts {
                    string[position] += 1;
                    string[position + 1..].fill(0);
                    return Some(string);
                }
            }
            None
        };
        iter::successors(Some(vec![0; self.own.len()]), next).map(|string| {
            let contexts = string.iter().max().map_or(0, |last| last + 1);
            let tasks = |context: usize| {
                let tasks = self.order.iter().copied();
                tasks.filter(|&task| string[task] == context).collect()
            };
            (0..contexts).map(tasks).collect()
        })
    }

    /// Returns the choices where `task` has another context than in `choice`, or another priority.
    fn moves(&self, choice: &Choice, task: usize) -> Vec<Choice> {
        let mut moves = Vec::new();
        let Some(from) = choice.iter().position(|context| context.tasks.contains(&task)) else {
            return moves;
        };
        let rank = |task: usize| self.order.iter().position(|&found| found == task);
        for to in 0..=choice.len() {
            let mut changed = choice.clone();
            if to == choice.len() {
                if to >= self.contexts {
                    continue;
                }
                changed.push(Chosen {
                    tasks: Vec::new(),
                    turns: choice[from].turns,
                });
            }
            changed[from].tasks.retain(|&found| found != task);
            let others = &mut changed[to].tasks;
            let place = others.iter().position(|&other| rank(other) > rank(task));
            others.insert(place.unwrap_or(others.len()), task);
            changed.retain(|context| !context.tasks.is_empty());
            moves.push(in_order(changed, |context| &context.tasks));
        }
        if let (true, Some(place)) = (
            self.free,
            choice[from].tasks.iter().position(|&found| found == task),
        ) && place + 1 < choice[from].tasks.len()
        {
            let mut changed = choice.clone();
            changed[from].tasks.swap(place, place + 1);
            moves.push(changed);
        }
        moves.retain(|changed| changed != choice);
        moves
    }

    /// Assigns the tasks of `draft` to the contexts of `choice`. A context has the name of the own context of its first task,
    /// and the longest overrun of the own contexts.
    fn assign(&self, draft: &mut Draft, gpu: usize, choice: &Choice) {
        let mut contexts = Vec::with_capacity(choice.len());
        for chosen in choice {
            let own = || chosen.tasks.iter().map(|&task| self.own[task]);
            let stated = &draft.partitions[gpu].contexts;
            let Some(first) = chosen.tasks.iter().min().map(|&task| &stated[self.own[task]]) else {
                continue;
            };
            let overruns: Option<Vec<Time>> = own().map(|own| stated[own].overrun).collect();
            let context = ContextDraft {
                overrun: overruns.and_then(|overruns| overruns.into_iter().max()),
                policy: match chosen.tasks.len() {
                    1 => first.policy,
                    _ => Some(self.policy),
                },
                ..first.clone()
            };
            for (priority, &task) in (0..).zip(&chosen.tasks) {
                let task = &mut draft.tasks[task];
                task.gpu_priority = self.fixed.then_some(priority).or(task.gpu_priority);
                for segment in &mut task.segments {
                    segment.on.clone_from(&context.name);
                }
            }
            contexts.push(context);
        }
        draft.partitions[gpu].contexts = contexts;
    }
}

/// Returns `contexts` in the order of their first tasks, which is the order of their turns.
fn in_order<T>(mut contexts: Vec<T>, tasks: impl Fn(&T) -> &[usize]) -> Vec<T> {
    contexts.sort_by_key(|context| tasks(context).iter().min().copied());
    contexts
}
