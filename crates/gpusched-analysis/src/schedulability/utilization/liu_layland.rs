//! The bound of Liu and Layland for fixed priorities: U' ≤ n·(2^(1/n) − 1) (JACM 20(1), 1973).
//! gpusched computes the equivalent condition (1 + U'/n)ⁿ ≤ 2.

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::terms::{bound, late_release, least_separation};
use crate::schedulability::Demand;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;

/// Tests whether U' = Σ C/T' ≤ n·(2^(1/n) − 1) for n tasks with T' = min(T, D) − J. The test is
/// sufficient for preemptive fixed priorities in ascending order of T'.
pub fn liu_layland(demands: &[Demand]) -> Evidence {
    late_release(demands).unwrap_or_else(|| bound(holds(demands)))
}

/// Returns whether (1 + U'/n)ⁿ ≤ 2. The function rounds the value down and up, and adds fractional bits until both
/// values give the same result. The loop ends, because (1 + U'/n)ⁿ never equals 2: 2^(1/n) is irrational for n > 1.
fn holds(demands: &[Demand]) -> bool {
    if demands.iter().any(|demand| least_separation(demand).is_none()) {
        return false;
    }
    let shares = demands
        .iter()
        .map(|demand| (demand.wcet.ns().into(), least_separation(demand).unwrap_or(0)));
    // This check covers n = 1, where the bound is 1. The check also ensures that the factor below is at most 2.
    if compare_total(shares, 1) == Ordering::Greater {
        return false;
    }
    if demands.len() < 2 {
        return true;
    }
    small(demands).unwrap_or_else(|| {
        let mut bits = 128;
        loop {
            match large(demands, bits) {
                Some(holds) => return holds,
                None => bits *= 2,
            }
        }
    })
}

/// Tests (1 + U'/n)ⁿ ≤ 2 with 62 fractional bits. Returns `None` if these bits are too few to
/// decide.
fn small(demands: &[Demand]) -> Option<bool> {
    const BITS: u32 = 62;
    const TWO: u128 = 2 << BITS;
    let mut total = 0u128;
    for demand in demands {
        total += (u128::from(demand.wcet.ns()) << BITS) / u128::from(least_separation(demand)?);
    }
    let n = demands.len() as u128;
    let (low, high) = (total / n, (total + n) / n + 1);
    let (mut below, mut above) = (1u128 << BITS, 1u128 << BITS);
    for _ in demands {
        below += (below * low) >> BITS;
        if below > TWO {
            return Some(false);
        }
        above = (above + ((above * high) >> BITS) + 1).min(TWO + (TWO >> 1));
    }
    (above <= TWO).then_some(true)
}

fn large(demands: &[Demand], bits: u64) -> Option<bool> {
    let mut total = BigUint::ZERO;
    for demand in demands {
        total += (BigUint::from(demand.wcet.ns()) << bits) / least_separation(demand)?;
    }
    let n = BigUint::from(demands.len());
    let low = &total / &n;
    let high = (&total + &n) / &n + 1u32;
    let two = BigUint::from(2u32) << bits;
    let mut below = BigUint::from(1u32) << bits;
    let mut above = below.clone();
    for _ in demands {
        below = &below + ((&below * &low) >> bits);
        above = &above + ((&above * &high) >> bits) + 1u32;
        if below > two {
            return Some(false);
        }
    }
    (above <= two).then_some(true)
}
