//! Pricing for work-capacity tests, which test no deadlines. This search needs no measures, and tests every visited group.
//! For other policies, unit tests compare its groups with the groups of [`pricing`](super::pricing).
//!
//! The search is a depth-first walk over all groups. The size of a group is at least its work, and it never decreases
//! when a task joins the group. The surplus of a task is its price minus its work. Suppose that tasks join a group. The
//! new excess is at most the old price sum minus the old work, plus one of three terms for each kind:
//!
//! * 0, if no task of the kind joins;
//! * the largest surplus of a task of the kind, if exactly one task joins;
//! * the sum of all positive surpluses, under the contention of two tasks of the kind, if several tasks join.

use super::bound::whole_sms;
use super::units::ONE;
use super::works::Works;
use crate::interference::CoLocated;
use crate::partitioning::search::{Part, Sizes};
use gpusched_model::wcet::MAX_SMS;

/// Result of a walk.
#[derive(Debug, Default)]
pub(super) struct Tested {
    /// Groups whose excess is at least the required minimum (the floor).
    pub groups: Vec<Part>,
    /// Largest excess (Σ prices − SMs) among the visited groups, at least 0 [price units].
    pub most: i64,
    /// Whether the walk visited every group with an excess of at least the floor.
    pub complete: bool,
}

/// Limits that end a walk early.
#[derive(Copy, Clone, Debug)]
pub(super) struct Limits {
    /// Maximum number of groups that the walk finds for each first task.
    pub per_task: usize,
    /// Maximum number of groups that the walk finds in total.
    pub groups: usize,
    /// Number of tested groups after which the walk ends if it has found enough groups.
    pub patience: u64,
}

/// Returns the groups whose price sum is at least their size plus `floor`. The price of a task is between 0 and the SMs
/// that the task needs in its own partition.
pub(super) fn price(
    sizes: &mut Sizes<'_, '_>,
    works: &Works,
    prices: &[i64],
    floor: i64,
    limits: Limits,
) -> Tested {
    let mut walk = Walk::new(sizes, works, prices, floor, limits);
    let none = Node {
        co_located: CoLocated::default(),
        price: 0,
        sms: 1,
    };
    walk.extend(&none, 0);
    walk.tested
}

/// A group during the walk.
struct Node {
    co_located: CoLocated,
    price: i64,
    /// Size of the group. Every group that contains this group has at least this size.
    sms: u32,
}

struct Walk<'s, 'w, 'e, 'p> {
    sizes: &'s mut Sizes<'e, 'p>,
    works: &'w Works,
    floor: i64,
    limits: Limits,
    spent: u64,
    /// Tasks by decreasing ratio of price to work.
    order: Vec<usize>,
    prices: Vec<i64>,
    /// Sum of the positive surpluses of the tasks from each position in `order` on. `maxima`
    /// contains the largest of these surpluses. The index of both is (kind · classes + class) ·
    /// (n + 1) + position.
    sums: Vec<i64>,
    maxima: Vec<i64>,
    /// Sum of the prices of the tasks from each position in `order` on.
    price_sums: Vec<i64>,
    path: Vec<usize>,
    /// Work of the group at each depth of the walk, indexed by kind · classes + class.
    depths: Vec<i64>,
    sorted: Vec<usize>,
    tested: Tested,
}

/// After `patience` tests, the walk ends if it has found at least this number of groups.
const FEW: usize = 20;

/// A value below every possible excess.
const NEVER: i64 = i64::MIN / 4;

impl<'s, 'w, 'e, 'p> Walk<'s, 'w, 'e, 'p> {
    fn new(
        sizes: &'s mut Sizes<'e, 'p>,
        works: &'w Works,
        prices: &[i64],
        floor: i64,
        limits: Limits,
    ) -> Walk<'s, 'w, 'e, 'p> {
        let n = prices.len();
        // A task with price 0 never raises the excess of a group. But if the floor is at most 0, a group with enough
        // excess may contain a task with price 0.
        let mut order: Vec<usize> = (0..n).filter(|&task| prices[task] > 0 || floor <= 0).collect();
        let ratio = |task: usize| {
            let work = i128::from(works.alone(task).max(1));
            i128::from(prices[task]) * i128::from(ONE) / work
        };
        order.sort_by_key(|&task| std::cmp::Reverse(ratio(task)));
        let width = order.len() + 1;
        let mut sums = vec![0; 3 * works.classes * width];
        let mut maxima = vec![NEVER; 3 * works.classes * width];
        let mut price_sums = vec![0; width];
        for position in (0..order.len()).rev() {
            let task = order[position];
            price_sums[position] = price_sums[position + 1] + prices[task];
            for row in 0..3 * works.classes {
                let at = row * width + position;
                (sums[at], maxima[at]) = (sums[at + 1], maxima[at + 1]);
                if row / works.classes == works.kind(task) {
                    let surplus = prices[task] - works.work(task, row % works.classes);
                    sums[at] += surplus.max(0);
                    maxima[at] = maxima[at].max(surplus);
                }
            }
        }
        Walk {
            sizes,
            works,
            floor,
            limits,
            spent: 0,
            order,
            prices: prices.to_vec(),
            sums,
            maxima,
            price_sums,
            path: Vec::new(),
            depths: vec![0; 3 * works.classes * (prices.len() + 2)],
            sorted: Vec::new(),
            tested: Tested {
                complete: true,
                ..Tested::default()
            },
        }
    }

    /// Whether the walk must end.
    fn over(&self) -> bool {
        self.tested.groups.len() >= self.limits.groups
            || (self.spent >= self.limits.patience && self.tested.groups.len() >= FEW)
            || (self.spent % 256 == 255 && self.sizes.exhausted())
    }

    /// Visits all groups that extend `node` by tasks from position `from` on.
    fn extend(&mut self, node: &Node, from: usize) {
        let before = self.tested.groups.len();
        for position in from..self.order.len() {
            let found = match self.path.is_empty() {
                true => 0,
                false => self.tested.groups.len() - before,
            };
            if self.over() || found >= self.limits.per_task {
                self.tested.complete = false;
                return;
            }
            let Some(child) = self.child(node, position) else {
                continue;
            };
            self.path.push(self.order[position]);
            self.extend(&child, position + 1);
            self.path.pop();
        }
    }

    /// Returns `node` extended by the task at `position`, if adding more tasks can give an excess
    /// of at least the floor. Records the extended group if its own excess is at least the floor.
    fn child(&mut self, node: &Node, position: usize) -> Option<Node> {
        let task = self.order[position];
        let (kind, classes) = (self.works.kind(task), self.works.classes);
        let co_located = self.works.with_one(&node.co_located, kind);
        let interference = self.sizes.problem().interference();
        let depth = self.path.len() * 3 * classes;
        self.depths
            .copy_within(depth..depth + 3 * classes, depth + 3 * classes);
        for class in 0..classes {
            self.depths[depth + (3 + kind) * classes + class] += self.works.work(task, class);
        }
        let mut child = Node {
            price: node.price + self.prices[task],
            sms: node.sms,
            co_located,
        };
        let at = interference.class_of_each_kind(&child.co_located);
        let work = self.work_of(at);
        child.sms = child.sms.max(whole_sms(work));
        let mut grown = self.may_grow_to(&child, position + 1);
        if grown.max(child.price - i64::from(child.sms) * ONE) < self.floor {
            return None;
        }
        // On more SMs than this limit, neither the group nor a larger group has an excess of at least the floor.
        let all = child.price + self.price_sums[position + 1] - self.floor;
        let most = sms_within(all);
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.path);
        self.sorted.push(task);
        self.sorted.sort_unstable();
        self.spent += 1;
        child.sms = self
            .sizes
            .first(&self.sorted, child.co_located, child.sms, most)?;
        let worth = child.price - i64::from(child.sms) * ONE;
        self.tested.most = self.tested.most.max(worth);
        if worth >= self.floor {
            self.tested.groups.push(Part {
                sms: child.sms,
                tasks: self.sorted.clone(),
            });
        }
        grown = grown.min(worth + self.price_sums[position + 1]);
        (grown >= self.floor).then_some(child)
    }

    /// Returns the work of the group at the end of the path, under the contention classes `at`.
    fn work_of(&self, at: [u8; 3]) -> i64 {
        let classes = self.works.classes;
        let works = &self.depths[(self.path.len() + 1) * 3 * classes..];
        (0..3)
            .map(|kind| works[kind * classes + usize::from(at[kind])])
            .sum()
    }

    /// Returns an upper bound on the excess of `node` with at least one more task from `position` on.
    fn may_grow_to(&self, node: &Node, position: usize) -> i64 {
        let interference = self.sizes.problem().interference();
        let (classes, width) = (self.works.classes, self.order.len() + 1);
        let mut most = NEVER;
        for growth in &self.works.growths {
            let at = interference.class_of_each_kind(&node.co_located.with(&growth.co_located));
            let mut worth = node.price - self.work_of(at);
            for (kind, (&class, &count)) in at.iter().zip(&growth.counts).enumerate() {
                let row = (kind * classes + usize::from(class)) * width + position;
                worth += match count {
                    0 => 0,
                    1 => self.maxima[row],
                    _ => self.sums[row],
                };
            }
            most = most.max(worth);
        }
        most
    }
}

/// Returns the largest number of SMs whose price is at most `units`, between 0 and [`MAX_SMS`].
fn sms_within(units: i64) -> u32 {
    units.div_euclid(ONE).clamp(0, MAX_SMS.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the limit were 0 SMs, the walk would never test a group, and a wrong bound would remain undetected.
    #[test]
    fn prices_beyond_all_sms_are_not_taken_for_none() {
        assert_eq!((sms_within(-1), sms_within(ONE - 1), sms_within(ONE)), (0, 0, 1));
        assert_eq!(sms_within(i64::from(MAX_SMS) * ONE - 1), MAX_SMS - 1);
        assert_eq!(sms_within((i64::from(u32::MAX) + 1) * ONE), MAX_SMS);
    }
}
