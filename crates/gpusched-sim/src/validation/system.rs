//! Conversion of the input of an analysis to the input of a simulator. The conversion preserves
//! tasks, times and partitions.

use crate::tasks::{Discipline, Order, Task, priorities};
use gpusched_analysis::partitioning::Problem;
use gpusched_analysis::schedulability::Demand;
use gpusched_model::error::Error;
use gpusched_model::policy::{Policy, Priorities};
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Factor, Plan};

/// A partition in the form that the simulator uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Number of SMs |P|.
    pub sms: u32,
    /// Scheduling policy of the partition.
    pub policy: Policy,
    /// Positions of the tasks of the partition in the task set.
    pub positions: Vec<usize>,
    /// Tasks of the partition, in the order of `positions`.
    pub tasks: Vec<Task>,
    /// Scheduling discipline of the partition.
    pub discipline: Discipline,
    /// Positions in `tasks`, sorted by decreasing rank.
    pub order: Vec<usize>,
}

/// Reason why a partition cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// The policy is only a necessary condition, which has no scheduler.
    #[error("{policy} is only a schedulability condition, expected a policy with a scheduler such as edf")]
    Condition {
        /// Scheduling policy of the partition.
        policy: Policy,
    },
    /// The WCET of a task is unknown for the number of SMs of the partition.
    #[error("the WCET of task #{task} is unknown for {sms} SMs")]
    WcetUnknown {
        /// Position of the task in the task set.
        task: usize,
        /// Number of SMs of the partition.
        sms: u32,
    },
    /// Audsley's algorithm finds no priorities that meet all deadlines.
    #[error("{policy} finds no priorities that meet all deadlines, expected other tasks or another policy")]
    NoOrder {
        /// Scheduling policy of the partition.
        policy: Policy,
    },
}

impl From<PartError> for Error {
    fn from(error: PartError) -> Error {
        match error {
            PartError::Condition { policy } => {
                let found = format!("{policy}, which is only a schedulability condition");
                Error::parameter("policy", found, "a policy with a scheduler such as edf")
            }
            PartError::WcetUnknown { task, sms } => {
                let found = format!("no WCET for {sms} SMs");
                Error::parameter(
                    format!("tasks[{task}].wcet"),
                    found,
                    "a WCET for each partition size",
                )
            }
            PartError::NoOrder { policy } => {
                let found = format!("{policy}, which finds no priorities that meet all deadlines");
                Error::parameter("policy", found, "other tasks or another policy")
            }
        }
    }
}

impl Part {
    /// Creates the partition of `sms` SMs that contains the tasks at `positions` of `problem`.
    /// The scheduling policy is `policy`. Simulated execution times are at least `shortest` times
    /// the WCET, where `shortest` is at most 1.
    ///
    /// # Errors
    /// Fails with [`PartError`] if the partition cannot be simulated.
    pub fn new(
        problem: &Problem<'_>,
        positions: &[usize],
        sms: u32,
        policy: Policy,
        shortest: Factor,
    ) -> Result<Part, PartError> {
        Part::with_order(problem, positions, sms, policy, shortest, None)
    }

    /// Returns the partition where jobs of the task with the stream `starved` execute only while no job of another task is
    /// ready. Only for kernels that run together, which may share the SMs in this way.
    pub fn starving(&self, starved: u64) -> Part {
        let mut part = self.clone();
        if part.discipline.order == Order::Any && part.tasks.iter().any(|task| task.stream == starved) {
            part.discipline.order = Order::Ranks;
            part.order.sort_by_key(|&task| part.tasks[task].stream == starved); // stable
        }
        part
    }

    /// Creates a partition as [`Part::new`] does. `order` contains indices in `positions`, sorted
    /// by decreasing rank. If `order` is `None`, the policy determines the ranks.
    pub(super) fn with_order(
        problem: &Problem<'_>,
        positions: &[usize],
        sms: u32,
        policy: Policy,
        shortest: Factor,
        order: Option<Vec<usize>>,
    ) -> Result<Part, PartError> {
        let discipline = Discipline::of(policy).ok_or(PartError::Condition { policy })?;
        let demands = problem
            .demands(positions, sms)
            .map_err(|task| PartError::WcetUnknown { task, sms })?;
        let tasks: Vec<Task> = positions
            .iter()
            .zip(&demands)
            .map(|(&position, demand)| task(demand, position as u64, shortest))
            .collect();
        let order = match order.or_else(|| priorities(policy, &tasks)) {
            Some(order) => order,
            None => audsley(policy, &demands).ok_or(PartError::NoOrder { policy })?,
        };
        Ok(Part {
            sms,
            policy,
            positions: positions.to_vec(),
            tasks,
            discipline,
            order,
        })
    }
}

/// Converts `demand` to a task of the simulator.
fn task(demand: &Demand, stream: u64, shortest: Factor) -> Task {
    let wcet = demand.wcet.ns();
    let (numerator, denominator) = shortest.ratio();
    let least = (u128::from(wcet) * u128::from(numerator)).div_ceil(u128::from(denominator.max(1)));
    Task {
        wcet: demand.wcet,
        shortest: Time::from_ns(u64::try_from(least).unwrap_or(wcet).clamp(1, wcet.max(1))),
        block: demand.block,
        period: demand.period,
        deadline: demand.deadline,
        jitter: demand.jitter,
        stream,
    }
}

/// Returns the priority order that Audsley's algorithm finds, or `None`.
fn audsley(policy: Policy, demands: &[Demand]) -> Option<Vec<usize>> {
    debug_assert!(matches!(policy, Policy::FixedPriority(_, Priorities::Audsley)));
    match gpusched_analysis::schedulability::evidence(policy, demands, 1) {
        Evidence::ResponseTimes { priorities, .. } => Some(priorities),
        _ => None,
    }
}

/// Returns the partitions of `plan`. If `policy` is `None`, each partition has the policy that the plan states.
/// `shortest` has the same meaning as in [`Part::new`].
///
/// # Errors
/// Fails with [`Error::Refused`] if the plan does not match the tasks of `problem`, or if a
/// partition cannot be simulated.
pub fn parts(
    problem: &Problem<'_>,
    plan: &Plan,
    policy: Option<Policy>,
    shortest: Factor,
) -> Result<Vec<Part>, Error> {
    let mut place = vec![None; problem.tasks().len()];
    for (index, partition) in plan.partitions.iter().enumerate() {
        for &task in &partition.tasks {
            let field = format!("partitions[{index}].tasks");
            match place.get_mut(task) {
                Some(free @ None) => *free = Some(index),
                Some(Some(other)) => {
                    let found = format!("task #{task}, which is also in partitions[{other}]");
                    return Err(Error::parameter(
                        field,
                        found,
                        "each task in exactly one partition",
                    ));
                }
                None => {
                    let last = place.len().saturating_sub(1);
                    let expected = format!("at most #{last}, the last task of the set");
                    return Err(Error::parameter(field, format!("task #{task}"), expected));
                }
            }
        }
    }
    if let Some(task) = place.iter().position(Option::is_none) {
        let found = format!("no partition with task #{task}");
        return Err(Error::parameter(
            "partitions",
            found,
            "a plan that assigns each task to a partition",
        ));
    }
    let part = |partition: &gpusched_model::Partition| {
        let policy = policy.unwrap_or(partition.verdict.policy);
        Part::new(problem, &partition.tasks, partition.sms, policy, shortest)
    };
    Ok(plan.partitions.iter().map(part).collect::<Result<_, _>>()?)
}
