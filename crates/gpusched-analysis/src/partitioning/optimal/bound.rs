//! Lower bound on the SMs of every plan. The bound is the sum of valid prices, or the result of a complete search.

use super::pricing::Priced;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::problem::hardware::Totals;
use gpusched_model::plan::{LowerBound, Proof};

/// The best lower bound that is known so far.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// Least work of each task. These values are valid prices, and they are the easiest prices to check.
    work: Vec<i64>,
    /// Valid prices. With valid prices, the price sum of every group is at most its number of SMs.
    prices: Vec<i64>,
    /// Lower bound [SMs] that a complete search has proven.
    searched: u32,
    /// Possible totals of partition sizes.
    totals: Totals,
}

/// Converts `price` [SMs] to price units, rounded down and limited to the possible range.
pub(super) fn rounded(price: f64) -> i64 {
    // The price is finite and below 2³² SMs, so an i64 represents it closely. Pricing checks the rounded price.
    (price.clamp(0.0, f64::from(u32::MAX)) * ONE as f64).floor() as i64
}

/// Converts `units` [price units] to SMs, rounded up. `units` must be at least 0.
pub(super) fn whole_sms(units: i64) -> u32 {
    debug_assert!(units >= 0, "{units} units are negative");
    let units = units.max(0);
    let whole = units / ONE + i64::from(units % ONE > 0);
    u32::try_from(whole).unwrap_or(u32::MAX)
}

impl Bound {
    /// Creates a bound whose price for each task is the work of the task in isolation. These prices are valid, because
    /// the work of a group is at least the sum of the works of its tasks.
    pub fn of_work(works: &Works, tasks: usize, totals: Totals) -> Bound {
        let work: Vec<i64> = (0..tasks).map(|task| works.alone(task)).collect();
        Bound {
            prices: work.clone(),
            work,
            searched: 1,
            totals,
        }
    }

    /// Creates a bound that has only `prices`, for tests.
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

    /// Takes prices that may be invalid. With `prices`, the price sum of a group on m SMs is at most m·(1 + `excess`),
    /// where `excess` is in price units.
    ///
    /// Scales the prices down to valid prices, and keeps the valid prices if their sum is a
    /// better bound. Returns whether the bound improved.
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

    /// Derives valid prices from `prices` and from the result of pricing. Keeps the valid prices if their sum is a
    /// better bound. Returns whether the bound improved.
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

    /// Returns the sum of all prices [price units].
    pub fn total(&self) -> i64 {
        self.prices.iter().sum()
    }

    /// Returns the lower bound on the SMs of every plan.
    pub fn sms(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(self.searched))
    }

    fn by_prices(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(1))
    }

    /// Converts the bound to the form that plans store.
    pub fn into_statement(self) -> LowerBound {
        let (sms, by_prices) = (self.sms(), self.by_prices());
        LowerBound {
            sms,
            proof: match by_prices == sms {
                true => Proof::Prices,
                false => Proof::Search,
            },
            prices: self.eased().iter().map(|price| price.unsigned_abs()).collect(),
        }
    }

    /// Moves the prices towards the work of the tasks, as long as the proven number of SMs stays
    /// unchanged. Prices between two lists of valid prices are valid, too. With smaller price
    /// sums, the check of the bound takes less time.
    fn eased(&self) -> Vec<i64> {
        // Rounding reduces each price by less than one price unit.
        let less = self.totals.below(self.by_prices());
        let goal = i64::from(less) * ONE + 1 + self.prices.len() as i64;
        self.towards_work(&self.prices, goal)
    }

    /// Moves `prices` towards the work of the tasks, until the prices sum to `goal` minus rounding errors.
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
