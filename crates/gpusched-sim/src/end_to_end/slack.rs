//! Slack of segments at run time: the nominal schedule of a segment, and the memory time that still keeps to it. The proofs are in
//! `docs/explanation/budgets-end-to-end.md`.

use gpusched_analysis::bandwidth::{BudgetPolicy, Chooser};
use gpusched_analysis::end_to_end::Budgeted;
use gpusched_model::end_to_end::{Draft, EnginePolicy, PartitionPolicy, Resource, System};
use gpusched_model::time::Time;
use gpusched_model::{Contention, Factor};

use super::Exposed;
use crate::engine::tournament::NEVER;

/// Where the slack of a segment may go.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Carry {
    /// It remains within the segment, which may be preempted: the segment executes for at most its WCET, and ends by its bound.
    Window,
    /// It remains within the segment, which nothing interrupts.
    Segment,
    /// It passes to the next segment of the job. Both are on resources that only this task uses.
    Job,
    /// It passes to the next job in the queue of the resource. The resource is first in, first out, and each of its tasks has only
    /// one segment.
    Queue,
}

/// Nominal schedule of a segment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Nominal {
    /// e⁰: WCET in isolation.
    pub isolated: Time,
    /// G: WCET under the budget.
    pub wcet: Time,
    /// R: bound on the end, from the arrival of the job; `None` without a bound.
    pub end: Option<Time>,
    /// Where its slack may go.
    pub carry: Carry,
}

/// A budget policy that gives the slack of segments to best-effort cores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slack {
    /// Budget policy of all segments.
    pub policy: BudgetPolicy,
    /// The segments of each task. The budget of a segment without a nominal schedule is constant.
    pub segments: Vec<Vec<Option<Nominal>>>,
}

impl Slack {
    /// Returns the slack of the segments of `draft`, a system with budgets, under `policy`. Kernels with a profile keep constant
    /// budgets, because `budget simulate` and `budget sequence` simulate their thread blocks.
    pub fn new(policy: BudgetPolicy, draft: &Draft, budgeted: &Budgeted) -> Slack {
        let (system, answer) = (&budgeted.system, &budgeted.answer);
        let mut segments = Vec::new();
        for (index, task) in draft.tasks.iter().enumerate() {
            let found = task.segments.iter().enumerate().map(|(position, segment)| {
                let budget = answer.budgets.as_ref()?.segments.get(index)?.get(position)?;
                let end = answer.evidence.bounds.end(index, position);
                let on = system.tasks().get(index)?.segments.get(position)?.on;
                Some(Nominal {
                    isolated: segment.wcet.as_ref()?.at(1, Contention::Isolated)?,
                    wcet: budget.wcet_ns,
                    end,
                    carry: match () {
                        () if is_own(system, index, on) => Carry::Job,
                        () if is_queue(draft, budgeted, on) => Carry::Queue,
                        // On a core, a bound without a window shows that nothing preempts the segment.
                        () if is_whole(system, on, end.is_some() && budget.window_ns.is_none()) => {
                            Carry::Segment
                        }
                        () => Carry::Window,
                    },
                })
            });
            segments.push(found.collect());
        }
        Slack { policy, segments }
    }
}

/// Whether the resource `on` serves only the sequential task `task`, at all times.
fn is_own(system: &System, task: usize, on: Resource) -> bool {
    let sequential = system.tasks().get(task).is_some_and(|task| !task.is_pipelined());
    sequential && system.context(on).is_none() && system.on(on).all(|(other, _)| other == task)
}

/// Whether a segment on the resource `on` executes from its start to its end without a break. `first` states it for a core.
fn is_whole(system: &System, on: Resource, first: bool) -> bool {
    use PartitionPolicy::{NpEdf, NpFifo, NpFp};
    match on {
        Resource::Core(_) => first,
        Resource::Engine(_) => true,
        Resource::Partition(at) => {
            let policy = system.partitions().get(at).map(|partition| partition.policy);
            matches!(policy, Some(NpEdf | NpFifo | NpFp)) && system.context(on).is_none()
        }
    }
}

/// Whether the resource `on` is first in, first out, and each of its tasks has only one segment, which has no profile, and a bound.
fn is_queue(draft: &Draft, budgeted: &Budgeted, on: Resource) -> bool {
    let system = &budgeted.system;
    let is_fifo = match on {
        Resource::Core(_) => false,
        Resource::Engine(at) => system
            .engines()
            .get(at)
            .is_some_and(|engine| engine.policy == EnginePolicy::Fifo),
        Resource::Partition(at) => {
            let policy = system.partitions().get(at).map(|partition| partition.policy);
            policy == Some(PartitionPolicy::NpFifo) && system.context(on).is_none()
        }
    };
    is_fifo
        && system.on(on).all(|(task, segment)| {
            let single = system
                .tasks()
                .get(task)
                .is_some_and(|task| !task.is_pipelined() && task.segments.len() == 1);
            let stated = draft.tasks.get(task).and_then(|task| task.segments.get(segment));
            let bound = budgeted.answer.response_times_ns.get(task).copied().flatten();
            single && bound.is_some() && stated.is_some_and(|segment| segment.profile.is_none())
        })
}

/// Remaining slack of a segment in progress. All times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Spare {
    chooser: Chooser,
    /// Memory time with which the segment still keeps to its nominal schedule; `None` without a limit.
    left: Option<u64>,
    /// Latest end in the nominal schedule.
    pub until: u64,
}

impl Spare {
    /// Returns the slack of a segment that starts at `now` and may execute for `limit`.
    pub fn new(chooser: Chooser, nominal: &Nominal, exposed: Exposed, limit: u64, until: u64) -> Spare {
        let extra = limit.saturating_sub(nominal.isolated.ns());
        Spare {
            chooser,
            left: (extra < exposed.delay)
                .then(|| longest(extra, exposed.rate))
                .flatten(),
            until,
        }
    }

    /// Returns the account until the next boundary, which is `first` away.
    pub fn account(&mut self, nominal: u64, now: u64, first: u64) -> u64 {
        match self.until.checked_sub(now) {
            Some(window) if window > 0 && (self.until < NEVER || self.left.is_none()) => {
                self.chooser.choose(self.left, window, first)
            }
            _ => nominal,
        }
    }

    /// Counts `passed` of memory time.
    pub fn debit(&mut self, passed: u64) {
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(passed);
        }
    }
}

/// Returns the longest memory time with a delay of at most `extra`; `None` if each memory time has no longer delay.
fn longest(extra: u64, rate: Factor) -> Option<u64> {
    let (numerator, denominator) = rate.ratio();
    let memory = (u128::from(extra) * u128::from(denominator)).checked_div(numerator.into())?;
    Some(u64::try_from(memory).unwrap_or(u64::MAX))
}
