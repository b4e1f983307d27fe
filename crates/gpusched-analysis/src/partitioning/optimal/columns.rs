//! The groups that are known, their prices, and what follows from both.

use super::bound::{Bound, rounded};
use super::master::Master;
use super::pricing::{Limits, Pricing};
use super::units::ONE;
use super::works::Works;
use super::{branching, tested};
use crate::partitioning::search::{Aim, Part, Sizes, total};
use gpusched_model::Policy;

/// The groups known so far.
pub(super) struct Columns {
    /// The size of each task alone.
    pub alone: Vec<u32>,
    pub master: Master,
    /// Groups that have not helped yet.
    pool: Vec<Part>,
}

/// What pricing knows of the tasks.
pub(super) type Known<'w, 'p> = (&'w Works, &'w mut Pricing<'p>);

/// How far pricing looks: by measures, and where every group on the way is tested.
pub(super) struct Reach {
    pub measured: Limits,
    pub tested: tested::Limits,
}

/// Groups looked at before it pays to tabulate what is to be gained.
const EASY: u64 = 20;

/// While groups are generated: few of each family and round, for prices change.
pub(super) const ROUND: Limits = Limits {
    groups_each: 4,
    groups_of_family: 40,
    groups: 2_000,
    nodes_each: 100,
    easy: EASY,
};

/// The same where every group on the way is tested.
pub(super) const TESTED_ROUND: tested::Limits = tested::Limits {
    per_task: 10,
    groups: 500,
    patience: 50_000,
};

/// All that branch and bound is begun with.
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

/// Groups that are taken from a pool at a time.
const FROM_POOL: usize = 500;

impl Columns {
    /// Each task alone, and what helps of `pool`.
    pub fn new(alone: Vec<u32>, pool: Vec<Part>) -> Columns {
        let costs: Vec<f64> = alone.iter().map(|&sms| f64::from(sms)).collect();
        Columns {
            master: Master::new(&costs),
            alone,
            pool,
        }
    }

    /// Adds `groups` to the program; if it has more than `many` then, those that cost more than `far` beyond what their tasks are worth are dropped first.
    pub fn add(&mut self, groups: &[Part], many: usize, far: f64) {
        if self.master.columns() > many {
            self.master.drop_above(far);
        }
        groups.iter().for_each(|group| self.master.add(group));
    }

    /// Groups that are worth at least `floor` more than their SMs, and whether those are all.
    pub fn worth(
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        prices: &[i64],
        floor: i64,
        reach: &Reach,
    ) -> (Vec<Part>, bool) {
        match sizes.problem().policy() {
            Policy::Edf => {
                let priced = pricing.price(sizes, works, prices, floor, reach.measured);
                (priced.groups, priced.complete)
            }
            _ => {
                let priced = tested::price(sizes, works, prices, floor, reach.tested);
                (priced.groups, priced.complete)
            }
        }
    }

    /// The groups that are worth no more than `room` less than their SMs, and whether those are all.
    pub fn within(
        sizes: &mut Sizes<'_, '_>,
        known: Known<'_, '_>,
        prices: &[i64],
        room: i64,
    ) -> (Vec<Part>, bool) {
        Columns::worth(sizes, known, prices, -room, &ALL)
    }

    /// The prices of the linear program with all groups of the pool that help; `None` if what may be spent is spent before.
    pub fn proposed(&mut self, sizes: &mut Sizes<'_, '_>) -> Option<Vec<i64>> {
        while !sizes.exhausted() {
            let solved = self.master.solve(|| sizes.is_late());
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

    /// Moves the groups of the pool that are worth the most to the linear program; whether there were any.
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

    /// Those of the linear program in units, none above what its task costs alone.
    fn prices(&self) -> Vec<i64> {
        let alone = self.alone.iter().map(|&sms| i64::from(sms) * ONE);
        let prices = self.master.prices().iter().zip(alone);
        prices.map(|(&price, most)| rounded(price).min(most)).collect()
    }

    /// Every pair that saves SMs, while there is time.
    pub fn add_pairs(&mut self, sizes: &mut Sizes<'_, '_>) {
        for b in 0..self.alone.len() {
            if sizes.is_late() {
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

    /// A better plan than `parts` of the groups that are known by now, if one is found.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, target: u32) {
        let known: Vec<Part> = self.master.parts().collect();
        let less = total(parts).saturating_sub(1);
        let searched = branching::search(sizes, self.alone.len(), &known, less, target);
        if let Some(best) = searched.best {
            *parts = best;
        }
    }

    /// Closes the gap between `bound` and `parts`, which become better, as far as the budget goes: for each number of SMs in
    /// between, all groups that such a plan can contain are enumerated, and the best choice of them is searched.
    ///
    /// A plan of m SMs has Σ (SMs − worth) over its groups ≤ m − Σ prices, and no term is negative.
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
                return; // no plan fits, and no more was asked
            }
            let most_here = aim.reach(most);
            let room = i64::from(most_here) * ONE - bound.total();
            let mut complete = false;
            // The groups that leave the least over first: a plan may consist of them alone.
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
