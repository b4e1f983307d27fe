//! Column generation: prices and groups that are worth more, in turns.

#[cfg(test)]
mod tests;

use super::bound::{Bound, whole_sms};
use super::columns::{Columns, Known, ROUND, TESTED_ROUND};
use super::pricing::Limits;
use super::tested;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::search::Sizes;
use gpusched_model::Policy;

/// How far below what they might prove prices are brought where every group is tested, one after the other [SMs].
const STEPS: [u32; 8] = [16, 12, 9, 6, 4, 2, 1, 0];

/// What prices exceed a whole number of SMs by, for the next to be proven [units].
const JUST_ABOVE: i64 = 1_000;

/// Prices within so much of the best are as good [units].
const NEAR: i64 = ONE / 10;

/// If the program's prices exceed a whole number of SMs by less than that, it is hard to prove that they do [units].
const MARGIN: i64 = ONE / 4;

/// Groups looked at, in all parts of families that are open after it, before prices that are easier are tried instead.
const PATIENT: u64 = 200_000;

/// What groups have to be worth beyond their SMs at first, to be of interest [units].
pub(super) const FLOOR: i64 = ONE / 20;

/// Fewer groups than that are found by looking further, not by looking again.
const FEW: usize = 50;

/// More groups than that are not kept if they are far from being of use.
const COLUMNS: usize = 6_000;

/// Groups that cost so much more than their tasks are worth are far from being of use [SMs].
const FAR: f64 = 0.25;

impl Columns {
    /// Generates groups of some worth until there are few, so that the program's prices, of which nothing is proven yet, are nearly the last; `bound` becomes
    /// the best that is proven on the way. Bounds from `enough` SMs on are of no interest. Where every group is tested, none is left out. Whether prices are
    /// nearly the last.
    pub fn approach(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        bound: &mut Bound,
        enough: u32,
    ) -> bool {
        if sizes.problem().policy() != Policy::Edf {
            self.generate_by_tests(sizes, works, bound, enough);
            return !sizes.exhausted();
        }
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes)
        {
            let priced = pricing.price(sizes, works, &prices, FLOOR, ROUND);
            bound.offer_priced(&prices, &priced);
            self.add(&priced.groups, COLUMNS, FAR);
            if priced.groups.len() < FEW {
                return true;
            }
        }
        bound.sms() >= enough
    }

    /// Generates groups until none is worth more than its SMs, or what may be spent is spent; `bound` becomes the best that was proven on the
    /// way. Bounds from `enough` SMs on are of no interest.
    ///
    /// Only whole SMs count, and the less groups are worth, the fewer have to be looked at. So what is priced is not the program's prices, but what is between
    /// them and the best that were proven (Wentges 1997), as far as the next whole number asks for.
    pub fn generate(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        bound: &mut Bound,
        enough: u32,
    ) {
        if sizes.problem().policy() != Policy::Edf {
            return self.generate_by_tests(sizes, works, bound, enough);
        }
        let mut nodes = ROUND.nodes_each;
        let mut easier = 0;
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes)
            && let Some(goal) = goal(prices.iter().sum(), bound, enough, easier)
        {
            let between = between(bound.prices(), &prices, goal);
            let limits = Limits {
                nodes_each: nodes,
                ..ROUND
            };
            let priced = pricing.price(sizes, works, &between, 1, limits);
            let before = bound.sms();
            let better = bound.offer_priced(&between, &priced);
            if bound.sms() > before {
                easier = 0;
            }
            match (priced.groups.is_empty(), priced.complete) {
                (true, true) if !better => return,
                (true, true) => {}
                (true, false) if nodes.saturating_mul(priced.open) > PATIENT && goal > next(bound) => {
                    easier += 1;
                }
                (true, false) => nodes = nodes.saturating_mul(4),
                (false, _) if priced.groups.len() < FEW => {}
                (false, _) => nodes = nodes.div_ceil(2).max(ROUND.nodes_each),
            }
            self.add(&priced.groups, COLUMNS, FAR);
        }
    }

    /// The same where every group on the way is tested.
    ///
    /// Prices are first brought down to where they just prove some SMs less than they could, then fewer less, then all: with less to gain from each
    /// task, pricing sees far fewer groups, and what it finds helps the true prices as well.
    fn generate_by_tests(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        works: &Works,
        bound: &mut Bound,
        enough: u32,
    ) {
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes)
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
            self.add(&priced.groups, usize::MAX, FAR);
        }
    }
}

/// What prices are to sum to, where those of the program come to `value` and `easier` SMs less are asked for than they might prove; `None` if no more is to be had [units].
fn goal(value: i64, bound: &Bound, enough: u32, easier: u32) -> Option<i64> {
    if bound.sms() >= whole_sms(value) {
        // The closer prices are to the program's, the fewer groups can be in a plan of so many SMs.
        return (value - bound.total() >= NEAR).then_some(value - NEAR / 2);
    }
    let most = whole_sms(value).min(enough) - 1;
    let mut beaten = most.saturating_sub(easier).max(bound.sms());
    if beaten > bound.sms() && value - i64::from(beaten) * ONE < MARGIN {
        beaten -= 1;
    }
    Some(i64::from(beaten) * ONE + JUST_ABOVE)
}

/// What prices sum to that just prove one SM more than `bound` [units].
fn next(bound: &Bound) -> i64 {
    i64::from(bound.sms()) * ONE + JUST_ABOVE
}

/// `prices` moved towards `proven`, which sum to less, until they sum to some `goal` units, less what is rounded off.
fn between(proven: &[i64], prices: &[i64], goal: i64) -> Vec<i64> {
    let (from, to): (i64, i64) = (proven.iter().sum(), prices.iter().sum());
    let (part, whole) = (i128::from(goal - from), i128::from(to - from));
    if whole <= 0 || part >= whole {
        return prices.to_vec();
    }
    let each = proven.iter().zip(prices);
    each.map(|(&from, &to)| {
        let moved = i128::from(to - from) * part.max(0);
        from + i64::try_from(moved.div_euclid(whole)).unwrap_or(0)
    })
    .collect()
}
