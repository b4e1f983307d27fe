//! Lower bound on the SMs of any plan: the sum of valid prices, or the result of a complete search.

use super::pricing::Priced;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::hardware::Totals;
use gpusched_model::plan::{LowerBound, Proof};

/// The best lower bound so far.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// Least work of each task. These prices are also valid, and the easiest to check.
    work: Vec<i64>,
    /// Valid prices: the price sum of every group is at most its SMs.
    prices: Vec<i64>,
    /// The number of SMs that a complete search has proven.
    searched: u32,
    /// The possible totals of partition sizes.
    totals: Totals,
}

/// Rounds a price down to price units, and clamps it to the possible range.
pub(super) fn rounded(price: f64) -> i64 {
    // The price is finite and below 2³² SMs, so i64 represents it closely. Pricing checks the rounded value.
    (price.clamp(0.0, f64::from(u32::MAX)) * ONE as f64).floor() as i64
}

/// Rounds `units`, which must not be negative, up to SMs.
pub(super) fn whole_sms(units: i64) -> u32 {
    debug_assert!(units >= 0, "{units} units are no SMs");
    let units = units.max(0);
    let whole = units / ONE + i64::from(units % ONE > 0);
    u32::try_from(whole).unwrap_or(u32::MAX)
}

impl Bound {
    /// Uses the work of each task in isolation as its price. These prices are valid, because a group has at least the work of
    /// its tasks.
    pub fn of_work(works: &Works, tasks: usize, totals: Totals) -> Bound {
        let work: Vec<i64> = (0..tasks).map(|task| works.alone(task)).collect();
        Bound {
            prices: work.clone(),
            work,
            searched: 1,
            totals,
        }
    }

    /// Creates a bound with `prices` alone, for tests.
    #[cfg(test)]
    pub fn of_prices(prices: Vec<i64>) -> Bound {
        Bound {
            work: vec![0; prices.len()],
            prices,
            searched: 1,
            totals: Totals::all(),
        }
    }

    pub fn prices(&self) -> &[i64] {
        &self.prices
    }

    /// Offers `prices` for which the price sum of a group on m SMs is at most m·(1 + `excess`), with `excess` in price units.
    ///
    /// Scales the prices down to valid prices and keeps them if they prove more. Returns whether they do.
    pub fn offer(&mut self, prices: &[i64], excess: i64) -> bool {
        let scaled = prices.iter().map(|&price| {
            let price = i128::from(price) * i128::from(ONE) / i128::from(ONE + excess.max(0));
            i64::try_from(price).unwrap_or(0)
        });
        let scaled: Vec<i64> = scaled.collect();
        debug_assert!(scaled.len() == self.work.len() && scaled.iter().all(|&price| price >= 0));
        let better = scaled.iter().sum::<i64>() > self.total();
        if better {
            self.prices = scaled;
        }
        better
    }

    /// Offers `prices` with the result of pricing, and keeps them if they prove more. Returns whether they do.
    pub fn offer_priced(&mut self, prices: &[i64], priced: &Priced) -> bool {
        let lowered: Vec<i64> = prices
            .iter()
            .zip(&priced.lower)
            .map(|(price, less)| price - less)
            .collect();
        self.offer(prices, priced.excess_of_all) | self.offer(&lowered, priced.excess)
    }

    /// Records that a complete search found no plan with fewer than `sms` SMs.
    pub fn raise(&mut self, sms: u32) {
        self.searched = self.searched.max(sms);
    }

    /// Σ prices [price units].
    pub fn total(&self) -> i64 {
        self.prices.iter().sum()
    }

    /// The lower bound: no plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(self.searched))
    }

    fn by_prices(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(1))
    }

    /// Converts the bound to the form in plans.
    pub fn into_statement(self) -> LowerBound {
        let (sms, by_prices) = (self.sms(), self.by_prices());
        LowerBound {
            sms,
            proof: match by_prices == sms {
                true => Proof::Prices,
                false => Proof::Search,
            },
            prices: self.eased().iter().map(|price| price.unsigned_abs()).collect(),
            highs: None,
        }
    }

    /// Moves the prices towards the tasks' own work, as long as they prove the same number of SMs. Prices between two lists
    /// of valid prices are valid, too. With smaller price sums, the check of the bound takes less time.
    fn eased(&self) -> Vec<i64> {
        // Rounding reduces each price by less than one price unit.
        let less = self.totals.below(self.by_prices());
        let goal = i64::from(less) * ONE + 1 + self.prices.len() as i64;
        self.towards_work(&self.prices, goal)
    }

    /// Moves `prices` towards the tasks' own work until they sum to `goal`, minus rounding.
    pub fn towards_work(&self, prices: &[i64], goal: i64) -> Vec<i64> {
        let (most, least) = (prices.iter().sum::<i64>(), self.work.iter().sum::<i64>());
        if goal >= most || least >= most {
            return prices.to_vec();
        }
        let (share, whole) = (i128::from((goal - least).max(0)), i128::from(most - least));
        let each = prices.iter().zip(&self.work);
        each.map(|(&price, &work)| {
            let moved = i128::from(price - work) * share;
            work + i64::try_from(moved.div_euclid(whole)).unwrap_or(0)
        })
        .collect()
    }
}
