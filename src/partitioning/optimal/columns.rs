//! Column generation, and what follows from its prices.

use super::super::sizes::{Part, Sizes, total};
use super::ONE;
use super::bound::{Bound, rounded, whole_sms};
use super::branching;
use super::master::Master;
use super::pricing::{Limits, price};
use super::works::Works;

/// The groups known so far.
pub(super) struct Columns {
    /// The size of each task alone.
    pub alone: Vec<u32>,
    pub master: Master,
}

/// While groups are generated: few per task and round, for prices change.
const ROUND: Limits = Limits {
    per_task: 10,
    groups: 500,
    patience: 50_000,
};

/// How far below what they might prove prices are brought, one after the other [SMs].
const STEPS: [u32; 8] = [16, 12, 9, 6, 4, 2, 1, 0];

/// What prices exceed a whole number of SMs by, for the next to be proven [units].
const JUST_ABOVE: i64 = 100;

/// Groups that branch and bound is begun with at most.
pub(super) const GROUPS: Limits = Limits {
    per_task: usize::MAX,
    groups: 50_000,
    patience: u64::MAX,
};

impl Columns {
    pub fn new(alone: Vec<u32>) -> Columns {
        let costs: Vec<f64> = alone.iter().map(|&sms| f64::from(sms)).collect();
        Columns {
            master: Master::new(&costs),
            alone,
        }
    }

    /// Generates groups, from those of a plan and a pool on, until none is worth more than its SMs, or what may be spent
    /// is spent; `bound` becomes the best that was proven on the way.
    ///
    /// Only whole SMs count. So prices are first brought down to where they just prove some SMs less than they could, then
    /// fewer less, then all: with less to gain from each task, pricing sees far fewer groups, and what it finds helps the true prices as
    /// well. Bounds from `enough` SMs on are of no interest.
    pub fn generate(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        (parts, mut pool): (&[Part], Vec<Part>),
        bound: &mut Bound,
        enough: u32,
    ) {
        parts.iter().for_each(|part| self.master.add(part));
        self.add_pairs(sizes);
        while !sizes.exhausted() && bound.sms() < enough {
            let solved = self.master.solve();
            sizes.charge(self.master.work());
            if !solved {
                return;
            }
            let prices = self.prices();
            if self.add_from(&mut pool, &prices) {
                continue;
            }
            let attainable = whole_sms(prices.iter().sum()).min(enough);
            let goal = STEPS.map(|less| attainable.saturating_sub(less));
            let goal = goal.into_iter().find(|&goal| goal > bound.sms());
            let prices = match goal {
                Some(goal) => lowered(works, prices, i64::from(goal - 1) * ONE + JUST_ABOVE),
                None => prices,
            };
            let priced = price(sizes, works, &prices, 1, ROUND);
            if priced.complete {
                bound.offer(&prices, priced.most);
            }
            if priced.groups.is_empty() && (goal.is_none() || !priced.complete) {
                return;
            }
            priced.groups.iter().for_each(|group| self.master.add(group));
        }
    }

    /// Moves the groups of `pool` that are worth the most to the linear program; whether there were any.
    fn add_from(&mut self, pool: &mut Vec<Part>, prices: &[i64]) -> bool {
        let worth = |part: &Part| {
            let price: i64 = part.tasks.iter().map(|&task| prices[task]).sum();
            price - i64::from(part.sms) * ONE
        };
        let mut worths: Vec<i64> = pool
            .iter()
            .map(worth)
            .filter(|&worth| worth > ONE / 1000)
            .collect();
        worths.sort_unstable_by_key(|&worth| std::cmp::Reverse(worth));
        let Some(&least) = worths.get(ROUND.groups.min(worths.len().saturating_sub(1))) else {
            return false;
        };
        let before = pool.len();
        let mut kept = Vec::with_capacity(before);
        for part in pool.drain(..) {
            match worth(&part) >= least {
                true => self.master.add(&part),
                false => kept.push(part),
            }
        }
        *pool = kept;
        pool.len() < before
    }

    /// Those of the linear program in units, none above what its task costs alone.
    fn prices(&self) -> Vec<i64> {
        let alone = self.alone.iter().map(|&sms| i64::from(sms) * ONE);
        let prices = self.master.prices().iter().zip(alone);
        prices.map(|(&price, most)| rounded(price).min(most)).collect()
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
                    self.master.add(&Part {
                        sms,
                        tasks: vec![a, b],
                    });
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
        let gpu = sizes.problem().shares();
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

/// `prices` moved towards the tasks' own work until they sum to `total`; both are free of groups worth more than their SMs, or
/// nearly, and so is what is in between.
fn lowered(works: &Works, prices: Vec<i64>, total: i64) -> Vec<i64> {
    let alone: Vec<i64> = (0..prices.len()).map(|task| works.alone(task)).collect();
    let (most, least): (i64, i64) = (prices.iter().sum(), alone.iter().sum());
    if total >= most || least >= most {
        return prices;
    }
    let (share, whole) = (i128::from(total - least).max(0), i128::from(most - least));
    let mut prices: Vec<i64> = prices
        .iter()
        .zip(&alone)
        .map(|(&price, &work)| {
            let moved = i128::from(price - work) * share;
            work + i64::try_from(moved.div_euclid(whole)).unwrap_or(0)
        })
        .collect();
    // What was rounded off, at most one unit per task, goes to the first.
    let missing = total - prices.iter().sum::<i64>();
    if let Some(first) = prices.first_mut().filter(|_| missing > 0) {
        *first += missing;
    }
    prices
}
