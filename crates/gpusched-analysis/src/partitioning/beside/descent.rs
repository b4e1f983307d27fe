//! Local search over divisions: merges two groups, or moves one task.

use super::least_sms::{Divisions, Least};
use super::parts_of;
use crate::partitioning::search::{Part, total};

/// Maximum number of tests for one division beyond its least sizes.
pub(super) const PATIENCE: u64 = 1_000;

/// Improves `parts` as long as a merge of two groups or a move of one task saves SMs. The search takes the first change
/// that saves SMs, and ends at `target` SMs or at the limit on its effort.
pub(super) fn descend(divisions: &mut Divisions<'_>, parts: &mut Vec<Part>, target: u32) {
    while total(parts) > target && !divisions.exhausted() {
        let groups: Vec<Vec<usize>> = parts.iter().map(|part| part.tasks.clone()).collect();
        let most = total(parts) - 1;
        let better =
            neighbours(&groups).find_map(|groups| match divisions.least_sms(&groups, most, PATIENCE) {
                Least::Sizes(sizes) => Some(Some(parts_of(&groups, &sizes))),
                Least::Nothing | Least::Unknown => divisions.exhausted().then_some(None),
            });
        match better.flatten() {
            Some(better) => *parts = better,
            None => return,
        }
    }
}

/// Returns all divisions that differ from `groups` by one merge, or by one move of a task to another group or to a new
/// group.
fn neighbours(groups: &[Vec<usize>]) -> impl Iterator<Item = Vec<Vec<usize>>> {
    let pairs = (0..groups.len()).flat_map(move |a| (a + 1..groups.len()).map(move |b| (a, b)));
    let merges = pairs.map(|(a, b)| {
        let mut merged = groups.to_vec();
        let other = merged.remove(b);
        merged[a].extend(other);
        merged[a].sort_unstable();
        merged
    });
    let tasks = groups.iter().enumerate();
    let tasks = tasks.flat_map(|(from, tasks)| tasks.iter().map(move |&task| (from, task)));
    let moves = tasks.flat_map(move |(from, task)| {
        // The last position stands for a new group.
        (0..=groups.len()).filter_map(move |to| moved(groups, task, (from, to)))
    });
    merges.chain(moves)
}

/// Returns `groups` after a move of `task`. Returns `None` if the move changes nothing, or if it is a merge.
fn moved(groups: &[Vec<usize>], task: usize, (from, to): (usize, usize)) -> Option<Vec<Vec<usize>>> {
    if from == to || groups[from].len() == 1 {
        return None;
    }
    let mut changed = groups.to_vec();
    changed[from].retain(|&other| other != task);
    match changed.get_mut(to) {
        Some(group) => {
            group.push(task);
            group.sort_unstable();
        }
        None => changed.push(vec![task]),
    }
    Some(changed)
}
