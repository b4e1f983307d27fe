//! Plans for very many tasks, without a comparison of pairs. The search sorts the tasks and gives each partition the next
//! tasks of the list, as many as pass the test.
//!
//! For k tasks per partition, a partition takes about 2·log₂ k tests. So the number of tests is far below the number of
//! tasks, and the memory grows linearly with the number of tasks.

use std::cmp::Reverse;

use crate::partitioning::search::{Candidate, Group, GroupTester, Part, total};
use gpusched_model::policy::Policy;
use gpusched_model::utilization::Utilization;

/// Order of the tasks, before they are divided into partitions.
#[derive(Copy, Clone)]
enum Order {
    /// Ascending deadlines. Tasks with similar deadlines block each other for a short time, compared with their deadlines.
    Deadlines,
    /// Decreasing utilization, as in first-fit decreasing.
    Utilizations,
}

/// Returns the plan with the fewest allocation units among several orders and partition sizes, and the number of tests.
/// `singles` are the smallest partitions of the tasks, in the order of the tasks.
///
/// Partition sizes double from one allocation unit on. The search ends when a larger size gives no better plan.
pub(crate) fn pack(tester: &mut GroupTester<'_>, singles: &[Candidate]) -> (Vec<Part>, u64) {
    let problem = tester.problem();
    // Response-time analysis takes quadratic time, so the search tries one order.
    let orders: &[Order] = match problem.policy() {
        Policy::FixedPriority(..) | Policy::Concurrent => &[Order::Deadlines],
        _ => &[Order::Deadlines, Order::Utilizations],
    };
    let (mut tested, mut best): (u64, Option<Vec<Part>>) = (0, None);
    let key = |parts: &[Part]| {
        (
            total(parts) > problem.shares() || !problem.fits_places(parts.iter().map(|part| part.sms)),
            total(parts),
        )
    };
    let mut size = 1;
    loop {
        let mut better = false;
        for &order in orders {
            let parts = fill(tester, singles, (size, order), &mut tested);
            if best.as_ref().is_none_or(|best| key(&parts) < key(best)) {
                best = Some(parts);
                better = true;
            }
        }
        let fits = best.as_ref().is_some_and(|best| !key(best).0);
        if size >= problem.shares() || fits && !better {
            return (best.unwrap_or_default(), tested);
        }
        size = size.saturating_mul(2).min(problem.shares());
    }
}

/// Fills partitions of at least `size` allocation units with the tasks in the given order.
fn fill(
    tester: &mut GroupTester<'_>,
    singles: &[Candidate],
    (size, order): (u32, Order),
    tested: &mut u64,
) -> Vec<Part> {
    let problem = tester.problem();
    let of = |single: &Candidate| -> (u64, Utilization) {
        let task = &problem.tasks()[single.tasks[0]];
        let due = problem.due(task);
        let utilization = problem.utilization(&single.tasks, problem.sms_of(single.sms.max(size)));
        (due, utilization.unwrap_or_default())
    };
    let mut list: Vec<&Candidate> = singles.iter().collect();
    match order {
        Order::Deadlines => list.sort_by_cached_key(|&single| {
            let (due, utilization) = of(single);
            (Reverse(single.sms.max(size)), due, Reverse(utilization))
        }),
        Order::Utilizations => list.sort_by_cached_key(|&single| {
            let (due, utilization) = of(single);
            (Reverse(single.sms.max(size)), Reverse(utilization), due)
        }),
    }
    let mut parts = Vec::new();
    let mut rest = &list[..];
    while let Some(first) = rest.first() {
        let sms = first.sms.max(size);
        let mut passes = |count: usize| {
            *tested += 1;
            let tasks = ascending(&rest[..count]);
            let group = Group::of_tasks(tester.problem(), &tasks);
            tester.accepts(&group, sms)
        };
        // The first task passes on `sms` SMs, because it passes on fewer SMs.
        let (mut most, mut fails) = (1, rest.len() + 1);
        while most < rest.len() && fails > rest.len() {
            let more = (2 * most).min(rest.len());
            match passes(more) {
                true => most = more,
                false => fails = more,
            }
        }
        while fails - most > 1 && most < rest.len() {
            let middle = most + (fails - most) / 2;
            match passes(middle) {
                true => most = middle,
                false => fails = middle,
            }
        }
        let (own, others) = rest.split_at(most);
        parts.push(Part {
            sms,
            tasks: ascending(own),
        });
        rest = others;
    }
    parts
}

/// Returns the tasks of `singles`, ascending.
fn ascending(singles: &[&Candidate]) -> Vec<usize> {
    let mut tasks: Vec<usize> = singles.iter().flat_map(|single| &single.tasks).copied().collect();
    tasks.sort_unstable();
    tasks
}
