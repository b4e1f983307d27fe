//! From a plan to a program: the partitions, tasks and budgets that a backend runs.

use gpusched_analysis::interference::model_of;
use gpusched_analysis::partitioning::Problem;
use gpusched_analysis::schedulability::{Demand, evidence};
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::plan::Partition;
use gpusched_model::policy::Preemption;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Plan, Policy, TaskSet};
use gpusched_verify::verify;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::core::{Arrivals, Core, Order, Task};
use crate::overheads::Overheads;

/// A verified plan in the form that a backend runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Partitions in the order of the plan.
    pub partitions: Vec<Part>,
    /// Bounds on the overheads of the dispatcher.
    pub overheads: Overheads,
    /// M: number of SMs of the GPU.
    pub gpu_sms: u32,
    /// Kind of the partitions of the plan. `None` for a plan without a device.
    pub granularity: Option<Granularity>,
    /// SHA-256 of the plan as gpusched writes it.
    pub plan_sha256: String,
    /// SHA-256 of the task set as gpusched writes it.
    pub set_sha256: String,
}

/// Largest number of jobs of a run. The trace of a run is stored in memory.
pub const MAX_JOBS: u64 = 5_000_000;

/// A partition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Number of SMs |P|.
    pub sms: u32,
    /// Policy of the partition.
    pub policy: Policy,
    /// Order of the jobs that wait.
    pub order: Order,
    /// Tasks of the partition, in the order of their positions in the task set.
    pub tasks: Vec<PlannedTask>,
}

/// A task on its partition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlannedTask {
    /// Position of the task in the task set.
    pub position: usize,
    /// Name of the task.
    pub name: String,
    /// Period T.
    pub period: Time,
    /// Relative deadline D.
    pub deadline: Time,
    /// C(m): WCET on the SMs of the partition, without overheads.
    pub wcet: Time,
    /// C' = C + o: budget of the occupancy.
    pub budget: Time,
}

/// Result of [`Program::prepare`] for valid input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prepared {
    /// The plan is proven with the overheads.
    Ready(Box<Program>),
    /// The plan states that it is not schedulable, or a partition fails its test with the overheads. The text states
    /// the reason.
    Unproven(String),
}

impl Program {
    /// Verifies `plan` for `set`, and tests each partition again with `overheads`.
    ///
    /// # Errors
    /// Refuses a plan that is wrong, a policy that a dispatcher for GPUs cannot follow, and names that a trace cannot
    /// contain. The field of a refusal is a field of the plan or of the set.
    pub fn prepare(plan: &Plan, set: &TaskSet, overheads: Overheads) -> Result<Prepared> {
        if !plan.schedulable {
            return Ok(Prepared::Unproven("the plan is not schedulable".to_owned()));
        }
        plan.partitions
            .iter()
            .try_for_each(|part| dispatchable(part.verdict.policy))?;
        // The runtime does not use the lower bound and the margin.
        let checked = Plan {
            bound: None,
            margin: None,
            ..plan.clone()
        };
        verify(&checked, set).map_err(|fault| Refusal::told(fault.field, fault.message))?;
        let interference = match plan.interference {
            Some(interference) if !interference.counts_memory() => interference,
            found => {
                let found = found.map_or("none".to_owned(), |found| found.to_string());
                let expected = "conflict or none, because the budget of a job must be a fixed time";
                return Err(Error::parameter("interference", found, expected));
            }
        };
        check_names(set)?;
        let mut partitions = Vec::with_capacity(plan.partitions.len());
        for (index, partition) in plan.partitions.iter().enumerate() {
            let policy = partition.verdict.policy;
            let problem = Problem::new(set, plan.gpu_sms, policy, model_of(interference))?;
            let unknown = |task| Error::Internal(format!("the verified plan has no WCET of task {task}"));
            let demands = problem
                .demands(&partition.tasks, partition.sms)
                .map_err(unknown)?;
            match part(partition, set, &demands, &overheads) {
                Some(part) => partitions.push(part),
                None => return Ok(Prepared::Unproven(fails(index, partition, &overheads))),
            }
        }
        Ok(Prepared::Ready(Box::new(Program {
            partitions,
            gpu_sms: plan.gpu_sms,
            granularity: plan.hardware.as_ref().map(|hardware| hardware.granularity),
            plan_sha256: digest(plan)?,
            set_sha256: digest(set)?,
            overheads,
        })))
    }
}

impl Program {
    /// Returns the number of jobs that arrive before `duration`, or an error above [`MAX_JOBS`].
    ///
    /// # Errors
    /// Refuses a duration with more jobs.
    pub fn jobs(&self, duration: Time) -> Result<u64> {
        let jobs: u128 = self.partitions.iter().map(|part| part.jobs(duration)).sum();
        match u64::try_from(jobs) {
            Ok(jobs) if jobs <= MAX_JOBS => Ok(jobs),
            _ => Err(Error::parameter(
                "duration",
                format!("{duration} with {jobs} jobs"),
                format!("a time with at most {MAX_JOBS} jobs"),
            )),
        }
    }
}

impl Part {
    /// Returns the number of jobs that arrive before `duration`.
    pub fn jobs(&self, duration: Time) -> u128 {
        let of = |task: &PlannedTask| u128::from(duration.ns().div_ceil(task.period.ns().max(1)));
        self.tasks.iter().map(of).sum()
    }

    /// Creates the dispatcher of this partition. The first job of each task arrives at `first`, and no job arrives at
    /// `end` or later [ns]. `wake_bound` is w [ns].
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if the order of the tasks is not a permutation. [`Program::prepare`] never creates
    /// such a partition.
    pub fn core(&self, first: u64, end: u64, wake_bound: Time) -> Result<Core> {
        let task = |task: &PlannedTask| Task {
            arrivals: Arrivals::Periodic { first },
            period: task.period.ns(),
            deadline: task.deadline.ns(),
            budget: task.budget.ns(),
        };
        let tasks: Vec<Task> = self.tasks.iter().map(task).collect();
        let wrong = || {
            Error::Internal(format!(
                "the order {:?} is no order of {} tasks",
                self.order,
                tasks.len()
            ))
        };
        Core::new(&tasks, &self.order, wake_bound.ns(), end).ok_or_else(wrong)
    }
}

/// Checks that the runtime can dispatch jobs under `policy`.
fn dispatchable(policy: Policy) -> Result<()> {
    let reason = match policy {
        Policy::NpEdf | Policy::FixedPriority(Preemption::NonPreemptive, _) => return Ok(()),
        Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => {
            "because the runtime launches whole jobs"
        }
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => "because a necessary condition proves no plan",
        Policy::Edf
        | Policy::Density
        | Policy::Hyperbolic
        | Policy::LiuLayland
        | Policy::FixedPriority(Preemption::Preemptive, _) => "because a GPU cannot preempt at any point",
    };
    Err(Refusal::new("policy", policy, format!("np-edf, np-fp…, {reason}")).into())
}

/// Checks that a recording can name each task. In a recording, the name of a job is the name of its task, `#`, and the
/// number of the job.
fn check_names(set: &TaskSet) -> Result<()> {
    let mut seen = std::collections::BTreeSet::new();
    for index in 0..set.tasks().len() {
        let name = set.label(index);
        let field = format!("tasks[{index}].name");
        if set.tasks()[index].name().is_some_and(|name| name.contains('#')) {
            let expected = "a name without `#`, because a recording appends `#` and the number of the job";
            return Err(Error::parameter(field, format!("{name:?}"), expected));
        }
        if !seen.insert(name.clone()) {
            return Err(Error::parameter(
                field,
                format!("{name:?} twice"),
                "a name for each task",
            ));
        }
    }
    Ok(())
}

/// Returns the partition with its budgets, or `None` if its tasks fail the test with the overheads.
fn part(partition: &Partition, set: &TaskSet, demands: &[Demand], overheads: &Overheads) -> Option<Part> {
    let policy = partition.verdict.policy;
    let inflated: Vec<Demand> = demands
        .iter()
        .map(|&demand| overheads.added(demand))
        .collect::<Option<_>>()?;
    let order = match evidence(policy, &inflated, partition.sms) {
        Evidence::ResponseTimes { priorities, .. } => Order::Ranks(priorities),
        evidence if evidence.is_positive() => Order::Deadlines,
        _ => return None,
    };
    let tasks = partition.tasks.iter().zip(demands.iter().zip(&inflated));
    let tasks = tasks.map(|(&position, (plain, inflated))| PlannedTask {
        position,
        name: set.label(position),
        period: plain.period,
        deadline: plain.deadline,
        wcet: plain.wcet,
        budget: inflated.wcet,
    });
    Some(Part {
        sms: partition.sms,
        policy,
        order,
        tasks: tasks.collect(),
    })
}

/// Returns the reason why a partition cannot run with `overheads`.
fn fails(index: usize, partition: &Partition, overheads: &Overheads) -> String {
    format!(
        "partition {index} fails the test of {} with the overheads {} per job and {} per wake-up",
        partition.verdict.policy, overheads.occupancy_ns, overheads.wake_ns
    )
}

fn digest(value: &impl serde::Serialize) -> Result<String> {
    let text = serde_json::to_vec(value).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(Sha256::digest(&text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
