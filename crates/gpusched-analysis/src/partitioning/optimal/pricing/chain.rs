//! Division of the groups of a family by blocking, for policies without immediate preemption.
//!
//! Let q be the blocking of a task: the time for which one of its jobs blocks jobs with earlier deadlines. The *chain* of a
//! group starts with the task with the largest q. Each next task has the largest q among the tasks with a later
//! deadline than the previous task. The chain ends with a task of the latest deadline. Ties are broken by the position
//! of the task. Every group has exactly one chain.
//!
//! In an interval of length t, the first task of the chain with a relative deadline above t causes the blocking. A job
//! of this task starts 1 ns before the interval begins, and the jobs of the interval wait for q. So the demand of a
//! group that passes is at most t − q. The chain therefore reduces the supply in the measure of this interval.

use super::item::Item;
use super::walk::Walk;

/// If at most this number of tasks is undecided, the walk visits the groups without choosing the next task of the
/// chain.
const FEW: usize = 2;

/// Blocking and position of a task. The next task of the chain is the task with the largest value.
type Rank = (u64, usize);

impl<'w> Walk<'w, '_, '_, '_> {
    /// Visits all groups that extend the current group by tasks of `items`. The chain of these groups starts with the chosen
    /// tasks up to the relative deadline `from` [ns]. `bound` is an upper bound on the excess of these groups.
    pub(super) fn chain(&mut self, items: &[Item<'w>], weights: &[f64], bound: i64, from: u64) {
        let floor = self.search.floor;
        if self.exceeds_supply() {
            return;
        }
        let Some((items, weights, bound)) = self.bounded(items, weights, bound) else {
            return;
        };
        let items = &items;
        if self.search.over() {
            self.leave_open(bound);
            return;
        }
        let room = bound - floor;
        let fixed = self.largest_blocking_after(from);
        let later = items.iter().filter(|item| item.due > from);
        let mut next: Vec<Item<'w>> = later.copied().collect();
        if items.len() <= FEW || (next.is_empty() && fixed.is_none()) {
            self.complete(items, &weights, bound);
            return;
        }
        next.retain(|item| fixed.is_none_or(|fixed| rank(item) > fixed.0));
        next.sort_by_key(|item| std::cmp::Reverse(rank(item)));
        for item in &next {
            if item.gain + room < 0 || !self.push(item) {
                continue;
            }
            if self.search.over() {
                self.leave_open(bound);
            } else if self.look_at_this() {
                let among = items
                    .iter()
                    .filter(|other| other.due <= from || rank(other) < rank(item));
                let mut among: Vec<Item<'w>> = among.copied().collect();
                self.retain_with(item.task, &mut among);
                self.with_blocking((from, item.due), item.blocking, |walk| {
                    walk.chain(&among, &weights, bound, item.due);
                });
            }
            self.pop(item);
        }
        match fixed {
            Some((largest, due)) => {
                let among = items
                    .iter()
                    .filter(|other| other.due <= from || rank(other) < largest);
                let among: Vec<Item<'w>> = among.copied().collect();
                self.with_blocking((from, due), largest.0, |walk| {
                    walk.chain(&among, &weights, bound, due)
                });
            }
            None => {
                let among = items.iter().filter(|other| other.due <= from);
                let among: Vec<Item<'w>> = among.copied().collect();
                self.complete(&among, &weights, bound);
            }
        }
    }

    /// Returns weights, the gains of `items` under these weights, and an upper bound on the excess. The bound is valid
    /// for all groups that add some of `items` to the chosen tasks. Returns `None` if the bound is below the floor.
    fn bounded(
        &mut self,
        items: &[Item<'w>],
        weights: &[f64],
        bound: i64,
    ) -> Option<(Vec<Item<'w>>, Vec<f64>, i64)> {
        if self.has_no_tasks() {
            return Some((items.to_vec(), weights.to_vec(), bound));
        }
        let floor = self.search.floor;
        let ranking = self.rank(items, weights, false);
        let bound = bound.min(ranking.bound());
        if bound < floor {
            return None;
        }
        let ranking = self.rank(items, weights, true);
        // The gains use these weights, so the bound must use these weights, too.
        let bound = ranking.bound();
        (bound >= floor).then_some((ranking.items, ranking.weights, bound))
    }
}

/// Returns the rank of `item` in its chain.
pub(super) fn rank(item: &Item<'_>) -> Rank {
    (item.blocking, item.task)
}
