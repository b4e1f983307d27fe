//! Search for a violation at the earliest deadlines. QPA visits deadlines in descending order. So if QPA reaches its step
//! limit, it has not examined the early deadlines, where most violations are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::blocking::Blocking;
use crate::schedulability::Demand;

/// Number of deadlines that the search examines.
pub const EARLY_DEADLINES: u32 = 100_000;

/// Number of jobs after which the search ends. Several jobs may have the same deadline.
const JOBS: u32 = 10_000_000;

/// Returns the first t with dbf(t) + B(t) > t among the first [`EARLY_DEADLINES`] deadlines t, and the left-hand side [ns].
/// The tasks have no jitter.
pub(super) fn violation(tasks: &[Demand], blocking: &Blocking) -> Option<(u64, u128)> {
    let mut by_deadline: Vec<&Demand> = tasks.iter().collect();
    by_deadline.sort_unstable_by_key(|task| Reverse(task.deadline));
    let mut next: BinaryHeap<_> = tasks
        .iter()
        .enumerate()
        .map(|(task, demand)| Reverse((demand.deadline.ns(), task)))
        .collect();
    // The longest blocking by the first tasks of `by_deadline`.
    let mut longest = Vec::with_capacity(by_deadline.len() + 1);
    longest.push(0);
    for task in &by_deadline {
        longest.push(blocking.by(task).max(longest[longest.len() - 1]));
    }
    let (mut due, mut jobs) = (0u128, 0);
    for _ in 0..EARLY_DEADLINES {
        let t = next.peek()?.0.0;
        while let Some(&Reverse((deadline, task))) = next.peek()
            && deadline == t
        {
            next.pop();
            jobs += 1;
            let demand = &tasks[task];
            due = due.saturating_add(demand.wcet.ns().into());
            if let Some(later) = deadline.checked_add(demand.period.ns().max(1)) {
                next.push(Reverse((later, task)));
            }
        }
        while by_deadline.last().is_some_and(|task| task.deadline.ns() <= t) {
            by_deadline.pop();
        }
        let needed = due.saturating_add(longest[by_deadline.len()].into());
        if needed > t.into() {
            return Some((t, needed));
        }
        if jobs > JOBS {
            return None;
        }
    }
    None
}
