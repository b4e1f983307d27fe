//! Measures of the demand of a group of tasks on m SMs. If a group passes its test, its demand is
//! at most 1 by each measure.

use std::collections::BTreeSet;

use super::demands::{Demand, WHOLE};
use crate::jobs::Wcets;
use gpusched_model::policy::Preemption;
use gpusched_model::{Policy, Task, TaskSet};

/// Maximum number of interval lengths. The demand in each of these intervals is a measure.
const INTERVALS: usize = 24;

/// Demand of one task on m SMs, in isolation or in conflict.
#[derive(Clone, Debug)]
pub(super) struct Needs {
    /// Demand of the task. `None` for a policy that counts only work.
    pub demand: Option<Demand>,
    /// Share of the task by each measure, rounded down [2⁻⁴⁸]. The first share is the long-run share. It is the demand
    /// per time in long intervals.
    pub shares: Vec<u64>,
}

/// The measures that a check of dual prices uses for a task set.
pub(super) struct Measures {
    wcets: Wcets<'static>,
    pub what: What,
    /// Preemption model of the policy.
    preemption: Preemption,
}

pub(super) enum What {
    /// One measure for a policy that counts only work: work divided by the period.
    Work,
    /// The utilization C/T, and the demand in intervals of the listed lengths [ns].
    Demand(Vec<u64>),
}

impl Measures {
    /// Creates the measures for the tasks of `set`. The interval lengths are the deadlines of the tasks, or every k-th
    /// deadline if there are too many. If the tasks have few deadlines, the deadlines of later jobs are interval
    /// lengths, too.
    pub fn new(set: &TaskSet, policy: Policy, wcets: Wcets<'static>) -> Measures {
        if matches!(policy, Policy::WorkCapacity | Policy::WorkCapacityDeadline) {
            return Measures {
                wcets,
                what: What::Work,
                preemption: Preemption::Preemptive,
            };
        }
        let dues = set.tasks().iter();
        let dues = dues.map(|task| task.deadline().ns().saturating_sub(wcets.jitter(task)));
        let mut dues: Vec<u64> = dues.filter(|&due| due > 0).collect();
        dues.sort_unstable();
        dues.dedup();
        let step = dues.len().div_ceil(INTERVALS).max(1);
        let mut intervals: Vec<u64> = dues.into_iter().rev().step_by(step).collect();
        add_later_deadlines(&mut intervals, set, wcets);
        Measures {
            wcets,
            what: What::Demand(intervals),
            preemption: match policy {
                Policy::NpEdf | Policy::NpFifo => Preemption::NonPreemptive,
                Policy::LpEdf => Preemption::Limited,
                Policy::FixedPriority(preemption, _) => preemption,
                _ => Preemption::Preemptive,
            },
        }
    }

    /// Whether jobs may block jobs with earlier deadlines.
    pub fn has_blocking(&self) -> bool {
        self.preemption != Preemption::Preemptive
    }

    /// Returns the supply by each measure without blocking [2⁻⁴⁸].
    pub fn supply(&self) -> Vec<u64> {
        match &self.what {
            What::Work => vec![WHOLE],
            What::Demand(intervals) => vec![WHOLE; 1 + intervals.len()],
        }
    }

    /// Limits `supply` by the blocking of `blocking` ns in all intervals with a length of `from`..`due` ns. The supply is
    /// the share (t − blocking)/t, rounded up.
    pub fn block(&self, supply: &mut [u64], (from, due): (u64, u64), blocking: u64) {
        let What::Demand(intervals) = &self.what else {
            return;
        };
        for (supply, &t) in supply.iter_mut().skip(1).zip(intervals) {
            if (from..due).contains(&t) {
                let left = u128::from(t.saturating_sub(blocking)) * u128::from(WHOLE);
                *supply = u64::try_from(left.div_ceil(t.max(1).into())).unwrap_or(WHOLE);
            }
        }
    }

    /// Returns the demand of `task` on `sms` SMs. Returns `None` if every group that contains
    /// `task` fails its test on `sms` SMs.
    pub fn needs(&self, task: &Task, conflict: bool, sms: u32) -> Option<Needs> {
        match &self.what {
            What::Work => {
                let work = self.wcets.least_work(task, conflict)?;
                let whole = u128::from(task.period().ns()) * u128::from(sms);
                let share = work.saturating_mul(WHOLE.into()) / whole.max(1);
                Some(Needs {
                    demand: None,
                    shares: vec![u64::try_from(share).unwrap_or(u64::MAX)],
                })
            }
            What::Demand(intervals) => {
                let wcet = self.wcets.of(task, sms, conflict)?;
                let longest = match self.preemption {
                    Preemption::Preemptive => 0,
                    Preemption::NonPreemptive => wcet,
                    Preemption::Limited => self.wcets.block(task).unwrap_or(wcet),
                };
                let demand = Demand::of(task, wcet, (longest, self.wcets.lead()), self.wcets.jitter(task))?;
                let demands = intervals.iter().map(|&t| demand.demand(t));
                Some(Needs {
                    shares: std::iter::once(demand.load()).chain(demands).collect(),
                    demand: Some(demand),
                })
            }
        }
    }
}

/// Adds the deadlines of later jobs to `intervals`, shortest first, up to [`INTERVALS`] interval lengths [ns].
fn add_later_deadlines(intervals: &mut Vec<u64>, set: &TaskSet, wcets: Wcets<'_>) {
    let longest = intervals.iter().copied().max().unwrap_or(0);
    let mut later = BTreeSet::new();
    for task in set.tasks() {
        let due = task.deadline().ns().saturating_sub(wcets.jitter(task));
        let jobs =
            (1..=INTERVALS as u64).map(|job| due.saturating_add(job.saturating_mul(task.period().ns())));
        later.extend(jobs.take_while(|&t| t <= longest.saturating_mul(2)));
    }
    for t in later {
        if intervals.len() >= INTERVALS {
            return;
        }
        if t > 0 && !intervals.contains(&t) {
            intervals.push(t);
        }
    }
}
