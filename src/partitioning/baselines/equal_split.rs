//! First-fit and worst-fit decreasing on a GPU split into equal partitions beforehand.

use std::cmp::Reverse;
use std::time::Instant;

use super::super::{Candidate, Outcome, Problem};
use crate::model::plan::SearchStats;
use crate::model::utilization::Utilization;

/// Which of the partitions that can take a task gets it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fit {
    /// The first.
    First,
    /// The one with the lowest utilization; ties: the first.
    Worst,
}

/// Tasks by decreasing utilization (Cⁿ at the first partition's size; ties: lowest position) on `split` partitions, of
/// which the first M mod `split` have one SM more. Without `split`: the smallest number of partitions that takes all.
///
/// Partitions that stay empty are dropped; a task that fits nowhere is left out, and no further one is placed.
pub fn equal_split(problem: &Problem<'_>, fit: Fit, split: Option<u32>) -> Outcome {
    let start = Instant::now();
    let complete = |partitions: &Vec<Candidate>| {
        let placed: usize = partitions.iter().map(|p| p.tasks.len()).sum();
        placed == problem.tasks().len()
    };
    let mut merges_tested = 0;
    let partitions = match split {
        Some(split) => place(problem, fit, split.clamp(1, problem.sms()), &mut merges_tested),
        None => (1..=problem.sms())
            .map(|split| place(problem, fit, split, &mut merges_tested))
            .find(complete)
            .unwrap_or_default(),
    };
    Outcome {
        partitions,
        stats: SearchStats {
            merges_tested,
            search_ns: u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
            ..SearchStats::default()
        },
    }
}

fn place(problem: &Problem<'_>, fit: Fit, split: u32, merges_tested: &mut u64) -> Vec<Candidate> {
    let (size, larger) = (problem.sms() / split, problem.sms() % split);
    let mut partitions: Vec<Candidate> = (0..split)
        .map(|index| Candidate {
            sms: size + u32::from(index < larger),
            tasks: Vec::new(),
        })
        .collect();

    let mut tasks: Vec<usize> = (0..problem.tasks().len()).collect();
    tasks.sort_by_key(|&task| Reverse(problem.utilization(&[task], size + u32::from(larger > 0))));
    for task in tasks {
        let mut order: Vec<usize> = (0..partitions.len()).collect();
        if fit == Fit::Worst {
            order.sort_by_key(|&index| load(problem, &partitions[index]));
        }
        let accepting = order.into_iter().find_map(|index| {
            let mut tasks = partitions[index].tasks.clone();
            tasks.insert(tasks.partition_point(|&other| other < task), task);
            *merges_tested += 1;
            problem
                .accepts(&tasks, partitions[index].sms)
                .then_some((index, tasks))
        });
        match accepting {
            Some((index, tasks)) => partitions[index].tasks = tasks,
            None => break,
        }
    }
    partitions.retain(|partition| !partition.tasks.is_empty());
    partitions
}

fn load(problem: &Problem<'_>, partition: &Candidate) -> Utilization {
    problem
        .utilization(&partition.tasks, partition.sms)
        .unwrap_or_default()
}
