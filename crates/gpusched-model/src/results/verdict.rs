//! The answer of a schedulability test, with the evidence it rests on. Data only, so that a checker needs no test.

use serde::{Deserialize, Serialize};

use crate::policy::{Policy, Strength};
use crate::time::Time;

/// Whether one partition meets all deadlines, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The answer of the test.
    pub schedulable: bool,
    /// The test that gave it.
    pub policy: Policy,
    /// What a positive answer of this test is worth.
    pub strength: Strength,
    /// What the answer rests on.
    pub evidence: Evidence,
}

impl Verdict {
    /// The verdict of `policy` with `evidence`.
    pub fn new(policy: Policy, evidence: Evidence) -> Verdict {
        Verdict {
            schedulable: evidence.is_positive(),
            policy,
            strength: policy.strength(),
            evidence,
        }
    }
}

/// Why a set of tasks is, or is not, schedulable on its partition. Tasks are positions in the task set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Evidence {
    /// Schedulable: U ≤ 1, and dbf(t) ≤ t up to `interval_ns`, beyond which it cannot fail.
    DemandWithinSupply {
        /// The length up to which the demand had to be checked [ns]; 0 if U ≤ 1 alone decides (all D ≥ T).
        interval_ns: Time,
        /// Where QPA evaluated the demand, in its order: [t, demand at t], both [ns]. The demand includes blocking.
        checked: Vec<(Time, Time)>,
    },
    /// Schedulable: every response time bound is within its deadline.
    ResponseTimes {
        /// The tasks, highest priority first.
        priorities: Vec<usize>,
        /// The bound for each task of the partition, in the partition's order [ns].
        response_times_ns: Vec<Time>,
    },
    /// Schedulable: the inequality of the test holds.
    BoundHolds,
    /// Not schedulable: dbf(`interval_ns`), blocking included, is `demand_ns` > `interval_ns`.
    DemandExceedsInterval {
        /// The violated interval length [ns].
        interval_ns: Time,
        /// The demand of the jobs released and due inside it [ns]; the largest 64-bit number stands for anything larger.
        demand_ns: u64,
    },
    /// Not schedulable: Σ C/T > 1.
    UtilizationAboveOne,
    /// Not schedulable: a job of `task` is late.
    DeadlineMissed {
        /// The task.
        task: usize,
        /// From the start of the busy period to the completion of the late job, at least [ns].
        busy_period_ns: Time,
        /// From the arrival of the late job to its completion, at least [ns].
        response_time_ns: Time,
    },
    /// Not schedulable: J ≥ D, so that a job may be released when it is due.
    JitterExceedsDeadline {
        /// The task.
        task: usize,
    },
    /// Not schedulable: under every priority order some task is late.
    NoPriorityOrder {
        /// Each of these tasks is late if all others of them have higher priority, and the rest of the partition lower.
        tasks: Vec<usize>,
    },
    /// Fails the sufficient condition; may be schedulable all the same.
    BoundExceeded,
    /// Not schedulable: a task has no known WCET on so few SMs.
    WcetUnknown {
        /// The task.
        task: usize,
    },
    /// Passes the necessary condition Σ work/T ≤ m. Proves nothing.
    WorkWithinCapacity,
    /// Not schedulable: Σ work/T > m.
    WorkExceedsCapacity,
    /// Not schedulable: C(m) > D for one task.
    WcetExceedsDeadline {
        /// The task.
        task: usize,
        /// C(m) [ns].
        wcet_ns: Time,
        /// D [ns].
        deadline_ns: Time,
    },
    /// No answer within the step limit; counts as not schedulable.
    Undecided {
        /// The steps spent.
        steps: u64,
    },
}

impl Evidence {
    /// Whether this is evidence for "schedulable".
    pub fn is_positive(&self) -> bool {
        matches!(
            self,
            Evidence::DemandWithinSupply { .. }
                | Evidence::ResponseTimes { .. }
                | Evidence::BoundHolds
                | Evidence::WorkWithinCapacity
        )
    }

    /// The name of this kind of evidence, as in files.
    pub fn reason(&self) -> &'static str {
        self.into()
    }

    /// The one task that decided, if there is one.
    pub fn task(&self) -> Option<usize> {
        match self {
            Evidence::WcetUnknown { task }
            | Evidence::WcetExceedsDeadline { task, .. }
            | Evidence::DeadlineMissed { task, .. }
            | Evidence::JitterExceedsDeadline { task } => Some(*task),
            _ => None,
        }
    }

    /// The same evidence where each task number was a position in `tasks` and becomes the number found there.
    pub fn of_tasks(mut self, tasks: &[usize]) -> Evidence {
        let rename = |task: &mut usize| {
            if let Some(&name) = tasks.get(*task) {
                *task = name;
            }
        };
        match &mut self {
            Evidence::WcetUnknown { task }
            | Evidence::WcetExceedsDeadline { task, .. }
            | Evidence::DeadlineMissed { task, .. }
            | Evidence::JitterExceedsDeadline { task } => rename(task),
            Evidence::ResponseTimes { priorities, .. } => priorities.iter_mut().for_each(rename),
            Evidence::NoPriorityOrder { tasks } => tasks.iter_mut().for_each(rename),
            _ => {}
        }
        self
    }
}

impl std::fmt::Display for Evidence {
    /// One line for people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Evidence::DemandWithinSupply { interval_ns, checked } if !checked.is_empty() => write!(
                f,
                "demand fits every interval up to {interval_ns} ({} {} checked)",
                checked.len(),
                if checked.len() == 1 { "point" } else { "points" }
            ),
            Evidence::DemandWithinSupply { interval_ns, .. } if *interval_ns > Time::ZERO => write!(
                f,
                "demand can exceed no interval longer than {interval_ns}, and no deadline is that early"
            ),
            Evidence::DemandWithinSupply { .. } => write!(f, "utilization at most 1, all D ≥ T"),
            Evidence::DemandExceedsInterval {
                interval_ns,
                demand_ns,
            } => write!(
                f,
                "jobs released and due within {interval_ns} need {}, {} too much",
                Time::from_ns(*demand_ns),
                Time::from_ns(demand_ns.saturating_sub(interval_ns.ns()))
            ),
            Evidence::UtilizationAboveOne => write!(f, "utilization above 1"),
            Evidence::ResponseTimes { .. } => write!(f, "every response time is within its deadline"),
            Evidence::DeadlineMissed {
                task,
                busy_period_ns,
                response_time_ns,
            } => write!(
                f,
                "task #{task} may take {response_time_ns} (in a busy period of {busy_period_ns})"
            ),
            Evidence::JitterExceedsDeadline { task } => {
                write!(f, "task #{task} may be released when it is due (J ≥ D)")
            }
            Evidence::NoPriorityOrder { tasks } => write!(
                f,
                "no priority order meets all deadlines: each of {} tasks is late below the others",
                tasks.len()
            ),
            Evidence::BoundHolds => write!(f, "the bound holds"),
            Evidence::BoundExceeded => {
                write!(f, "the bound does not hold (sufficient condition only)")
            }
            Evidence::WcetUnknown { task } => {
                write!(f, "task #{task} has no known WCET on so few SMs")
            }
            Evidence::WorkWithinCapacity => {
                write!(
                    f,
                    "work fits the capacity (necessary condition only, proves nothing)"
                )
            }
            Evidence::WorkExceedsCapacity => write!(f, "work exceeds the capacity of the SMs"),
            Evidence::WcetExceedsDeadline {
                task,
                wcet_ns,
                deadline_ns,
            } => write!(
                f,
                "task #{task} alone needs {wcet_ns}, {} more than its deadline of {deadline_ns}",
                wcet_ns.checked_sub(*deadline_ns).unwrap_or_default()
            ),
            Evidence::Undecided { steps } => {
                write!(f, "undecided after {steps} steps, counts as not schedulable")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_of_the_files() {
        let time = Time::from_ns(1);
        for evidence in [
            Evidence::DemandWithinSupply {
                interval_ns: time,
                checked: vec![(time, time)],
            },
            Evidence::ResponseTimes {
                priorities: vec![0],
                response_times_ns: vec![time],
            },
            Evidence::DeadlineMissed {
                task: 0,
                busy_period_ns: time,
                response_time_ns: time,
            },
            Evidence::JitterExceedsDeadline { task: 0 },
            Evidence::NoPriorityOrder { tasks: vec![0] },
            Evidence::BoundHolds,
            Evidence::BoundExceeded,
            Evidence::DemandExceedsInterval {
                interval_ns: time,
                demand_ns: 2,
            },
            Evidence::UtilizationAboveOne,
            Evidence::WcetUnknown { task: 0 },
            Evidence::WorkWithinCapacity,
            Evidence::WorkExceedsCapacity,
            Evidence::WcetExceedsDeadline {
                task: 0,
                wcet_ns: time,
                deadline_ns: time,
            },
            Evidence::Undecided { steps: 1 },
        ] {
            assert_eq!(
                serde_json::to_value(&evidence).unwrap()["reason"],
                evidence.reason()
            );
        }
    }
}
