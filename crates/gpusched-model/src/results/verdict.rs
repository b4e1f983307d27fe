//! Verdicts of schedulability tests, with their evidence. The module contains only data, so the verifier can use the
//! module without the code of the tests.

use serde::{Deserialize, Serialize};

use crate::counted;
use crate::policy::{Policy, Strength};
use crate::time::Time;

/// Verdict: result of a schedulability test for one partition, with the evidence for this result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Whether the partition passes the test.
    pub schedulable: bool,
    /// Policy of the partition, which determines the test.
    pub policy: Policy,
    /// Strength of a positive verdict: exact, sufficient or necessary.
    pub strength: Strength,
    /// Evidence from which the result can be recomputed.
    pub evidence: Evidence,
}

impl Verdict {
    /// Creates the verdict of `policy` with `evidence`.
    pub fn new(policy: Policy, evidence: Evidence) -> Verdict {
        Verdict {
            schedulable: evidence.is_positive(),
            policy,
            strength: policy.strength(),
            evidence,
        }
    }
}

/// Evidence that the tasks of a partition are schedulable, or that they are not. The evidence identifies a task by its
/// position in the task set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Evidence {
    /// Schedulable: the utilization U is at most 1, and the demand dbf(t) is at most t for every
    /// t up to `interval_ns`. Longer intervals need no check.
    DemandWithinSupply {
        /// Maximum length of an interval whose demand the test must check [ns]. The value is 0 if D ≥ T for all tasks,
        /// because in this case, a utilization of at most 1 is sufficient.
        interval_ns: Time,
        /// Intervals for which quick processor-demand analysis (QPA) computed the demand, in the
        /// order of computation. An entry is [length t, demand dbf(t)], in nanoseconds. The
        /// demand includes blocking.
        checked: Vec<(Time, Time)>,
    },
    /// Schedulable: the bound on the response time of each task is at most its deadline.
    ResponseTimes {
        /// Positions of the tasks, from the highest to the lowest priority. Under `np-fifo`, this order applies only to
        /// jobs with equal releases. Under `concurrent`, the order has no meaning.
        priorities: Vec<usize>,
        /// Bound on the response time of each task of the partition, in the same order as the tasks of the partition
        /// [ns].
        response_times_ns: Vec<Time>,
    },
    /// Schedulable: the tasks satisfy the inequality of a sufficient test.
    BoundHolds,
    /// Not schedulable: the demand of an interval of length `interval_ns` is `demand_ns`, which
    /// exceeds the length. The demand includes blocking.
    DemandExceedsInterval {
        /// Length of an interval whose demand is too high [ns].
        interval_ns: Time,
        /// Demand of the jobs whose release and deadline are both inside the interval [ns]. The largest 64-bit number
        /// also represents all larger values.
        demand_ns: u64,
    },
    /// Not schedulable: the utilization Σ C/T is above 1.
    UtilizationAboveOne,
    /// Not schedulable: a job of `task` misses its deadline.
    DeadlineMissed {
        /// Position of the task in the task set.
        task: usize,
        /// Lower bound on the time from the start of the busy period to the completion of the job [ns].
        busy_period_ns: Time,
        /// Lower bound on the time from the arrival to the completion of the job [ns].
        response_time_ns: Time,
    },
    /// Not schedulable: J ≥ D, so a job may be released at or after its deadline.
    JitterExceedsDeadline {
        /// Position of the task in the task set.
        task: usize,
    },
    /// Not schedulable: under every priority order, some task misses its deadline.
    NoPriorityOrder {
        /// Positions of the tasks that form the evidence. Each listed task misses its deadline if
        /// all other listed tasks have higher priority and all unlisted tasks have lower
        /// priority.
        tasks: Vec<usize>,
    },
    /// The tasks fail a sufficient test. The tasks may still be schedulable.
    BoundExceeded,
    /// Not schedulable: a task has no known WCET on this number of SMs.
    WcetUnknown {
        /// Position of the task in the task set.
        task: usize,
    },
    /// The tasks satisfy the necessary condition Σ work/T ≤ m on m SMs. The condition does not
    /// prove that the tasks meet their deadlines.
    WorkWithinCapacity,
    /// Not schedulable: the work of the tasks exceeds the capacity of m SMs, Σ work/T > m.
    WorkExceedsCapacity,
    /// Not schedulable: the WCET C(m) of one task exceeds its deadline D.
    WcetExceedsDeadline {
        /// Position of the task in the task set.
        task: usize,
        /// C(m): WCET of the task on the SMs of the partition [ns].
        wcet_ns: Time,
        /// D: relative deadline of the task [ns].
        deadline_ns: Time,
    },
    /// Inconclusive: the test stopped at its limit on the number of steps. The partition counts as not schedulable.
    Undecided {
        /// Number of steps after which the test stopped.
        steps: u64,
    },
}

impl Evidence {
    /// Returns whether the tasks pass the test according to this evidence.
    pub fn is_positive(&self) -> bool {
        matches!(
            self,
            Evidence::DemandWithinSupply { .. }
                | Evidence::ResponseTimes { .. }
                | Evidence::BoundHolds
                | Evidence::WorkWithinCapacity
        )
    }

    /// Returns the name of this kind of evidence in files.
    pub fn reason(&self) -> &'static str {
        self.into()
    }

    /// Returns the position of the task that caused the result. Returns `None` if no single task caused the result.
    pub fn task(&self) -> Option<usize> {
        match self {
            Evidence::WcetUnknown { task }
            | Evidence::WcetExceedsDeadline { task, .. }
            | Evidence::DeadlineMissed { task, .. }
            | Evidence::JitterExceedsDeadline { task } => Some(*task),
            _ => None,
        }
    }

    /// Replaces each task position p in the evidence by `tasks[p]`.
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
    /// Writes the evidence in one line for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Evidence::DemandWithinSupply { interval_ns, checked } if !checked.is_empty() => write!(
                f,
                "the demand fits into every interval of up to {interval_ns} ({} {} checked)",
                checked.len(),
                if checked.len() == 1 {
                    "interval"
                } else {
                    "intervals"
                }
            ),
            Evidence::DemandWithinSupply { interval_ns, .. } if *interval_ns > Time::ZERO => write!(
                f,
                "the demand fits into every interval: no job is due within {interval_ns}, and longer intervals are always long enough, so no interval needs a check"
            ),
            Evidence::DemandWithinSupply { .. } => {
                write!(
                    f,
                    "the utilization is at most 1 and no deadline is before the end of the period"
                )
            }
            Evidence::DemandExceedsInterval {
                interval_ns,
                demand_ns,
            } => write!(
                f,
                "the jobs released and due within {interval_ns} need {}, which is {} too much",
                Time::from_ns(*demand_ns),
                Time::from_ns(demand_ns.saturating_sub(interval_ns.ns()))
            ),
            Evidence::UtilizationAboveOne => write!(f, "the utilization is above 1"),
            Evidence::ResponseTimes { .. } => write!(f, "every task has a response time within its deadline"),
            Evidence::DeadlineMissed {
                task,
                busy_period_ns,
                response_time_ns,
            } => write!(
                f,
                "task #{task} may miss its deadline: a response time may reach {response_time_ns} in a busy period of {busy_period_ns}"
            ),
            Evidence::JitterExceedsDeadline { task } => {
                write!(
                    f,
                    "the jitter of task #{task} is at least its deadline: a job may be released at its deadline or later"
                )
            }
            Evidence::NoPriorityOrder { tasks } => write!(
                f,
                "no priority order meets all deadlines: among {}, the task with the lowest priority always misses its deadline",
                counted(tasks.len(), "task")
            ),
            Evidence::BoundHolds => write!(f, "the tasks are within the bound of the test"),
            Evidence::BoundExceeded => {
                write!(
                    f,
                    "the tasks exceed the bound of this sufficient test (they may still be schedulable)"
                )
            }
            Evidence::WcetUnknown { task } => {
                write!(
                    f,
                    "the WCET of task #{task} is unknown for the number of SMs of the partition"
                )
            }
            Evidence::WorkWithinCapacity => {
                write!(
                    f,
                    "the work of the tasks fits into the capacity of the SMs (necessary condition, not a proof)"
                )
            }
            Evidence::WorkExceedsCapacity => {
                write!(f, "the work of the tasks exceeds the capacity of the SMs")
            }
            Evidence::WcetExceedsDeadline {
                task,
                wcet_ns,
                deadline_ns,
            } => write!(
                f,
                "the WCET of task #{task} is {wcet_ns}, which is {} more than its deadline of {deadline_ns}",
                wcet_ns.checked_sub(*deadline_ns).unwrap_or_default()
            ),
            Evidence::Undecided { steps } => {
                write!(
                    f,
                    "inconclusive: the test stopped after {steps} steps, and the tasks count as not schedulable"
                )
            }
        }
    }
}
