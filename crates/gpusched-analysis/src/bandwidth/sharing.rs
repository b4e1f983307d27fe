//! Division of a memory bandwidth budget among best-effort CPU cores.

use serde::{Deserialize, Serialize};

/// Rule that divides the memory time of a regulation period among best-effort CPU cores.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Sharing {
    /// Equal shares. The memory time that a core leaves unused is lost, as if each core had its
    /// own budget.
    Equal,
    /// Max-min fair shares. The memory time that a core leaves unused goes to cores with a higher
    /// demand.
    #[default]
    MaxMin,
    /// Shares in proportion to the demands.
    Demand,
}

impl Sharing {
    /// All sharing rules.
    pub const ALL: [Sharing; 3] = [Sharing::Equal, Sharing::MaxMin, Sharing::Demand];

    /// Divides `budget` among the cores in whole nanoseconds, and writes the share of each core
    /// to `shares`. `demands` has the memory time that each core can use [ns].
    ///
    /// The share of a core is at most its demand, and the sum of all shares is at most the
    /// budget. If the division leaves a remainder, `Equal` and `MaxMin` add one nanosecond to each of the first shares.
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

/// Divides `whole` into `count` parts and returns part `index`. The parts differ by at most 1,
/// and the larger parts come first.
fn part(whole: u64, count: u64, index: u64) -> u64 {
    let (Some(least), Some(rest)) = (whole.checked_div(count), whole.checked_rem(count)) else {
        return 0;
    };
    least + u64::from(index < rest)
}

/// Computes max-min fair shares. Each core receives its demand or an equal part of the remaining budget, whichever is
/// smaller.
fn max_min(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    shares.extend_from_slice(demands);
    // Every core has a share of at least min(its demand, `level`). Each round raises `level` to
    // the next larger demand. Without sorting, each round searches all demands, which is fast for
    // few cores.
    let (mut left, mut level) = (budget, 0);
    let mut open;
    loop {
        open = demands.iter().filter(|&&demand| demand > level).count() as u64;
        let Some(&least) = demands.iter().filter(|&&demand| demand > level).min() else {
            return; // every core receives its demand
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

/// Computes proportional shares. The function rounds the cumulative shares down. So the shares
/// use the whole budget, and each share is at most the demand of its core.
fn in_proportion(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    let total: u128 = demands.iter().map(|&demand| u128::from(demand)).sum();
    if total <= u128::from(budget) {
        shares.extend_from_slice(demands);
        return;
    }
    let (mut wanted, mut given) = (0u128, 0u128);
    for &demand in demands {
        wanted += u128::from(demand);
        // The product can saturate only for demands of centuries. Saturation makes the shares
        // smaller, which is safe.
        let due = wanted
            .saturating_mul(budget.into())
            .checked_div(total)
            .unwrap_or(0);
        shares.push(u64::try_from(due - given).unwrap_or(0));
        given = due;
    }
}

/// Computes Jain's fairness index (Σx)²/(K·Σx²) of the amounts x that K cores receive (Jain, Chiu
/// & Hawe 1984). The index is 1 if all amounts are equal, and 1/K if one core receives
/// everything. Returns `None` if all amounts are 0.
pub fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    (squares > 0.0).then(|| sum * sum / (amounts.len() as f64 * squares))
}
