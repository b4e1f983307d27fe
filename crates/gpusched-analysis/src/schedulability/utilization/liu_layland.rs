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

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::time::Time;
    use proptest::prelude::*;

    fn set(tasks: &[(u64, u64)]) -> Vec<Demand> {
        let implicit = |&(c, t)| Demand::new(Time::from_ns(c), Time::from_ns(t), Time::from_ns(t));
        tasks.iter().map(implicit).collect()
    }

    /// Returns whether (nB + A)ⁿ ≤ 2·(nB)ⁿ with U' = A/B.
    fn by_powers(tasks: &[(u64, u64)]) -> bool {
        let (mut a, mut b) = (BigUint::ZERO, BigUint::from(1u32));
        for &(c, t) in tasks {
            a = a * t + &b * c;
            b *= t;
        }
        let nb = &b * tasks.len();
        let n = u32::try_from(tasks.len()).unwrap();
        (&nb + a).pow(n) <= nb.pow(n) * 2u32
    }

    #[test]
    fn close_to_the_bound() {
        // For n = 2, the bound is 2·(√2 − 1), about 0.828427124746190097.
        assert!(holds(&set(
            &[(414_213_562_373_095_048, 1_000_000_000_000_000_000); 2]
        )));
        assert!(!holds(&set(
            &[(414_213_562_373_095_049, 1_000_000_000_000_000_000); 2]
        )));
        assert!(holds(&set(&[(9, 9)])));
        assert!(!holds(&set(&[(10, 9)])));
        assert!(holds(&[]));
        // p/q is a convergent of √2. So U' = 2·(p/q − 1) is too close to the bound for a decision
        // with 62 bits.
        let (p, q) = (6_882_627_592_338_442_563u64, 4_866_752_642_924_153_522u64);
        let (below, above) = ((p - q, q), (p - q + 1, q));
        assert_eq!(holds(&set(&[below; 2])), by_powers(&[below; 2]));
        assert_eq!(holds(&set(&[above; 2])), by_powers(&[above; 2]));
        assert_eq!(small(&set(&[below; 2])), None);
    }

    proptest! {
        #[test]
        fn agrees_with_powers(tasks in prop::collection::vec((1u64..1 << 20, 1u64..1 << 22), 1..8)) {
            prop_assert_eq!(holds(&set(&tasks)), by_powers(&tasks));
        }
    }
}
