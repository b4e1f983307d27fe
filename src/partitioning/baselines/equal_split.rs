//! First-fit and worst-fit decreasing on a GPU split into equal partitions beforehand.

use std::cmp::Reverse;
use std::time::Instant;

use super::super::examiner::Examiner;
use super::super::group::Group;
use super::super::{Candidate, Outcome};
use crate::model::plan::SearchStats;
use crate::model::utilization::Utilization;

/// Which of the partitions that can take a task gets it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Fit {
    /// The first.
    First,
    /// The one with the lowest utilization; ties: the first.
    Worst,
}

/// Tasks by decreasing utilization (Cⁿ at the first partition's size; ties: lowest position) on `split` partitions, of
/// which the first M mod `split` have one SM more. Without `split`: the smallest number of partitions that takes all.
///
/// Partitions that stay empty are dropped; a task that fits nowhere is left out, and no further one is placed.
pub(in super::super) fn equal_split(examiner: &mut Examiner<'_>, fit: Fit, split: Option<u32>) -> Outcome {
    let start = Instant::now();
    let problem = examiner.problem();
    let complete = |partitions: &Vec<Candidate>| {
        let placed: usize = partitions.iter().map(|p| p.tasks.len()).sum();
        placed == problem.tasks().len()
    };
    let mut merges_tested = 0;
    let partitions = match split {
        Some(split) => place(examiner, fit, split.clamp(1, problem.sms()), &mut merges_tested),
        None => (1..=problem.sms())
            .map(|split| place(examiner, fit, split, &mut merges_tested))
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

fn place(examiner: &mut Examiner<'_>, fit: Fit, split: u32, merges_tested: &mut u64) -> Vec<Candidate> {
    let problem = examiner.problem();
    let (size, larger) = (problem.sms() / split, problem.sms() % split);
    let mut partitions: Vec<Candidate> = (0..split)
        .map(|index| Candidate::new(problem, size + u32::from(index < larger), Vec::new()))
        .collect();

    let mut singles: Vec<Candidate> = (0..problem.tasks().len())
        .map(|task| Candidate::new(problem, partitions[0].sms, vec![task]))
        .collect();
    singles.sort_by_cached_key(|single| Reverse(load(examiner, single)));
    for single in singles {
        let mut order: Vec<usize> = (0..partitions.len()).collect();
        if fit == Fit::Worst {
            order.sort_by_cached_key(|&index| load(examiner, &partitions[index]).unwrap_or_default());
        }
        let accepting = order.into_iter().find(|&index| {
            let partition = &partitions[index];
            *merges_tested += 1;
            examiner.accepts(&Group::of_both(problem, partition, &single), partition.sms)
        });
        match accepting {
            Some(index) => {
                partitions[index] = partitions[index].joined(&single, problem, partitions[index].sms)
            }
            None => break,
        }
    }
    partitions.retain(|partition| !partition.tasks.is_empty());
    partitions
}

fn load(examiner: &mut Examiner<'_>, partition: &Candidate) -> Option<Utilization> {
    let group = Group::of(examiner.problem(), partition);
    examiner.utilization(&group, partition.sms)
}
