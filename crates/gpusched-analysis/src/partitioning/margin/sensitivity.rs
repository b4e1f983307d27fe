//! Sensitivity of a plan: how much the WCETs may grow, and how many SMs each partition can lose,
//! before the plan fails.

use crate::partitioning::problem::{Problem, Scale};
use crate::partitioning::search::lemmas::smallest;
use crate::schedulability::{self, Demand};
use gpusched_model::device::Place;
use gpusched_model::plan::{LARGEST_SCALING, Partition, PartitionSlack, Plan, Sensitivity, TaskSlack};

/// Returns the sensitivity of `plan`, which is a solution of `problem`. Returns `None` if the plan is not schedulable. The
/// sensitivity has three parts.
///
/// * The largest factor by which the WCETs and the longest thread blocks of all tasks may grow
///   together.
/// * For each task, the largest factor by which its WCET and its longest thread block may grow
///   while all other tasks stay unchanged.
/// * For each partition, the number of SMs that the partition can lose.
///
/// Bisection finds these factors and numbers, because every test is monotone. A longer WCET
/// causes more demand and longer blocking, and no WCET grows with the number of SMs.
pub fn sensitivity(problem: &Problem<'_>, plan: &Plan) -> Option<Sensitivity> {
    if !plan.schedulable {
        return None;
    }
    Some(Sensitivity {
        free_sms: problem.sms().saturating_sub(plan.sms_used),
        wcet_scaling_permille: joint_scaling(problem, &plan.partitions),
        partitions: match problem.memory() {
            None => plan
                .partitions
                .iter()
                .map(|partition| partition_slack(problem, partition))
                .collect(),
            Some(_) => (0..plan.partitions.len())
                .map(|index| slack_beside(problem, plan, index))
                .collect(),
        },
    })
}

/// Returns the largest factor, in thousandths, by which every WCET and every longest thread block
/// may grow while all `partitions` pass their tests. The factor is at least 1000.
pub(crate) fn joint_scaling(problem: &Problem<'_>, partitions: &[Partition]) -> u64 {
    largest(|permille| all_pass(&problem.scaled(Scale::permille(permille)), partitions))
}

/// Returns a partition with its tasks, its number of SMs and its place.
pub(super) fn placed(partition: &Partition) -> (&[usize], u32, Option<&Place>) {
    (&partition.tasks, partition.sms, partition.place.as_ref())
}

/// Whether all `partitions` pass their tests. If partitions share a memory, one test covers all these partitions.
fn all_pass(problem: &Problem<'_>, partitions: &[Partition]) -> bool {
    let mut parts = partitions
        .iter()
        .map(|partition| (&partition.tasks[..], partition.sms));
    match problem.memory() {
        None => parts.all(|(tasks, sms)| problem.accepts(tasks, sms)),
        Some(_) => {
            let parts: Vec<_> = { partitions.iter() }.map(placed).collect();
            problem
                .verdicts_at(&parts)
                .iter()
                .all(|verdict| verdict.schedulable)
        }
    }
}

/// Returns the spare SMs and the WCET margins of partition `index` if the partitions share a
/// memory. After each change of this partition, all partitions must pass their tests.
///
/// With fewer SMs, a partition may cause less memory traffic, so the test may not be monotone in
/// the SMs. If the test is not monotone, bisection finds a number of SMs with which all partitions pass, but not always
/// the smallest number.
fn slack_beside(problem: &Problem<'_>, plan: &Plan, index: usize) -> PartitionSlack {
    let places: Vec<Option<&Place>> = { plan.partitions.iter() }.map(|one| one.place.as_ref()).collect();
    let sharing = problem.sharing_at(&places);
    let passes = |sms: Option<u32>, scaled: Option<(usize, u64)>| {
        let parts = plan.partitions.iter().enumerate().map(|(other, partition)| {
            let sms = sms.filter(|_| other == index).unwrap_or(partition.sms);
            (&partition.tasks[..], sms)
        });
        let parts: Vec<(&[usize], u32)> = parts.collect();
        let verdicts = problem.verdicts_scaled(&parts, &sharing, |task, demand| match scaled {
            Some((changed, permille)) if changed == task => {
                problem.scaled_demand(task, Scale::permille(permille), &demand)
            }
            _ => demand,
        });
        verdicts.iter().all(|verdict| verdict.schedulable)
    };
    let partition = &plan.partitions[index];
    let least = smallest(1, partition.sms, |sms| passes(Some(sms), None));
    let tasks = partition.tasks.iter().map(|&task| TaskSlack {
        task,
        wcet_scaling_permille: largest(|permille| passes(None, Some((task, permille)))),
    });
    PartitionSlack {
        spare_sms: partition.sms - least.unwrap_or(partition.sms),
        tasks: tasks.collect(),
    }
}

fn partition_slack(problem: &Problem<'_>, partition: &Partition) -> PartitionSlack {
    let least = smallest(1, partition.sms, |sms| problem.accepts(&partition.tasks, sms));
    let demands = problem
        .demands(&partition.tasks, partition.sms)
        .unwrap_or_default();
    PartitionSlack {
        spare_sms: partition.sms - least.unwrap_or(partition.sms),
        tasks: partition
            .tasks
            .iter()
            .zip(0..demands.len())
            .map(|(&task, position)| TaskSlack {
                task,
                wcet_scaling_permille: largest_scaling(problem, partition.sms, &demands, (task, position)),
            })
            .collect(),
    }
}

/// Returns the largest factor on the demand of `task` at `position`, in thousandths, such that the partition still passes its
/// test. The factor is at least 1000.
fn largest_scaling(
    problem: &Problem<'_>,
    sms: u32,
    demands: &[Demand],
    (task, position): (usize, usize),
) -> u64 {
    let mut scaled = demands.to_vec();
    largest(|permille: u64| {
        scaled[position] = problem.scaled_demand(task, Scale::permille(permille), &demands[position]);
        schedulability::accepts(problem.policy(), &scaled, sms)
    })
}

/// Returns the largest factor, in thousandths, for which `passes` is true. The factor is at least 1000.
fn largest(mut passes: impl FnMut(u64) -> bool) -> u64 {
    let (mut holds, mut fails) = (1000, LARGEST_SCALING + 1);
    while fails - holds > 1 {
        let middle = holds + (fails - holds) / 2;
        if passes(middle) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
    holds
}
