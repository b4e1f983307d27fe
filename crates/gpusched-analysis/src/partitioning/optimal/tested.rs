//! Pricing where the policy is not EDF: measures know nothing of what blocks or of priorities, so every group on the way is tested.
//!
//! A depth-first walk over all groups. A group's size never falls as it grows, and is at least its work; so what a group
//! may yet be worth with more tasks is at most its prices less its work, plus, for each kind, either nothing, or the best
//! single surplus (price less work) of that kind, or all positive surpluses in the company that two of that kind are.

use super::bound::whole_sms;
use super::units::ONE;
use super::works::Works;
use crate::interference::CoLocated;
use crate::partitioning::search::{Part, Sizes};
use gpusched_model::wcet::MAX_SMS;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Tested {
    /// Groups worth at least the floor.
    pub groups: Vec<Part>,
    /// The largest worth of a group, Σ prices − SMs in units, among those seen; at least 0.
    pub most: i64,
    /// Whether every group was seen or is worth less than the floor.
    pub complete: bool,
}

/// Where a walk ends early.
#[derive(Copy, Clone, Debug)]
pub(super) struct Limits {
    /// Groups found below any one group.
    pub per_task: usize,
    /// Groups found.
    pub groups: usize,
    /// Groups tested, if some were found.
    pub patience: u64,
}

/// Groups whose `prices` (each from 0 to its task's own size) sum to at least their size plus `floor`.
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

/// A group on the way down.
struct Node {
    co_located: CoLocated,
    price: i64,
    /// Its size; no larger group is smaller.
    sms: u32,
}

struct Walk<'s, 'w, 'e, 'p> {
    sizes: &'s mut Sizes<'e, 'p>,
    works: &'w Works,
    floor: i64,
    limits: Limits,
    spent: u64,
    /// Tasks by decreasing price per work.
    order: Vec<usize>,
    prices: Vec<i64>,
    /// Of the tasks from a position of the order on, by (kind · classes + class) · (n + 1) + position: Σ of positive surpluses,
    /// and the largest surplus.
    sums: Vec<i64>,
    maxima: Vec<i64>,
    /// Σ prices from a position on.
    price_sums: Vec<i64>,
    path: Vec<usize>,
    /// Of the group at each depth, by kind · classes + class.
    depths: Vec<i64>,
    sorted: Vec<usize>,
    tested: Tested,
}

/// So many groups are worth another round, where patience ends.
const FEW: usize = 20;

/// Less than any worth.
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
        // A task without a price makes no group worth more, but a group that is worth its SMs may contain it.
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

    /// Whether the walk has to end.
    fn over(&self) -> bool {
        self.tested.groups.len() >= self.limits.groups
            || (self.spent >= self.limits.patience && self.tested.groups.len() >= FEW)
            || (self.spent % 256 == 255 && self.sizes.exhausted())
    }

    /// Looks at `node` with each of the tasks from `from` on, and at what that may grow to.
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

    /// `node` with the task at `position`, if it may grow to something worth the floor; itself it is noted if it is.
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
        // No group from here on is worth the floor on more SMs.
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

    /// The work of the group below the path, in company of these classes.
    fn work_of(&self, at: [u8; 3]) -> i64 {
        let classes = self.works.classes;
        let works = &self.depths[(self.path.len() + 1) * 3 * classes..];
        (0..3)
            .map(|kind| works[kind * classes + usize::from(at[kind])])
            .sum()
    }

    /// The most that `node` with at least one task from `position` on may be worth.
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

/// The most SMs that cost no more than `units`; 0 for fewer than none, and no more than a partition can have.
fn sms_within(units: i64) -> u32 {
    units.div_euclid(ONE).clamp(0, MAX_SMS.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On no SMs a group would never be tested, and a bound that it refutes would stand.
    #[test]
    fn prices_beyond_all_sms_are_not_taken_for_none() {
        assert_eq!((sms_within(-1), sms_within(ONE - 1), sms_within(ONE)), (0, 0, 1));
        assert_eq!(sms_within(i64::from(MAX_SMS) * ONE - 1), MAX_SMS - 1);
        assert_eq!(sms_within((i64::from(u32::MAX) + 1) * ONE), MAX_SMS);
    }
}
