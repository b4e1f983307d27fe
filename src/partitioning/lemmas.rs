//! Lemmas 1–3 of [Singh21] §3.5.

use std::cmp::Ordering;

use super::examiner::Examiner;
use super::group::Group;
use super::{Candidate, Problem};
use crate::model::plan::Failure;
use crate::model::utilization::compare_total;

/// Lemma 1 (necessary): Σ Cⁿ(1)/T > M means that no partitioning is schedulable.
///
/// As printed it holds where m·Cⁿ(m) is least at m = 1; with min over m of m·Cⁿ(m) in its place it holds for every WCET
/// function (erratum).
pub fn exceeds_gpu(problem: &Problem<'_>) -> bool {
    let work = problem
        .tasks()
        .iter()
        .enumerate()
        .map(|(index, task)| (problem.least_work_alone(index), task.period().ns()));
    compare_total(work, problem.sms().into()) == Ordering::Greater
}

/// Lemma 2: the smallest m on which `task` alone is schedulable; `None` if even M SMs are too few.
///
/// The test is monotone in m, so bisection finds what the printed scan finds.
pub(super) fn smallest_partition(examiner: &mut Examiner<'_>, task: usize) -> Option<Candidate> {
    let mut partition = Candidate::new(examiner.problem(), examiner.problem().sms(), vec![task]);
    let group = Group::of(examiner.problem(), &partition);
    partition.sms = smallest(1, partition.sms, |sms| examiner.accepts(&group, sms))?;
    Some(partition)
}

/// Lemma 3: schedulable partitions make a schedulable system iff their SMs are there.
pub fn fits(sms_used: u32, sms: u32) -> bool {
    sms_used <= sms
}

/// The lemmas every heuristic starts with.
///
/// # Errors
/// Why no partitioning exists.
pub(super) fn necessary(examiner: &mut Examiner<'_>) -> Result<(), Failure> {
    let problem = examiner.problem();
    if exceeds_gpu(problem) {
        return Err(Failure::WorkExceedsGpu);
    }
    let late = (0..problem.tasks().len()).find(|&task| {
        let alone = Candidate::new(problem, problem.sms(), vec![task]);
        !examiner.accepts(&Group::of(problem, &alone), problem.sms())
    });
    late.map_or(Ok(()), |task| Err(Failure::TaskDoesNotFit { task }))
}

/// The smallest m in [`low`, `high`] that passes a test monotone in m; `None` if `high` fails (or the range is empty).
pub(super) fn smallest(low: u32, high: u32, mut passes: impl FnMut(u32) -> bool) -> Option<u32> {
    if low > high || !passes(high) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if passes(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}
