//! How far a plan is from the edge: WCETs that may grow, SMs that may go.

use crate::partitioning::search::Problem;
use crate::partitioning::search::lemmas::smallest;
use crate::schedulability::{self, Demand};
use gpusched_model::plan::{Partition, PartitionSlack, Plan, Sensitivity, TaskSlack};
use gpusched_model::time::Time;

/// The largest factor that is looked for, in thousandths; more is reported as this.
pub const LARGEST_SCALING: u64 = 1_000_000;

/// The sensitivity of `plan`, an answer to `problem`; `None` if the plan is not schedulable.
///
/// Per task, the largest factor by which its WCET (and its longest block) may grow, with everything else as it is. Per
/// partition, how many of its SMs could be taken away. Both by bisection, for every test is monotone in them: a longer
/// WCET asks for more and blocks for longer, and WCETs do not grow with the SMs.
pub fn sensitivity(problem: &Problem<'_>, plan: &Plan) -> Option<Sensitivity> {
    if !plan.schedulable {
        return None;
    }
    Some(Sensitivity {
        free_sms: problem.sms().saturating_sub(plan.sms_used),
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

/// The slack of partition `index` where partitions disturb each other: all of them must pass after a change.
///
/// Fewer SMs may draw less from memory and so help others; the bisection finds a number that passes, not always the least.
fn slack_beside(problem: &Problem<'_>, plan: &Plan, index: usize) -> PartitionSlack {
    let passes = |sms: Option<u32>, scaled: Option<(usize, u64)>| {
        let parts = plan.partitions.iter().enumerate().map(|(other, partition)| {
            let sms = sms.filter(|_| other == index).unwrap_or(partition.sms);
            (&partition.tasks[..], sms)
        });
        let parts: Vec<(&[usize], u32)> = parts.collect();
        let verdicts = problem.verdicts_scaled(&parts, |task, demand| match scaled {
            Some((changed, permille)) if changed == task => scale(&demand, permille),
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
                wcet_scaling_permille: largest_scaling(problem, partition.sms, &demands, position),
            })
            .collect(),
    }
}

/// The largest factor in thousandths, at least 1000, with which the partition passes.
fn largest_scaling(problem: &Problem<'_>, sms: u32, demands: &[Demand], position: usize) -> u64 {
    let mut scaled = demands.to_vec();
    largest(|permille: u64| {
        scaled[position] = scale(&demands[position], permille);
        schedulability::accepts(problem.policy(), &scaled, sms)
    })
}

/// The largest factor in thousandths, at least 1000, that `passes`.
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

/// `demand` with WCET, block and work times `permille`/1000, rounded up, at most 2⁶³ ns: longer than any deadline.
fn scale(demand: &Demand, permille: u64) -> Demand {
    let times = |time: Time| {
        let ns = (u128::from(time.ns()) * u128::from(permille)).div_ceil(1000);
        Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX).min(Time::LIMIT.ns() + 1))
    };
    Demand {
        wcet: times(demand.wcet),
        block: times(demand.block),
        least_work: demand.least_work.saturating_mul(permille.into()).div_ceil(1000),
        ..*demand
    }
}
