//! Measures of what tasks ask of some SMs: by each of them, the tasks of a group that passes its test ask for 1 at most.

use super::super::wcet::Wcets;
use super::demands::{Demand, WHOLE};
use gpusched_model::{Policy, Task, TaskSet};

/// Intervals that demand is measured in, at most.
const INTERVALS: usize = 24;

/// What one task asks for on some SMs, alone or in conflict.
#[derive(Clone, Debug)]
pub(super) struct Needs {
    /// `None` where the policy counts nothing but work.
    pub demand: Option<Demand>,
    /// By measure, the long run first, each rounded down [2⁻⁴⁸].
    pub shares: Vec<u64>,
}

/// What is measured.
pub(super) struct Measures {
    wcets: Wcets<'static>,
    pub what: What,
}

pub(super) enum What {
    /// Work by period, for policies that count nothing else.
    Work,
    /// C/T, and the demand in intervals of these lengths [ns].
    Demand(Vec<u64>),
}

impl Measures {
    /// Of the tasks of `set`: intervals as long as deadlines are, evenly taken.
    pub fn new(set: &TaskSet, policy: Policy, wcets: Wcets<'static>) -> Measures {
        if matches!(policy, Policy::WorkCapacity | Policy::WorkCapacityDeadline) {
            return Measures {
                wcets,
                what: What::Work,
            };
        }
        let dues = set.tasks().iter();
        let dues = dues.map(|task| task.deadline().ns().saturating_sub(task.jitter().ns()));
        let mut dues: Vec<u64> = dues.filter(|&due| due > 0).collect();
        dues.sort_unstable();
        dues.dedup();
        let step = dues.len().div_ceil(INTERVALS).max(1);
        Measures {
            wcets,
            what: What::Demand(dues.into_iter().rev().step_by(step).collect()),
        }
    }

    /// What `task` asks of `sms` SMs; `None` if no group with it passes there.
    pub fn needs(&self, task: &Task, conflict: bool, sms: u32) -> Option<Needs> {
        match &self.what {
            What::Work => {
                let work = self.wcets.least_work(task.wcet(), conflict)?;
                let whole = u128::from(task.period().ns()) * u128::from(sms);
                let share = work.saturating_mul(WHOLE.into()) / whole.max(1);
                Some(Needs {
                    demand: None,
                    shares: vec![u64::try_from(share).unwrap_or(u64::MAX)],
                })
            }
            What::Demand(intervals) => {
                let demand = Demand::of(task, self.wcets.at(task.wcet(), sms, conflict)?)?;
                let demands = intervals.iter().map(|&t| demand.demand(t));
                Some(Needs {
                    shares: std::iter::once(demand.load()).chain(demands).collect(),
                    demand: Some(demand),
                })
            }
        }
    }
}
