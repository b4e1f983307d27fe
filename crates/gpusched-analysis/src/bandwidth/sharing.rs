//! Division of a memory bandwidth budget among best-effort CPU cores.

use serde::{Deserialize, Serialize};

/// Rule that divides the memory time of a regulation period among best-effort CPU cores.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Sharing {
    /// Equal shares; unused memory time is lost, as with one budget per core.
    Equal,
    /// Max-min fair shares; unused memory time goes to cores with a higher demand.
    #[default]
    MaxMin,
    /// Shares in proportion to demands.
    Demand,
}

impl Sharing {
    /// All rules.
    pub const ALL: [Sharing; 3] = [Sharing::Equal, Sharing::MaxMin, Sharing::Demand];

    /// Divides `budget` among cores with `demands`, in whole nanoseconds, and writes one share per core to `shares`.
    ///
    /// A share is at most the demand of its core, and all shares together are at most the budget. `Equal` and `MaxMin` give the
    /// nanoseconds of a remainder to the first cores.
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

/// Part `index` of `whole` in `count` parts. Parts differ by at most one, and larger parts come first.
fn part(whole: u64, count: u64, index: u64) -> u64 {
    let (Some(least), Some(rest)) = (whole.checked_div(count), whole.checked_rem(count)) else {
        return 0;
    };
    least + u64::from(index < rest)
}

/// Serves cores by ascending demand. Each core gets its demand, or an equal part of the rest.
fn max_min(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    shares.extend_from_slice(demands);
    // Every core is served up to `level`. Cores with a lower demand leave more to the other cores. Cores are few, so the loop does
    // not sort.
    let (mut left, mut level) = (budget, 0);
    let mut open;
    loop {
        open = demands.iter().filter(|&&demand| demand > level).count() as u64;
        let Some(&least) = demands.iter().filter(|&&demand| demand > level).min() else {
            return; // all cores are served
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

/// Rounds cumulative shares down. So the shares use the whole budget, and no share exceeds the demand of its core.
fn in_proportion(budget: u64, demands: &[u64], shares: &mut Vec<u64>) {
    let total: u128 = demands.iter().map(|&demand| u128::from(demand)).sum();
    if total <= u128::from(budget) {
        shares.extend_from_slice(demands);
        return;
    }
    let (mut wanted, mut given) = (0u128, 0u128);
    for &demand in demands {
        wanted += u128::from(demand);
        // Demands of centuries may saturate. Then cores get less, never more.
        let due = wanted
            .saturating_mul(budget.into())
            .checked_div(total)
            .unwrap_or(0);
        shares.push(u64::try_from(due - given).unwrap_or(0));
        given = due;
    }
}

/// Jain's fairness index (Σx)²/(K·Σx²) of the amounts x of K cores (Jain, Chiu & Hawe 1984). It is 1 for equal amounts and 1/K if
/// one core gets everything. Returns `None` if all amounts are 0.
pub fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    (squares > 0.0).then(|| sum * sum / (amounts.len() as f64 * squares))
}
