//! Best-effort cores share the budget of a regulation period.

use serde::{Deserialize, Serialize};

/// How the memory time of a period is divided among best-effort cores.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Sharing {
    /// Equal parts, and what a core does not use is lost: a budget of its own for each core.
    Equal,
    /// As equal as can be, and what a core does not use is given to those that want more.
    #[default]
    MaxMin,
    /// In proportion to demands.
    Demand,
}

impl Sharing {
    /// All of them.
    pub const ALL: [Sharing; 3] = [Sharing::Equal, Sharing::MaxMin, Sharing::Demand];

    /// Divides `budget` among cores that want `demands`, in whole nanoseconds; into `shares`, one for each core.
    ///
    /// No core gets more than it wants, and all together no more than the budget. Nanoseconds that do not divide go to the
    /// first cores.
    pub fn divide(self, budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
        shares.clear();
        match self {
            Sharing::Equal => {
                let cores = demands.len() as u64;
                let parts = (0..cores).map(|core| part(budget, cores, core));
                shares.extend(demands.iter().zip(parts).map(|(&demand, part)| demand.min(part)));
            }
            Sharing::MaxMin => max_min(budget, demands, shares),
            Sharing::Demand => in_proportion(budget, demands, shares),
        }
    }
}

/// Part `index` of `whole` in `count` parts that differ by one at most, the larger ones first.
fn part(whole: u64, count: u64, index: u64) -> u64 {
    let (Some(least), Some(rest)) = (whole.checked_div(count), whole.checked_rem(count)) else {
        return 0;
    };
    least + u64::from(index < rest)
}

/// Cores from the least demand on: each gets what it wants, or an equal part of what is left.
fn max_min(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    shares.extend_from_slice(demands);
    // The level up to which every core is served: those that want less leave more to the others. Cores are few, so no sorting.
    let (mut left, mut level) = (budget, 0);
    let mut open;
    loop {
        open = demands.iter().filter(|&&demand| demand > level).count() as u64;
        let Some(&least) = demands.iter().filter(|&&demand| demand > level).min() else {
            return; // all are served
        };
        match open.checked_mul(least - level).filter(|&cost| cost <= left) {
            Some(cost) => {
                left -= cost;
                level = least;
            }
            None => break,
        }
    }
    let mut index = 0;
    for (share, &demand) in shares.iter_mut().zip(demands) {
        if demand > level {
            *share = level + part(left, open, index);
            index += 1;
        }
    }
}

/// Cumulative shares are rounded down, so that nothing is lost and no core gets more than it wants.
fn in_proportion(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    let total: u128 = demands.iter().map(|&demand| u128::from(demand)).sum();
    if total <= u128::from(budget) {
        shares.extend_from_slice(demands);
        return;
    }
    let (mut wanted, mut given) = (0u128, 0u128);
    for &demand in demands {
        wanted += u128::from(demand);
        // Where centuries of demand saturate, cores get less, never more.
        let due = wanted
            .saturating_mul(budget.into())
            .checked_div(total)
            .unwrap_or(0);
        shares.push(u64::try_from(due - given).unwrap_or(0));
        given = due;
    }
}

/// Jain's fairness index of what cores get, (Σx)²/(K·Σx²): 1 if all get the same, 1/K if one gets all; `None` if none gets
/// anything (Jain, Chiu & Hawe 1984).
pub fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    (squares > 0.0).then(|| sum * sum / (amounts.len() as f64 * squares))
}
