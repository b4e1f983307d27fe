//! Plans that keep the partitions of an earlier plan: their tasks, sizes and places stay, and the other tasks get the rest of
//! the GPU.

use super::heuristic::Heuristic;
use super::heuristic::traffic::Traffic;
use super::problem::Problem;
use super::problem::hardware::{Offer, Placed};
use super::run;
use super::search::Experience;
use super::search::outcome::assembled;
use gpusched_model::Task;
use gpusched_model::plan::{Failure, Partition, Plan, SearchStats};

/// Searches for a plan of `problem` with the partitions `kept`, which contain different tasks of the problem and fit on the GPU
/// together.
///
/// gpusched first divides the rest of the GPU among the other tasks with `heuristic`. If this fails, some of these tasks join
/// kept partitions. The tasks with the most work join first, each in the partition that has the smallest utilization with the
/// task (ties: the first partition). A kept partition keeps its SMs and its place, and all its tasks still pass their test.
///
/// If the search finds no plan, the result has only the kept partitions. The plan states no lower bound, because the bound
/// would hold only for plans with these partitions.
pub fn extended(problem: &Problem<'_>, kept: &[Partition], heuristic: &Heuristic) -> Plan {
    let mut parts: Vec<Fixed> = kept.iter().map(fixed).collect();
    let is_kept = |task: usize| kept.iter().any(|partition| partition.tasks.contains(&task));
    let mut rest: Vec<usize> = (0..problem.tasks().len())
        .filter(|&task| !is_kept(task))
        .collect();
    let unchanged = parts.clone();
    let offer = problem.offer().map(|offer| offer.beside(kept));
    let used = kept
        .iter()
        .fold(0u32, |sum, partition| sum.saturating_add(partition.sms));
    let free = match &offer {
        Some(offer) if offer.shares() > 0 => Some(Ok(offer)),
        Some(_) => None,
        None => Some(problem.sms().saturating_sub(used))
            .filter(|&sms| sms > 0)
            .map(Err),
    };
    let mut stats = SearchStats::default();
    loop {
        let found = match (rest.as_slice(), free) {
            ([], _) => Some(Vec::new()),
            (rest, Some(free)) => divided(problem, rest, free, heuristic, &mut stats),
            (_, None) => None,
        };
        if let Some(new) = found {
            let plan = assembled(problem, [parts.as_slice(), &new].concat(), stats);
            if plan.schedulable {
                return plan;
            }
        }
        if !join(problem, &mut parts, &mut rest) {
            return Plan {
                schedulable: false,
                failure: Some(Failure::HeuristicFailed),
                ..assembled(problem, unchanged, stats)
            };
        }
    }
}

/// Tasks with their SMs and their place.
type Fixed = (Vec<usize>, Placed);

fn fixed(partition: &Partition) -> Fixed {
    let at = Placed {
        sms: partition.sms,
        place: partition.place.clone(),
    };
    (partition.tasks.clone(), at)
}

/// Divides the free part of the GPU among the tasks `rest`. Returns `None` if the heuristic finds no plan.
fn divided(
    problem: &Problem<'_>,
    rest: &[usize],
    free: Result<&Offer, u32>,
    heuristic: &Heuristic,
    stats: &mut SearchStats,
) -> Option<Vec<Fixed>> {
    let tasks: Vec<Task> = rest.iter().map(|&task| problem.tasks()[task].clone()).collect();
    let part = problem.part(&tasks, free);
    let plan = run::search(&part, heuristic, Traffic::All, &mut Experience::default()).plan;
    *stats = plan.stats.plus(stats);
    let renamed = |partition: &Partition| {
        let (tasks, at) = fixed(partition);
        (tasks.iter().map(|&task| rest[task]).collect(), at)
    };
    plan.schedulable
        .then(|| plan.partitions.iter().map(renamed).collect())
}

/// Adds one task of `rest` to one of `parts`. Returns whether a task could join.
fn join(problem: &Problem<'_>, parts: &mut [Fixed], rest: &mut Vec<usize>) -> bool {
    let mut order: Vec<usize> = (0..rest.len()).collect();
    let work = |position: usize| {
        let task = rest[position];
        problem.work(task, &problem.co_located(&[task]))
    };
    order.sort_by(|&a, &b| work(b).cmp(&work(a)).then(a.cmp(&b)));
    for position in order {
        let joined = |(tasks, at): &Fixed| {
            let mut tasks = tasks.clone();
            let place = tasks.partition_point(|&before| before < rest[position]);
            tasks.insert(place, rest[position]);
            problem.accepts(&tasks, at.sms).then_some(tasks)
        };
        let choices = parts.iter().enumerate().filter_map(|(index, part)| {
            let tasks = joined(part)?;
            Some((problem.utilization(&tasks, part.1.sms)?, index, tasks))
        });
        if let Some((_, index, tasks)) = choices.min_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1))) {
            parts[index].0 = tasks;
            rest.remove(position);
            return true;
        }
    }
    false
}
