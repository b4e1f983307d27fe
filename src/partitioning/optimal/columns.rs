//! Column generation, and what follows from its prices.

use super::super::sizes::{Part, Sizes, total};
use super::ONE;
use super::bound::{Bound, rounded};
use super::branching;
use super::master::Master;
use super::pricing::{Limits, price};
use super::works::Works;

/// The groups known so far.
pub(super) struct Columns {
    /// The size of each task alone.
    alone: Vec<u32>,
    master: Master,
}

/// While groups are generated: few per task and round, for prices change.
const ROUND: Limits = Limits {
    per_task: 10,
    groups: 500,
};

/// Groups that branch and bound is begun with at most.
const GROUPS: Limits = Limits {
    per_task: usize::MAX,
    groups: 50_000,
};

impl Columns {
    pub fn new(alone: Vec<u32>) -> Columns {
        let costs: Vec<f64> = alone.iter().map(|&sms| f64::from(sms)).collect();
        Columns {
            master: Master::new(&costs),
            alone,
        }
    }

    /// Generates groups until none is worth more than its SMs, or the budget is spent; `bound` becomes the best that
    /// was proven on the way.
    pub fn generate(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        parts: &[Part],
        bound: &mut Bound,
    ) {
        parts.iter().for_each(|part| self.master.add(part));
        self.add_pairs(sizes);
        while !sizes.exhausted() {
            let solved = self.master.solve();
            sizes.charge(self.master.work());
            if !solved {
                return;
            }
            let alone = self.alone.iter().map(|&sms| i64::from(sms) * ONE);
            let prices = self.master.prices().iter().zip(alone);
            let prices: Vec<i64> = prices.map(|(&price, most)| rounded(price).min(most)).collect();
            let priced = price(sizes, works, &prices, 1, ROUND);
            if priced.complete {
                bound.offer(&prices, priced.most);
            }
            if priced.groups.is_empty() {
                return;
            }
            priced.groups.iter().for_each(|group| self.master.add(group));
        }
    }

    /// Every pair that saves SMs.
    fn add_pairs(&mut self, sizes: &mut Sizes<'_, '_>) {
        for b in 0..self.alone.len() {
            for a in 0..b {
                let (low, high) = (
                    self.alone[a].max(self.alone[b]),
                    self.alone[a] + self.alone[b] - 1,
                );
                if let Some(sms) = sizes.smallest(&[a, b], low, high) {
                    self.master.add(&Part { sms, tasks: vec![a, b] });
                }
            }
        }
    }

    /// Closes the gap between `bound` and `parts`, which become better, as far as the budget goes: for each number of SMs in
    /// between, all groups that such a plan can contain are enumerated, and the best choice of them is searched.
    ///
    /// A plan of m SMs has Σ (SMs − worth) over its groups ≤ m − Σ prices, and no term is negative.
    pub fn close(
        &self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        parts: &mut Vec<Part>,
        bound: &mut Bound,
        target: u32,
    ) {
        let mut proven = true;
        let mut most = bound.sms();
        let gpu = sizes.problem().sms();
        while most < total(parts) && total(parts) > target && !sizes.exhausted() {
            if target >= gpu && most > target {
                return; // no plan fits, and no more was asked
            }
            let most_here = most.max(target);
            let room = i64::from(most_here) * ONE - bound.total();
            let priced = price(sizes, works, bound.prices(), -room, GROUPS);
            let searched = branching::search(sizes, self.alone.len(), &priced.groups, most_here, most);
            proven &= priced.complete && searched.complete;
            match searched.best {
                Some(best) => {
                    *parts = best;
                    if proven {
                        bound.raise(total(parts));
                    }
                }
                None if proven => bound.raise(most_here + 1),
                None => {}
            }
            most = most_here + 1;
        }
    }
}
