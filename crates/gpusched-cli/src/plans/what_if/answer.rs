//! The result of `what-if`: the new plan, and its differences from the old plan.

use serde::Serialize;

use gpusched_analysis::partitioning::{FirstMiss, Problem, first_miss, growth};
use gpusched_model::plan::{LARGEST_SCALING, Partition};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Plan, TaskSet};

/// The old plan and its changes.
pub struct Changed<'a> {
    pub old: &'a Plan,
    /// Number of tasks in the old task set. Further tasks follow them.
    pub tasks_before: usize,
    /// New task set.
    pub set: &'a TaskSet,
    /// Number of partitions that must stay as they are.
    pub kept: usize,
    /// Whether the new plan names another GPU, so that no partition keeps its place.
    pub elsewhere: bool,
    pub scale: Option<Factor>,
    /// Whether to omit the assumptions in text.
    pub quiet: bool,
}

/// Result of `what-if`.
#[derive(Serialize)]
pub struct Answer {
    pub schedulable: bool,
    pub sms_used: u32,
    pub gpu_sms: u32,
    pub partitions: Vec<PartitionChange>,
    pub tasks: Vec<TaskAnswer>,
    /// Positions of the tasks that have another partition than before.
    pub moved: Vec<usize>,
    /// Positions of the further tasks.
    pub added: Vec<usize>,
    /// Largest factor by which all WCETs may grow together, in thousandths; absent without a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wcet_scaling_permille: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_miss: Option<Miss>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'static str>,
}

/// A partition of the new plan, compared with the old plan.
#[derive(Serialize)]
pub struct PartitionChange {
    pub sms: u32,
    pub tasks: Vec<usize>,
    pub change: Change,
    /// Position of the partition in the old plan; absent for a new partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Whether the tasks pass their test.
    pub schedulable: bool,
}

/// Difference of a partition from the old plan.
#[derive(Copy, Clone, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Change {
    /// The same tasks, SMs and place.
    Unchanged,
    /// The same SMs and place, and further tasks.
    Joined,
    /// The same tasks with another number of SMs or another place.
    Resized,
    /// Another set of tasks.
    New,
}

/// WCET of a task in the new plan, and its limit.
#[derive(Serialize)]
pub struct TaskAnswer {
    pub task: usize,
    /// Position of its partition in the new plan.
    pub partition: usize,
    /// WCET on the SMs of the partition, with contention and overheads [ns].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wcet_ns: Option<Time>,
    /// Longest time by which the WCET may grow while all other WCETs stay the same [ns].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_ns: Option<Time>,
}

/// The deadline that is missed first if all WCETs grow together.
#[derive(Serialize)]
pub struct Miss {
    /// Smallest factor with which a deadline is missed, in thousandths.
    pub permille: u64,
    pub partition: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
    /// Number of the job that misses its deadline, from 1, counted from the start of a busy period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<u64>,
    /// Time by which the job exceeds its deadline [ns].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_ns: Option<Time>,
}

impl Answer {
    /// Compares `new`, which is a plan of `problem`, with the old plan.
    pub fn new(problem: &Problem<'_>, changed: &Changed<'_>, new: &Plan) -> Answer {
        let more = growth(problem, new);
        let miss = first_miss(problem, new);
        let tasks = new.partitions.iter().enumerate().flat_map(|(index, partition)| {
            let demands = problem.demands(&partition.tasks, partition.sms).ok();
            let more = &more;
            let positions = partition.tasks.iter().enumerate();
            positions.map(move |(position, &task)| TaskAnswer {
                task,
                partition: index,
                wcet_ns: { demands.as_ref() }.and_then(|demands| Some(demands.get(position)?.wcet)),
                more_ns: more.get(task).copied().flatten(),
            })
        });
        Answer {
            schedulable: new.schedulable,
            sms_used: new.sms_used,
            gpu_sms: new.gpu_sms,
            partitions: new
                .partitions
                .iter()
                .map(|partition| change(changed, partition))
                .collect(),
            tasks: tasks.collect(),
            moved: (0..changed.tasks_before)
                .filter(|&task| has_moved(changed.old, new, task))
                .collect(),
            added: (changed.tasks_before..changed.set.tasks().len()).collect(),
            wcet_scaling_permille: new
                .schedulable
                .then(|| miss.map_or(LARGEST_SCALING, |miss| miss.permille - 1)),
            first_miss: miss.map(|miss: FirstMiss| Miss {
                permille: miss.permille,
                partition: miss.partition,
                task: miss.task,
                job: miss.job,
                late_ns: miss.late,
            }),
            failure: new.failure.as_ref().map(|failure| failure.reason()),
        }
    }
}

/// Compares `partition` of the new plan with the old plan.
fn change(changed: &Changed<'_>, partition: &Partition) -> PartitionChange {
    let old = &changed.old.partitions;
    let same_place = |other: &Partition| {
        !changed.elsewhere && other.sms == partition.sms && other.place == partition.place
    };
    let of = |is: &dyn Fn(&Partition) -> bool| old.iter().position(is);
    let contains = |other: &Partition| other.tasks.iter().all(|task| partition.tasks.contains(task));
    let (change, before) = match of(&|other| other.tasks == partition.tasks) {
        Some(index) if old.get(index).is_some_and(same_place) => (Change::Unchanged, Some(index)),
        Some(index) => (Change::Resized, Some(index)),
        None => match of(&|other| same_place(other) && contains(other)) {
            Some(index) => (Change::Joined, Some(index)),
            None => (Change::New, None),
        },
    };
    PartitionChange {
        sms: partition.sms,
        tasks: partition.tasks.clone(),
        change,
        before,
        schedulable: partition.verdict.schedulable,
    }
}

/// Whether `task` has left a task of its old partition. A task without a new partition has not moved.
fn has_moved(old: &Plan, new: &Plan, task: usize) -> bool {
    let of = |plan: &Plan| {
        let mut partitions = plan.partitions.iter();
        let own = partitions.find(|partition| partition.tasks.contains(&task));
        own.map(|partition| partition.tasks.clone())
    };
    match (of(old), of(new)) {
        (Some(before), Some(after)) => !before.iter().all(|task| after.contains(task)),
        _ => false,
    }
}
