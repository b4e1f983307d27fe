//! The hyperbolic bound for fixed priorities: Π (C/T' + 1) ≤ 2 (Bini, Buttazzo & Buttazzo, IEEE
//! Trans. Computers 52(7), 2003).

use num_bigint::BigUint;

use super::terms::{bound, late_release, least_separation};
use crate::schedulability::Demand;
use gpusched_model::verdict::Evidence;

/// Tests whether Π (C/T' + 1) ≤ 2 with T' = min(T, D) − J. The test is sufficient for preemptive
/// fixed priorities in ascending order of T'.
pub fn hyperbolic(demands: &[Demand]) -> Evidence {
    late_release(demands).unwrap_or_else(|| bound(holds(demands)))
}

/// Returns whether Π (C/T' + 1) ≤ 2. The function computes the product twice with 62 fractional bits: rounded down and
/// rounded up. If 2 is between the two values, the function computes the product exactly.
fn holds(demands: &[Demand]) -> bool {
    const BITS: u32 = 62;
    const TWO: u128 = 2 << BITS;
    let (mut below, mut above) = (1u128 << BITS, 1u128 << BITS);
    for demand in demands {
        let Some(separation) = least_separation(demand) else {
            return false;
        };
        let wcet = u128::from(demand.wcet.ns());
        if wcet > u128::from(separation) {
            return false;
        }
        let share = (wcet << BITS) / u128::from(separation);
        // Each factor is from 1 to 2. When the loop continues, a product is at most slightly
        // above 2.
        below += (below * share) >> BITS;
        above += ((above * (share + 1)) >> BITS) + 1;
        if below > TWO {
            return false;
        }
        above = above.min(TWO + (TWO >> 1));
    }
    above <= TWO || holds_exactly(demands)
}

/// Returns whether Π (C + T') ≤ 2·Π T', in exact integers.
fn holds_exactly(demands: &[Demand]) -> bool {
    let (mut sums, mut separations) = (BigUint::from(1u32), BigUint::from(2u32));
    for demand in demands {
        let Some(separation) = least_separation(demand) else {
            return false;
        };
        sums *= u128::from(demand.wcet.ns()) + u128::from(separation);
        separations *= separation;
    }
    sums <= separations
}
