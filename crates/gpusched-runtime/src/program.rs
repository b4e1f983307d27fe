//! From a plan to a program: the partitions, tasks and budgets that a backend runs.

use gpusched_analysis::interference::model_of;
use gpusched_analysis::partitioning::Problem;
use gpusched_analysis::schedulability::{Demand, evidence};
use gpusched_model::device::Hardware;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::identity::sha256;
use gpusched_model::plan::Partition;
use gpusched_model::policy::Preemption;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Overheads, Plan, Policy, TaskSet, Times};
use gpusched_verify::verify;
use serde::{Deserialize, Serialize};

use crate::core::{Arrivals, Core, Order, Overrun, Task};

/// A verified plan in the form that a backend runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Partitions in the order of the plan.
    pub partitions: Vec<Part>,
    /// Bounds on the overheads of the dispatcher. `None` if neither the plan nor the user states them: the WCETs include
    /// the overheads.
    pub overheads: Option<Overheads>,
    /// Consequence of a job that exceeds its budget.
    pub overrun: Overrun,
    /// M: number of SMs of the GPU.
    pub gpu_sms: u32,
    /// GPU of the plan, and its kind of partitions. `None` for a plan without a device.
    pub hardware: Option<Hardware>,
    /// Reason why the plan is not proven with the overheads. `None` if it is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unproven: Option<String>,
    /// SHA-256 of the plan as gpusched writes it.
    pub plan_sha256: String,
    /// SHA-256 of the task set as gpusched writes it.
    pub set_sha256: String,
}

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
    /// b: longest time between two preemption points. `None` for a job without preemption points, which is one chunk.
    pub block: Option<Time>,
    /// C' = C + n·o for n chunks: budget of the occupancy. Without preemption points, n is 1.
    pub budget: Time,
    /// b' = b + o: budget of a chunk.
    pub chunk: Time,
    /// Whether the program of the user releases the jobs. Otherwise, they arrive periodically.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sporadic: bool,
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
    /// Verifies `plan` for `set`, and tests each partition again with the overheads. If the plan states overheads, they
    /// are the overheads of the run, and `stated` must not be larger. Otherwise, `stated` are the overheads of the run.
    /// Without both, the WCETs include the overheads.
    ///
    /// # Errors
    /// Refuses a plan that is wrong, a policy that a dispatcher for GPUs cannot follow, and names that a trace cannot
    /// contain. Refuses overheads above the bounds in the plan, and a run without overheads if the WCETs are times on the GPU
    /// alone. The field of a refusal is a field of the plan or of the set.
    pub fn prepare(plan: &Plan, set: &TaskSet, stated: Option<Overheads>) -> Result<Prepared> {
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
        let overheads = overheads(plan, set, stated)?;
        let mut partitions = Vec::with_capacity(plan.partitions.len());
        for (index, partition) in plan.partitions.iter().enumerate() {
            let policy = partition.verdict.policy;
            let problem = Problem::new(set, plan.gpu_sms, policy, model_of(interference))?;
            let problem = problem.with_overheads(overheads)?;
            match part(&problem, partition, set)? {
                Some(part) => partitions.push(part),
                None => return Ok(Prepared::Unproven(fails(&problem, (index, partition), set))),
            }
        }
        Ok(Prepared::Ready(Box::new(Program {
            partitions,
            gpu_sms: plan.gpu_sms,
            hardware: plan.hardware.clone(),
            unproven: None,
            plan_sha256: sha256(plan),
            set_sha256: sha256(set),
            overheads,
            overrun: Overrun::default(),
        })))
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
            arrivals: match task.sporadic {
                true => Arrivals::Sporadic,
                false => Arrivals::Periodic { first },
            },
            period: task.period.ns(),
            deadline: task.deadline.ns(),
            budget: task.budget.ns(),
            chunk: task.chunk.ns(),
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
        Policy::NpEdf
        | Policy::NpFifo
        | Policy::LpEdf
        | Policy::FixedPriority(Preemption::NonPreemptive | Preemption::Limited, _) => return Ok(()),
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => "because a necessary condition proves no plan",
        Policy::Concurrent => "because a dispatcher runs one kernel of a partition at a time",
        Policy::Edf
        | Policy::Density
        | Policy::Hyperbolic
        | Policy::LiuLayland
        | Policy::FixedPriority(Preemption::Preemptive, _) => "because a GPU cannot preempt at any point",
    };
    Err(Refusal::new(
        "policy",
        policy,
        format!("np-edf, np-fifo, np-fp…, lp-edf or lp-fp…, {reason}"),
    )
    .into())
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

/// Returns the overheads of a run of `plan`, if the user states `stated`.
fn overheads(plan: &Plan, set: &TaskSet, stated: Option<Overheads>) -> Result<Option<Overheads>> {
    let stated = stated.map(|stated| stated.of(set));
    let Some(proven) = plan.overheads else {
        if stated.is_none() && set.times() == Some(Times::Gpu) {
            let expected =
                "bounds on the overheads of the dispatcher, because the WCETs are times on the GPU alone";
            return Err(Error::parameter("overheads", "none", expected));
        }
        return Ok(stated);
    };
    let stated = stated.unwrap_or(proven);
    for (field, found, most) in [
        ("occupancy_ns", stated.occupancy_ns, proven.occupancy_ns),
        ("wake_ns", stated.wake_ns, proven.wake_ns),
    ] {
        if found > most {
            let expected = format!("at most {most}, which the plan counts");
            return Err(Error::parameter(format!("overheads.{field}"), found, expected));
        }
    }
    Ok(Some(proven))
}

/// Returns the partition with its budgets, or `None` if its tasks fail the test with the overheads of `problem`.
fn part(problem: &Problem<'_>, partition: &Partition, set: &TaskSet) -> Result<Option<Part>> {
    let demands = |problem: &Problem<'_>| {
        let demands = problem.demands(&partition.tasks, partition.sms);
        demands.map_err(|task| Error::Internal(format!("the verified plan has no WCET of task {task}")))
    };
    let (plain, inflated) = (demands(&problem.without_overheads())?, demands(problem)?);
    let policy = partition.verdict.policy;
    let chunks = policy.counts_blocks();
    if chunks {
        partition
            .tasks
            .iter()
            .zip(&plain)
            .try_for_each(|(&task, demand)| check_launches(problem, set, task, demand))?;
    }
    let order = match evidence(policy, &inflated, partition.sms) {
        Evidence::ResponseTimes { .. } if policy == Policy::NpFifo => Order::Arrivals,
        Evidence::ResponseTimes { priorities, .. } => Order::Ranks(priorities),
        evidence if evidence.is_positive() => Order::Deadlines,
        _ => return Ok(None),
    };
    let tasks = partition.tasks.iter().zip(plain.iter().zip(&inflated));
    let tasks = tasks.map(|(&position, (plain, inflated))| PlannedTask {
        position,
        name: set.label(position),
        period: plain.period,
        deadline: plain.deadline,
        wcet: plain.wcet,
        block: set.tasks()[position]
            .block()
            .filter(|_| chunks)
            .map(|_| plain.block),
        budget: inflated.wcet,
        chunk: if chunks { inflated.block } else { inflated.wcet },
        sporadic: false,
    });
    Ok(Some(Part {
        sms: partition.sms,
        policy,
        order,
        tasks: tasks.collect(),
    }))
}

/// Checks that the analysis counts the overhead of each chunk of a job of `task`.
fn check_launches(problem: &Problem<'_>, set: &TaskSet, task: usize, demand: &Demand) -> Result<()> {
    let stated = set.tasks()[task].launches().map_or(1, |launches| launches.get());
    let chunks = demand.wcet.ns().div_ceil(demand.block.ns().max(1)).max(1);
    if problem.overheads().is_none() || u64::from(stated) >= chunks {
        return Ok(());
    }
    let expected = format!("at least {chunks}, the number of chunks of its longest job");
    Err(Error::parameter(
        format!("tasks[{task}].launches"),
        stated,
        expected,
    ))
}

/// Returns the reason why a partition cannot run with the overheads of `problem`.
fn fails(problem: &Problem<'_>, (index, partition): (usize, &Partition), set: &TaskSet) -> String {
    match problem.caused_by_overheads(&partition.tasks, partition.sms) {
        Some(excess) => {
            let name = format!("`{}`", set.label(excess.task));
            format!("partition {index} fails its test: {}", excess.told(&name))
        }
        None => format!("partition {index} fails the test of {}", partition.verdict.policy),
    }
}
