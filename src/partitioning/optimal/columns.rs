//! Column generation, and what follows from its prices.

use super::super::objective::Aim;
use super::super::sizes::{Part, Sizes, total};
use super::ONE;
use super::bound::{Bound, rounded, whole_sms};
use super::branching;
use super::master::Master;
use super::pricing::{Limits, Pricing};
use super::tested;
use super::works::Works;
use crate::model::Policy;

/// The groups known so far.
pub(super) struct Columns {
    /// The size of each task alone.
    pub alone: Vec<u32>,
    pub master: Master,
}

/// While groups are generated: few of each family and round, for prices change.
const ROUND: Limits = Limits {
    groups_each: 4,
    groups_of_family: 40,
    groups: 2_000,
    nodes_each: 100,
};

/// The same where every group on the way is tested.
const TESTED_ROUND: tested::Limits = tested::Limits {
    per_task: 10,
    groups: 500,
    patience: 50_000,
};
const TESTED_GROUPS: tested::Limits = tested::Limits {
    per_task: usize::MAX,
    groups: 50_000,
    patience: u64::MAX,
};

/// How far below what they might prove prices are brought, one after the other [SMs].
const STEPS: [u32; 8] = [16, 12, 9, 6, 4, 2, 1, 0];

/// What prices exceed a whole number of SMs by, for the next to be proven [units].
const JUST_ABOVE: i64 = 1_000;

/// Groups that are taken from a pool at a time.
const FROM_POOL: usize = 500;

/// Groups that branch and bound is begun with at most.
const GROUPS: Limits = Limits {
    groups_each: usize::MAX,
    groups_of_family: usize::MAX,
    groups: 50_000,
    nodes_each: u64::MAX,
};

/// Prices within so much of the best are as good [units].
const NEAR: i64 = ONE / 10;

/// Groups looked at, in all parts of families that are open after it, before prices that are easier are tried instead.
const PATIENT: u64 = 200_000;

/// What groups have to be worth beyond their SMs at first, to be of interest [units].
const FLOOR: i64 = ONE / 20;

/// Of the way from the best prices known to those of the program.
const WHOLE: i64 = 64;

/// Fewer groups than that are found by looking further, not by looking again.
const FEW: usize = 50;

/// More groups than that are not kept if they are far from being of use.
const COLUMNS: usize = 6_000;

/// Groups that cost so much more than their tasks are worth are far from being of use [SMs].
const FAR: f64 = 0.25;

impl Columns {
    pub fn new(alone: Vec<u32>) -> Columns {
        let costs: Vec<f64> = alone.iter().map(|&sms| f64::from(sms)).collect();
        Columns {
            master: Master::new(&costs),
            alone,
        }
    }

    /// Generates groups, from those of a plan and a pool on, until none is worth more than its SMs, or what may be spent
    /// is spent; `bound` becomes the best that was proven on the way. Bounds from `enough` SMs on are of no interest.
    ///
    /// Groups of little worth are left until none is worth more. Where even then not every group can be looked at, prices between the
    /// program's and the best that were proven are priced instead (Wentges 1997): the less groups are worth, the fewer have to be.
    pub fn generate(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): (&Works, &mut Pricing<'_>),
        (parts, mut pool): (&[Part], Vec<Part>),
        bound: &mut Bound,
        enough: u32,
        roughly: bool,
    ) {
        parts.iter().for_each(|part| self.master.add(part));
        if roughly { self.add_pairs(sizes); }
        if sizes.problem().policy() != Policy::Edf {
            return self.generate_by_tests(sizes, works, pool, bound, enough);
        }
        let t0 = std::time::Instant::now();
        let mut center = bound.prices().to_vec();
        let mut nodes = ROUND.nodes_each;
        let mut share = WHOLE;
        let mut floor = FLOOR;
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes, &mut pool)
        {
            let value: i64 = prices.iter().sum();
            if bound.sms() >= whole_sms(value) && value - bound.total() < NEAR {
                return; // no more is to be had from prices
            }
            let between = between(&center, &prices, share);
            let limits = Limits {
                nodes_each: nodes,
                ..ROUND
            };
            let priced = pricing.price(sizes, works, &between, floor, limits);
            let lowered: Vec<i64> = between
                .iter()
                .zip(&priced.lower)
                .map(|(price, less)| price - less)
                .collect();
            if bound.offer(&between, priced.excess_of_all) | bound.offer(&lowered, priced.excess) {
                center = bound.prices().to_vec();
            }
            eprintln!("DBG {} spent {} value {:.3} bound {:.3} groups {} complete {} open {} share {share} nodes {nodes} floor {floor} cols {}", t0.elapsed().as_secs_f64(), sizes.charged()+sizes.tested(), value as f64/ONE as f64, bound.total() as f64/ONE as f64, priced.groups.len(), priced.complete, priced.open, self.master.columns());
            if roughly && priced.groups.len() < FEW { return; }
            match (priced.groups.is_empty(), priced.complete) {
                (true, true) if floor > 1 => floor = (floor / 4).max(1),
                (true, true) if share == WHOLE => return,
                (true, true) => share = (share + WHOLE + 1) / 2,
                (true, false) if nodes.saturating_mul(priced.open) < PATIENT || share < 4 => {
                    nodes = nodes.saturating_mul(4)
                }
                (true, false) => share = share * 7 / 8,
                (false, _) if priced.groups.len() < FEW => {}
                (false, _) => nodes = nodes.div_ceil(2).max(ROUND.nodes_each),
            }
            if self.master.columns() > COLUMNS {
                self.master.drop_above(FAR);
            }
            priced.groups.iter().for_each(|group| self.master.add(group));
        }
    }

    /// The same where every group on the way is tested.
    ///
    /// Only whole SMs count. So prices are first brought down to where they just prove some SMs less than they could, then
    /// fewer less, then all: with less to gain from each task, pricing sees far fewer groups, and what it finds helps the true prices as well.
    fn generate_by_tests(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        mut pool: Vec<Part>,
        bound: &mut Bound,
        enough: u32,
    ) {
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes, &mut pool)
        {
            let attainable = whole_sms(prices.iter().sum()).min(enough);
            let goal = STEPS.map(|less| attainable.saturating_sub(less));
            let goal = goal.into_iter().find(|&goal| goal > bound.sms());
            let prices = match goal {
                Some(goal) => bound.towards_work(&prices, i64::from(goal - 1) * ONE + JUST_ABOVE),
                None => prices,
            };
            let priced = tested::price(sizes, works, &prices, 1, TESTED_ROUND);
            if priced.complete {
                bound.offer(&prices, priced.most);
            }
            if priced.groups.is_empty() && (goal.is_none() || !priced.complete) {
                return;
            }
            priced.groups.iter().for_each(|group| self.master.add(group));
        }
    }

    /// The groups that are worth no more than `room` less than their SMs, and whether those are all.
    pub fn within(
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): (&Works, &mut Pricing<'_>),
        prices: &[i64],
        room: i64,
    ) -> (Vec<Part>, bool) {
        match sizes.problem().policy() {
            Policy::Edf => {
                let priced = pricing.price(sizes, works, prices, -room, GROUPS);
                (priced.groups, priced.complete)
            }
            _ => {
                let priced = tested::price(sizes, works, prices, -room, TESTED_GROUPS);
                (priced.groups, priced.complete)
            }
        }
    }

    /// The prices of the linear program with all groups of `pool` that help; `None` if what may be spent is spent before.
    fn proposed(&mut self, sizes: &mut Sizes<'_, '_>, pool: &mut Vec<Part>) -> Option<Vec<i64>> {
        while !sizes.exhausted() {
            let solved = self.master.solve();
            sizes.charge(self.master.work());
            if !solved {
                return None;
            }
            let prices = self.prices();
            if !self.add_from(pool, &prices) {
                return Some(prices);
            }
        }
        None
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
        let Some(&least) = worths.get(FROM_POOL.min(worths.len().saturating_sub(1))) else {
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
        self.prices_of(&self.master)
    }

    /// Those of `master`
    pub fn prices_of(&self, master: &Master) -> Vec<i64> {
        let alone = self.alone.iter().map(|&sms| i64::from(sms) * ONE);
        let prices = master.prices().iter().zip(alone);
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
        (works, pricing): (&Works, &mut Pricing<'_>),
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

/// `share` parts of the way from `center` to `prices`, rounded down.
fn between(center: &[i64], prices: &[i64], share: i64) -> Vec<i64> {
    let each = center.iter().zip(prices);
    each.map(|(&from, &to)| from + ((to - from) * share).div_euclid(WHOLE))
        .collect()
}
