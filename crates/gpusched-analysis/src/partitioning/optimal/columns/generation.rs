//! Column generation. Each round proposes prices and searches for groups with a positive excess.

#[cfg(test)]
mod tests;

use super::{Columns, Known, ROUND, TESTED_ROUND};
use crate::partitioning::optimal::bound::{Bound, whole_sms};
use crate::partitioning::optimal::pricing::Limits;
use crate::partitioning::optimal::tested;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::optimal::works::Works;
use crate::partitioning::search::Sizes;

/// Reductions of the proof target [SMs], in the order of the attempts. These reductions are only for pricing that tests
/// every visited group.
const STEPS: [u32; 8] = [16, 12, 9, 6, 4, 2, 1, 0];

/// Amount [price units] by which a price sum must exceed a whole number of SMs to prove the next number.
const JUST_ABOVE: i64 = 1_000;

/// Difference of price sums that counts as small [price units].
const NEAR: i64 = ONE / 10;

/// Margin [price units]. If the value of the linear program exceeds a number of SMs by less than
/// this margin, a proof of the next number is unlikely.
const MARGIN: i64 = ONE / 4;

/// Maximum number of groups to visit in all open parts of families. If more visits are necessary,
/// gpusched tries to prove a smaller bound.
const PATIENT: u64 = 200_000;

/// Minimum excess of the groups that the first rounds generate [price units].
pub(super) const FLOOR: i64 = ONE / 20;

/// If a round finds fewer groups than this number, the limit on visited groups does not decrease.
const FEW: usize = 50;

/// Number of columns above which gpusched drops the groups with a high reduced cost.
const COLUMNS: usize = 6_000;

/// Reduced cost above which a group is dropped [SMs].
const FAR: f64 = 0.25;

/// Bounds that column generation tries to prove.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Targets {
    /// The largest bound. A smaller bound is also useful.
    All,
    /// Only the bound that is enough for the objective.
    Enough,
}

impl Columns {
    /// Generates groups with a minimum excess until a round finds only a few groups. After such a round, the proposed
    /// prices are near the optimum of the linear program, but they are not proven to be valid.
    /// Returns true if a round found only a few groups, or if the bound reached `enough` SMs.
    ///
    /// `bound` becomes the best lower bound that the rounds prove. The function stops at a bound of `enough` SMs. A
    /// search that tests every visited group ignores the minimum excess.
    pub fn approach(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        bound: &mut Bound,
        enough: u32,
    ) -> bool {
        if !sizes.problem().has_measures() {
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

    /// Generates groups until no group has a positive excess, or until the search effort is used up.
    ///
    /// `bound` becomes the best lower bound that the rounds prove. The function stops at a bound
    /// of `enough` SMs.
    ///
    /// Only whole SMs count, and pricing visits fewer groups if the prices are smaller. Pricing therefore uses prices
    /// between the prices of the linear program and the best proven prices (Wentges 1997). The sum of these prices is
    /// the smallest sum that proves the next number of SMs.
    pub fn generate(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        (works, pricing): Known<'_, '_>,
        bound: &mut Bound,
        (enough, targets): (u32, Targets),
    ) {
        if !sizes.problem().has_measures() {
            return self.generate_by_tests(sizes, works, bound, enough);
        }
        let mut nodes = ROUND.nodes_each;
        let mut easier = 0;
        while bound.sms() < enough
            && let Some(prices) = self.proposed(sizes)
            && let Some(goal) = match targets {
                Targets::All => goal(prices.iter().sum(), bound, enough, easier),
                Targets::Enough => only_enough(prices.iter().sum(), enough),
            }
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
                (true, false)
                    if targets == Targets::All
                        && nodes.saturating_mul(priced.open) > PATIENT
                        && goal > next(bound) =>
                {
                    easier += 1;
                }
                (true, false) => nodes = nodes.saturating_mul(4),
                (false, _) if priced.groups.len() < FEW => {}
                (false, _) => nodes = nodes.div_ceil(2).max(ROUND.nodes_each),
            }
            self.add(&priced.groups, COLUMNS, FAR);
        }
    }

    /// Generates groups like [`Columns::generate`], with a test of every visited group.
    ///
    /// The first rounds reduce the prices, so that the prices prove a few SMs less than the full prices could. Later
    /// rounds reduce the prices less, and the last round uses the full prices. With reduced prices, pricing visits far
    /// fewer groups, but these groups are useful for the full prices, too.
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

/// Returns the price sum that just proves `enough` SMs [price units], or `None` if the prices of the linear program, with
/// the sum `value`, prove fewer SMs.
fn only_enough(value: i64, enough: u32) -> Option<i64> {
    let goal = i64::from(enough.saturating_sub(1)) * ONE + JUST_ABOVE;
    (goal <= value).then_some(goal)
}

/// Returns the target for the price sum [price units], or `None` if no improvement is possible. The prices of the
/// linear program have the sum `value`. Prices at the target prove `easier` SMs less than `value` could prove.
fn goal(value: i64, bound: &Bound, enough: u32, easier: u32) -> Option<i64> {
    if bound.sms() >= whole_sms(value) {
        // Prices closer to the prices of the linear program exclude more groups from a plan of this size.
        return (value - bound.total() >= NEAR).then_some(value - NEAR / 2);
    }
    let most = whole_sms(value).min(enough) - 1;
    let mut beaten = most.saturating_sub(easier).max(bound.sms());
    if beaten > bound.sms() && value - i64::from(beaten) * ONE < MARGIN {
        beaten -= 1;
    }
    Some(i64::from(beaten) * ONE + JUST_ABOVE)
}

/// Returns the smallest price sum that proves one SM more than `bound` [price units].
fn next(bound: &Bound) -> i64 {
    i64::from(bound.sms()) * ONE + JUST_ABOVE
}

/// Moves the prices `proven` towards `prices`, which have a larger sum. The sum of the result is `goal` price units minus
/// rounding errors.
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
