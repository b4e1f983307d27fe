//! The known groups, the prices of the tasks, and the plans and bounds that follow from both.
//!
//! * [`master`] proposes prices;
//! * [`branching`] selects a plan from the known groups;
//! * [`generation`] adds groups in rounds, and raises the lower bound;
//! * [`dive`] searches for a plan that consists of known groups.

pub(super) mod branching;
mod dive;
pub(super) mod generation;
mod groups;
mod inverse;
mod master;

use crate::partitioning::optimal::bound::{Bound, rounded};
use crate::partitioning::optimal::pricing::{Limits, Pricing};
use crate::partitioning::optimal::tested;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::optimal::works::Works;
use crate::partitioning::search::{Aim, Part, Sizes, total};
use master::Master;

/// The groups that the search knows.
pub(super) struct Columns {
    /// Number of SMs that each task needs in its own partition.
    pub alone: Vec<u32>,
    pub master: Master,
    /// Known groups that are not yet in the linear program.
    pool: Vec<Part>,
}

/// Least work of each task, and the state of pricing.
pub(super) type Known<'w, 'p> = (&'w Works, &'w mut Pricing<'p>);

/// Limits of a search for groups: for pricing with measures, and for pricing that tests every group.
pub(super) struct Reach {
    pub measured: Limits,
    pub tested: tested::Limits,
}

/// Number of visited groups after which the search creates a table of possible gains.
const EASY: u64 = 20;

/// Limits of one round of column generation. Each family contributes only a few groups, because the prices change after
/// each round.
pub(super) const ROUND: Limits = Limits {
    groups_each: 4,
    groups_of_family: 40,
    groups: 2_000,
    nodes_each: 100,
    easy: EASY,
};

/// Limits of one round of column generation if the search tests every visited group.
pub(super) const TESTED_ROUND: tested::Limits = tested::Limits {
    per_task: 10,
    groups: 500,
    patience: 50_000,
};

/// Limits of the enumeration of all groups before branch and bound.
const ALL: Reach = Reach {
    measured: Limits {
        groups_each: usize::MAX,
        groups_of_family: usize::MAX,
        groups: 50_000,
        nodes_each: u64::MAX,
        easy: EASY,
    },
    tested: tested::Limits {
        per_task: usize::MAX,
        groups: 50_000,
        patience: u64::MAX,
    },
};

/// Number of groups that move from the pool to the linear program in one step.
const FROM_POOL: usize = 500;

impl Columns {
    /// Creates the linear program with one column for each single-task group. A group of `pool` becomes a column when it
    /// is useful.
    pub fn new(alone: Vec<u32>, pool: Vec<Part>) -> Columns {
        let costs: Vec<f64> = alone.iter().map(|&sms| f64::from(sms)).collect();
        Columns {
            master: Master::new(&costs),
            alone,
            pool,
        }
    }

    /// Adds `groups` to the linear program. If the program has more than `many` columns, the function first drops the
    /// columns with a reduced cost above `far`.
    pub fn add(&mut self, groups: &[Part], many: usize, far: f64) {
        if self.master.columns() > many {
            self.master.drop_above(far);
        }
        groups.iter().for_each(|group| self.master.add(group));
    }

    /// Returns the groups whose excess is at least `floor`, and whether the list is complete.
    pub fn worth(
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        prices: &[i64],
        floor: i64,
        reach: &Reach,
    ) -> (Vec<Part>, bool) {
        match sizes.problem().has_measures() {
            true => {
                let priced = pricing.price(sizes, works, prices, floor, reach.measured);
                (priced.groups, priced.complete)
            }
            false => {
                let priced = tested::price(sizes, works, prices, floor, reach.tested);
                (priced.groups, priced.complete)
            }
        }
    }

    /// Returns the groups whose SMs exceed their price sum by at most `room`, and whether the list is complete.
    pub fn within(
        sizes: &mut Sizes<'_, '_>,
        known: Known<'_, '_>,
        prices: &[i64],
        room: i64,
    ) -> (Vec<Part>, bool) {
        Columns::worth(sizes, known, prices, -room, &ALL)
    }

    /// Solves the linear program with all useful groups of the pool, and returns its prices.
    /// Returns `None` if the search effort is used up first.
    pub fn proposed(&mut self, sizes: &mut Sizes<'_, '_>) -> Option<Vec<i64>> {
        while !sizes.exhausted() {
            let solved = self.master.solve(|work| sizes.is_late_after(work));
            sizes.charge(self.master.work());
            if !solved {
                return None;
            }
            let prices = self.prices();
            if !self.add_from_pool(&prices) {
                return Some(prices);
            }
        }
        None
    }

    /// Moves the groups with the largest excess from the pool to the linear program. Returns whether it moved a group.
    fn add_from_pool(&mut self, prices: &[i64]) -> bool {
        let worth = |part: &Part| {
            let price: i64 = part.tasks.iter().map(|&task| prices[task]).sum();
            price - i64::from(part.sms) * ONE
        };
        let mut worths: Vec<i64> = self
            .pool
            .iter()
            .map(worth)
            .filter(|&worth| worth > ONE / 1000)
            .collect();
        worths.sort_unstable_by_key(|&worth| std::cmp::Reverse(worth));
        let Some(&least) = worths.get(FROM_POOL.min(worths.len().saturating_sub(1))) else {
            return false;
        };
        let before = self.pool.len();
        let mut kept = Vec::with_capacity(before);
        for part in std::mem::take(&mut self.pool) {
            match worth(&part) >= least {
                true => self.master.add(&part),
                false => kept.push(part),
            }
        }
        self.pool = kept;
        self.pool.len() < before
    }

    /// Returns the prices of the linear program in price units. The price of a task never exceeds the SMs that the task
    /// needs in its own partition.
    pub fn prices(&self) -> Vec<i64> {
        let alone = self.alone.iter().map(|&sms| i64::from(sms) * ONE);
        let prices = self.master.prices().iter().zip(alone);
        prices.map(|(&price, most)| rounded(price).min(most)).collect()
    }

    /// Tests every pair of tasks and adds the pairs that save SMs. Stops at the limits of [`Sizes::is_late_after`].
    pub fn add_pairs(&mut self, sizes: &mut Sizes<'_, '_>) {
        for b in 0..self.alone.len() {
            if sizes.is_late_after(0) {
                return;
            }
            for a in 0..b {
                let (low, high) = (
                    self.alone[a].max(self.alone[b]),
                    self.alone[a] + self.alone[b] - 1,
                );
                if let Some(sms) = sizes.smallest(&[a, b], low, high) {
                    self.master.add(&Part {
                        sms,
                        tasks: vec![a, b],
                    });
                }
            }
        }
    }

    /// Replaces `parts` by a better plan of known groups if the search finds such a plan.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, target: u32) {
        let known: Vec<Part> = self.master.parts().collect();
        let less = total(parts).saturating_sub(1);
        let searched = branching::search(sizes, self.alone.len(), &known, less, target);
        if let Some(best) = searched.best {
            *parts = best;
        }
    }

    /// Closes the gap between `bound` and `parts`, and improves both, as far as the search effort permits.
    ///
    /// For each number of SMs m between the bound and the plan, gpusched enumerates all groups that a plan of m SMs
    /// can contain, and searches for the best selection of these groups. For each group of such a plan, consider its
    /// SMs minus its price sum. These differences are at least 0, and their sum is at most m − Σ prices. So it suffices
    /// to enumerate the groups with a difference of at most m − Σ prices.
    pub fn close(
        &self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        parts: &mut Vec<Part>,
        bound: &mut Bound,
        aim: Aim,
    ) {
        let mut proven = true;
        let mut most = bound.sms();
        while most < total(parts) && total(parts) > aim.target(bound.sms()) && !sizes.exhausted() {
            if aim.is_beyond(most) {
                return; // no plan fits, but the objective requires a plan that fits
            }
            let most_here = aim.reach(most);
            let room = i64::from(most_here) * ONE - bound.total();
            let mut complete = false;
            // The search starts with the groups that have the smallest differences, because a plan may consist of such
            // groups.
            for part in [8, 4, 2, 1] {
                let known = (works, &mut *pricing);
                let (groups, all) = Columns::within(sizes, known, bound.prices(), room / part);
                let searched = branching::search(sizes, self.alone.len(), &groups, most_here, most);
                complete = part == 1 && all && searched.complete;
                if let Some(best) = searched.best {
                    *parts = best;
                    break;
                }
                if !all {
                    break;
                }
            }
            proven &= complete;
            if proven {
                bound.raise(total(parts).min(most_here + 1));
            }
            most = most_here + 1;
        }
    }
}
