//! First-fit decreasing and worst-fit decreasing. The GPU is first divided into partitions of equal size.

use std::cmp::Reverse;
use std::time::Instant;

use crate::partitioning::problem::Problem;
use crate::partitioning::search::tester::load::Load;
use crate::partitioning::search::{Candidate, Group, GroupTester, Outcome};
use gpusched_model::utilization::Utilization;

/// Rule that selects a partition for a task, if several partitions can accept the task.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// Selects the first partition in the list.
    First,
    /// Selects the partition with the lowest utilization. Ties: the first partition.
    Worst,
}

/// Assigns the tasks to `split` partitions in the order of decreasing utilization. The first M
/// mod `split` partitions have one extra SM. If `split` is absent, gpusched uses the smallest
/// number of partitions with which every task fits into a partition.
///
/// The utilization uses the isolated WCET Cⁿ on the SMs of the first partition. Ties: the lowest
/// task position. The result contains no empty partition. If every partition rejects a task, the
/// result contains neither this task nor any later task.
pub(crate) fn equal_split(tester: &mut GroupTester<'_>, fit: Fit, split: Option<u32>) -> Outcome {
    let start = Instant::now();
    let problem = tester.problem();
    let complete = |partitions: &Vec<Candidate>| {
        let placed: usize = partitions.iter().map(|p| p.tasks.len()).sum();
        placed == problem.tasks().len()
    };
    let singles: Vec<Candidate> = (0..problem.tasks().len())
        .map(|task| Candidate::new(problem, 1, vec![task]))
        .collect();
    let mut merges_tested = 0;
    let mut place = |split| place(tester, fit, split, &singles, &mut merges_tested);
    let partitions = match split {
        Some(split) => place(split.clamp(1, problem.shares())),
        None => (1..=problem.shares())
            .map(place)
            .find(complete)
            .unwrap_or_default(),
    };
    Outcome::of_merges(partitions, merges_tested, start)
}

/// Assigns the tasks to `split` partitions. Stops at the first task that every partition rejects.
fn place(
    tester: &mut GroupTester<'_>,
    fit: Fit,
    split: u32,
    singles: &[Candidate],
    merges_tested: &mut u64,
) -> Vec<Candidate> {
    let problem = tester.problem();
    let (size, larger) = (problem.shares() / split, problem.shares() % split);
    let mut bins: Vec<Bin> = (0..split)
        .map(|index| Bin::empty(problem, size + u32::from(index < larger)))
        .collect();
    let largest = size + u32::from(larger > 0);

    let mut decreasing: Vec<&Candidate> = singles.iter().collect();
    decreasing.sort_by_cached_key(|single| Reverse(tester.utilization(&Group::of(problem, single), largest)));
    // Indices of the bins, in the order of the attempts.
    let mut order: Vec<usize> = (0..bins.len()).collect();
    for single in decreasing {
        let accepting = order.iter().position(|&index| {
            *merges_tested += 1;
            bins[index].take(tester, single)
        });
        match (accepting, fit) {
            (Some(place), Fit::Worst) => {
                let index = order.remove(place);
                let place = order.partition_point(|&other| bins[other].rank(other) < bins[index].rank(index));
                order.insert(place, index);
            }
            (Some(_), Fit::First) => {}
            (None, _) => break,
        }
    }
    bins.into_iter()
        .map(|bin| bin.partition)
        .filter(|partition| !partition.tasks.is_empty())
        .collect()
}

/// A partition under construction.
struct Bin {
    partition: Candidate,
    /// Load of the tasks in the bin, under the contention classes `classes`.
    load: Load,
    classes: [u8; 3],
    /// Utilization of the tasks; 0 if unknown.
    utilization: Utilization,
}

impl Bin {
    fn empty(problem: &Problem<'_>, sms: u32) -> Bin {
        let partition = Candidate::new(problem, sms, Vec::new());
        Bin {
            classes: Group::of(problem, &partition).classes,
            partition,
            load: Load::NONE,
            utilization: Utilization::ZERO,
        }
    }

    /// Returns the key by which [`Fit::Worst`] sorts the bins. `index` is the index of this bin.
    fn rank(&self, index: usize) -> (Utilization, usize) {
        (self.utilization, index)
    }

    /// Adds `single` to the bin if the bin with `single` passes its test. Returns whether the bin now contains
    /// `single`.
    fn take(&mut self, tester: &mut GroupTester<'_>, single: &Candidate) -> bool {
        let (problem, sms) = (tester.problem(), self.partition.sms);
        let Some(group) = Group::that_may_fit(problem, &self.partition, single, sms) else {
            return false;
        };
        let before = match group.classes == self.classes {
            true => self.load,
            false => tester.load(0, &group, sms),
        };
        let load = before + tester.load(1, &group, sms);
        if !tester.accepts_with(load, &group, sms) {
            return false;
        }
        self.utilization = tester.utilization_with(load, &group, sms).unwrap_or_default();
        (self.load, self.classes) = (load, group.classes);
        self.partition.absorb(single, problem);
        true
    }
}
