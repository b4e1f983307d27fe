//! Lemmas 1–3 of [Singh21] §3.5.

use std::cmp::Ordering;

use super::candidate::Candidate;
use super::group::Group;
use super::tester::GroupTester;
use crate::partitioning::problem::Problem;
use gpusched_model::plan::Failure;
use gpusched_model::utilization::{Utilization, compare_total};
use gpusched_model::{Contention, Task};

/// Lemma 1 (necessary): if Σ Cⁿ(1)/T > M, no partitioning is schedulable.
///
/// The printed lemma is correct if m·Cⁿ(m) has its minimum at m = 1. gpusched replaces Cⁿ(1) by
/// the minimum of m·Cⁿ(m), so that the lemma is correct for every WCET function (erratum).
pub fn exceeds_gpu(problem: &Problem<'_>) -> bool {
    let work = problem
        .tasks()
        .iter()
        .enumerate()
        .map(|(index, task)| (problem.least_work_alone(index), task.period().ns()));
    compare_total(work, problem.sms().into()) == Ordering::Greater
}

/// Returns the lower bound from Lemma 1, ⌈Σ min m·Cⁿ(m) / T⌉, at least 1. No plan uses fewer SMs than this bound.
pub(crate) fn least_sms_of_all(problem: &Problem<'_>) -> u32 {
    let work = (0..problem.tasks().len())
        .map(|task| problem.work(task, &problem.co_located(&[task])))
        .sum::<Utilization>();
    let fits = |sms: u32| work <= Utilization::whole(sms);
    smallest(1, problem.shares(), fits).unwrap_or(problem.shares())
}

/// Lemma 2: returns the smallest m on which `task` is schedulable in isolation. Returns `None` if M SMs do not suffice.
///
/// The paper tries m = 1, 2, 3 and so on. The test is monotone in m, so gpusched finds the same m
/// by doubling and then bisecting. The search starts at a lower bound on m. Every test of
/// deadlines requires C(m) ≤ min(T, D − J), so m is at least min m·C(m) / min(T, D − J).
pub(crate) fn smallest_partition(tester: &mut GroupTester<'_>, task: usize) -> Option<Candidate> {
    let problem = tester.problem();
    let mut partition = Candidate::unmerged(problem, 1, vec![task]);
    let group = Group::of(problem, &partition);
    let mut passes = |sms| tester.accepts(&group, sms);
    let mut low = least_sms(problem, task);
    if low > problem.shares() {
        return None;
    }
    let mut high = low;
    while high < problem.shares() && !passes(high) {
        low = high + 1;
        high = high.saturating_mul(2).min(problem.shares());
    }
    partition.sms = smallest(low, high, passes)?;
    Some(partition)
}

/// Returns ⌈min m·C(m) / min(T, D − J)⌉ for task `index` in isolation, or 1 if the policy has no test of deadlines.
fn least_sms(problem: &Problem<'_>, index: usize) -> u32 {
    if problem.policy().counts_work() {
        return 1;
    }
    let task = &problem.tasks()[index];
    let time = problem.due(task).min(task.period().ns()).max(1);
    // If the work exceeds 64 bits, the function returns 1 as the lower bound, and the test decides.
    let work = u64::try_from(problem.least_work_alone(index)).unwrap_or(0);
    u32::try_from(work.div_ceil(time)).unwrap_or(u32::MAX).max(1)
}

/// Lemma 3: if every partition is schedulable, the system is schedulable if and only if the GPU has enough SMs.
pub fn fits(sms_used: u32, sms: u32) -> bool {
    sms_used <= sms
}

/// Applies Lemmas 1 and 2 at the start of every heuristic. Returns the smallest partition of
/// every task, without the data that merges require.
///
/// # Errors
/// Fails with the reason why no partitioning exists.
pub(crate) fn smallest_partitions(tester: &mut GroupTester<'_>) -> Result<Vec<Candidate>, Failure> {
    let problem = tester.problem();
    let hold = hold(problem);
    let failure = |failure| if hold { failure } else { Failure::HeuristicFailed };
    if exceeds_gpu(tester.problem()) {
        return Err(failure(Failure::WorkExceedsGpu));
    }
    (0..tester.problem().tasks().len())
        .map(|task| smallest_partition(tester, task).ok_or_else(|| failure(unplaced(problem, task))))
        .collect()
}

/// Returns the reason why `task` has no partition: its WCET is unknown on all partition sizes, or
/// the task does not fit on the GPU (Lemma 2).
fn unplaced(problem: &Problem<'_>, task: usize) -> Failure {
    let known_from = problem.tasks()[task].wcet().smallest_sms(Contention::Isolated);
    match known_from > problem.sms_of(problem.shares()) {
        true => Failure::WcetUnknown { task },
        false => Failure::TaskDoesNotFit { task },
    }
}

/// Whether the lemmas are valid for `problem`. The lemmas assume that a task has its least work and its smallest
/// partition in isolation. The assumption is wrong if the smallest number of SMs with a known WCET is lower in conflict
/// than in isolation. In this case, a task may pass on fewer SMs with a co-located task than in isolation.
pub(crate) fn hold(problem: &Problem<'_>) -> bool {
    let alone_first = |task: &Task| {
        let first = |contention| task.wcet().smallest_sms(contention);
        first(Contention::Isolated) <= first(Contention::Conflict)
    };
    problem.tasks().iter().all(alone_first)
}

/// Returns the smallest m in [`low`, `high`] for which `passes` is true. `passes` is monotone in
/// m. Returns `None` if `passes` is false for `high`, or if the range is empty.
pub(crate) fn smallest(low: u32, high: u32, mut passes: impl FnMut(u32) -> bool) -> Option<u32> {
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
