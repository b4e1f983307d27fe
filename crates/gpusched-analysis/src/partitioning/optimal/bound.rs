//! A lower bound on the SMs of any plan: prices, and what a search proves beyond them.

use super::pricing::Priced;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::hardware::Totals;
use gpusched_model::plan::{LowerBound, Proof};

/// The bound so far.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// The work of each task: prices, too, and the easiest to check.
    work: Vec<i64>,
    /// No group is worth more than its SMs.
    prices: Vec<i64>,
    /// What a complete search has shown.
    searched: u32,
    /// The totals that partitions can have.
    totals: Totals,
}

/// A price in units, rounded down and within reason.
pub(super) fn rounded(price: f64) -> i64 {
    // Finite, and below 2³² SMs: i64 holds it exactly enough, and what is lost is checked by pricing.
    (price.clamp(0.0, f64::from(u32::MAX)) * ONE as f64).floor() as i64
}

/// `units`, which are not negative, rounded up to SMs.
pub(super) fn whole_sms(units: i64) -> u32 {
    debug_assert!(units >= 0, "{units} units are no SMs");
    let units = units.max(0);
    let whole = units / ONE + i64::from(units % ONE > 0);
    u32::try_from(whole).unwrap_or(u32::MAX)
}

impl Bound {
    /// The work of each of `tasks` tasks alone as its price: a group has at least that work.
    pub fn of_work(works: &Works, tasks: usize, totals: Totals) -> Bound {
        let work: Vec<i64> = (0..tasks).map(|task| works.alone(task)).collect();
        Bound {
            prices: work.clone(),
            work,
            searched: 1,
            totals,
        }
    }

    /// Nothing but `prices`, for tests.
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

    /// Takes `prices` by which no group of m SMs is worth more than m·(1 + `excess`), `excess` in units, if they say more; whether they do.
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

    /// Takes `prices` with what pricing found of them, if that says more; whether it does.
    pub fn offer_priced(&mut self, prices: &[i64], priced: &Priced) -> bool {
        let lowered: Vec<i64> = prices
            .iter()
            .zip(&priced.lower)
            .map(|(price, less)| price - less)
            .collect();
        self.offer(prices, priced.excess_of_all) | self.offer(&lowered, priced.excess)
    }

    /// No plan has fewer than `sms` SMs, by a complete search.
    pub fn raise(&mut self, sms: u32) {
        self.searched = self.searched.max(sms);
    }

    /// Σ prices [units].
    pub fn total(&self) -> i64 {
        self.prices.iter().sum()
    }

    /// No plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(self.searched))
    }

    fn by_prices(&self) -> u32 {
        self.totals.at_least(whole_sms(self.total()).max(1))
    }

    /// As plans state it.
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

    /// The prices moved towards the tasks' own work as far as they prove as many SMs: what is between two lists by which no group is worth more than
    /// its SMs is one as well, and the more groups are worth less, the sooner that is checked.
    fn eased(&self) -> Vec<i64> {
        // Rounding takes less than a unit from each.
        let less = self.totals.below(self.by_prices());
        let goal = i64::from(less) * ONE + 1 + self.prices.len() as i64;
        self.towards_work(&self.prices, goal)
    }

    /// `prices` moved towards the tasks' own work until they sum to `goal`, less what is rounded off.
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
