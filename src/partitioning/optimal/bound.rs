//! A lower bound on the SMs of any plan: prices, and what a search proves beyond them.

use super::ONE;
use super::works::Works;
use crate::model::plan::{LowerBound, Proof};

/// The bound so far.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// No group is worth more than its SMs.
    prices: Vec<i64>,
    /// What a complete search has shown.
    searched: u32,
}

/// A price in units, rounded down and within reason.
pub(super) fn rounded(price: f64) -> i64 {
    // Finite, and below 2³² SMs: i64 holds it exactly enough, and what is lost is checked by pricing.
    (price.clamp(0.0, f64::from(u32::MAX)) * ONE as f64).floor() as i64
}

/// `units`, which are not negative, rounded up to SMs.
pub(super) fn whole_sms(units: i64) -> u32 {
    let whole = units / ONE + i64::from(units % ONE > 0);
    u32::try_from(whole).unwrap_or(u32::MAX)
}

impl Bound {
    /// The work of each of `tasks` tasks alone as its price: a group has at least that work.
    pub fn of_work(works: &Works, tasks: usize) -> Bound {
        Bound {
            prices: (0..tasks).map(|task| works.alone(task)).collect(),
            searched: 1,
        }
    }

    pub fn prices(&self) -> &[i64] {
        &self.prices
    }

    /// Takes `prices` by which no group is worth more than `most` beyond its SMs, if they say more.
    ///
    /// A group of m ≥ 1 SMs is worth m + most at most, and so m if all is divided by 1 + most.
    pub fn offer(&mut self, prices: &[i64], most: i64) {
        let scaled = prices.iter().map(|&price| {
            let price = i128::from(price) * i128::from(ONE) / i128::from(ONE + most.max(0));
            i64::try_from(price).unwrap_or(0)
        });
        let scaled: Vec<i64> = scaled.collect();
        if scaled.iter().sum::<i64>() > self.total() {
            self.prices = scaled;
        }
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
        self.by_prices().max(self.searched)
    }

    fn by_prices(&self) -> u32 {
        whole_sms(self.total())
    }

    /// As plans state it.
    pub fn into_statement(self) -> LowerBound {
        LowerBound {
            sms: self.sms(),
            proof: match self.by_prices() == self.sms() {
                true => Proof::Prices,
                false => Proof::Search,
            },
            prices: self.prices.iter().map(|price| price.unsigned_abs()).collect(),
            highs: None,
        }
    }
}
