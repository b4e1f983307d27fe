//! Utilization in integer arithmetic. gpusched uses fixed-point values to sort and to display, and exact sums for
//! verdicts.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::Add;

use num_bigint::BigUint;

use crate::time::Time;

/// A sum of utilizations C/T. Each summand is rounded down to a multiple of 2⁻⁴⁸.
///
/// The sum is an integer, so it does not depend on the order of the summands. Verdicts use [`compare_total`] instead.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Utilization(u128);

const FRACTION_BITS: u32 = 48;

impl Utilization {
    /// Utilization 0.
    pub const ZERO: Utilization = Utilization(0);

    /// Utilization of one processor without idle time.
    pub const ONE: Utilization = Utilization(1 << FRACTION_BITS);

    /// Utilization of `number` processors without idle time.
    pub fn whole(number: u32) -> Utilization {
        Utilization(u128::from(number) << FRACTION_BITS)
    }

    /// Utilization of one task, `wcet` / `period`, rounded down. If `period` is zero, the utilization is
    /// 2⁶⁴ − 1.
    pub fn of(wcet: Time, period: Time) -> Utilization {
        let (floor, _) = scaled(wcet.ns(), period.ns());
        Utilization(floor)
    }

    /// Demand of one task for SMs, `work` [SM·ns] / `period`, rounded down. If `work` is 2⁸⁰ or more, the demand is
    /// (2⁶⁴ − 1)·2⁻⁴⁸, which is a lower bound.
    pub fn of_work(work: u128, period: Time) -> Utilization {
        Utilization(floor(work, period.ns()).unwrap_or(u64::MAX.into()))
    }

    /// Utilization of one task, `wcet` / `period`, rounded up.
    pub fn at_most(wcet: Time, period: Time) -> Utilization {
        let (floor, exact) = scaled(wcet.ns(), period.ns());
        Utilization(floor + u128::from(!exact))
    }

    /// Returns the utilization in units of 2⁻⁴⁸, limited to the largest 64-bit number.
    pub const fn saturated(self) -> u64 {
        if self.0 > u64::MAX as u128 {
            u64::MAX
        } else {
            self.0 as u64
        }
    }

    /// Creates the utilization `units`·2⁻⁴⁸.
    pub const fn of_units(units: u64) -> Utilization {
        Utilization(units as u128)
    }

    /// Returns the nearest float, for output.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / (1u64 << FRACTION_BITS) as f64
    }
}

/// Returns ⌊numerator·2⁴⁸ / denominator⌋, and whether this quotient is exact.
///
/// The function first estimates the quotient in floating point, with an error of at most 1 in the relevant range, and
/// then checks the estimate with integers. Together, the estimate and the check are several times faster than a 128-bit
/// division. If the check fails, the function uses a 128-bit division.
fn scaled(numerator: u64, denominator: u64) -> (u128, bool) {
    let dividend = u128::from(numerator) << FRACTION_BITS;
    let divisor = u128::from(denominator);
    let proposed = (numerator as f64 / denominator as f64 * (1u64 << FRACTION_BITS) as f64) as u64;
    let rest = dividend.wrapping_sub(u128::from(proposed) * divisor);
    let proposed = u128::from(proposed);
    if rest < divisor {
        return (proposed, rest == 0);
    }
    if rest.wrapping_add(divisor) < divisor {
        return (proposed - 1, rest.wrapping_add(divisor) == 0);
    }
    match dividend.checked_div(divisor) {
        Some(quotient) => (quotient, quotient * divisor == dividend),
        None => (u128::from(u64::MAX) << FRACTION_BITS, true),
    }
}

/// Returns ⌊numerator·2⁴⁸ / denominator⌋, or `None` if the numerator is 2⁸⁰ or more.
fn floor(numerator: u128, denominator: u64) -> Option<u128> {
    match u64::try_from(numerator) {
        Ok(numerator) => Some(scaled(numerator, denominator).0),
        Err(_) => numerator
            .checked_mul(1 << FRACTION_BITS)
            .and_then(|dividend| dividend.checked_div(denominator.into())),
    }
}

impl Add for Utilization {
    type Output = Utilization;

    fn add(self, other: Utilization) -> Utilization {
        Utilization(self.0.saturating_add(other.0))
    }
}

impl Sum for Utilization {
    fn sum<I: Iterator<Item = Utilization>>(iter: I) -> Utilization {
        iter.fold(Utilization::ZERO, Add::add)
    }
}

/// Compares the sum of `terms` with `bound`, exactly. Each term (numerator, denominator) is a fraction.
///
/// The function first computes the sum with 48 fractional bits. If this sum of n terms is within n·2⁻⁴⁸ of the bound,
/// the function compares big integers instead. The function also uses big integers for numerators from 2⁸⁰ up, so that
/// the sums never overflow. A term with denominator 0 counts as infinite.
pub fn compare_total(terms: impl Iterator<Item = (u128, u64)> + Clone, bound: u64) -> Ordering {
    let limit = u128::from(bound) << FRACTION_BITS;
    let mut below = 0u128; // Σ of the terms rounded down
    let mut count = 0u128;
    for (numerator, denominator) in terms.clone() {
        if denominator == 0 {
            return Ordering::Greater;
        }
        let Some(floor) = floor(numerator, denominator) else {
            return compare_exactly(terms, bound);
        };
        below = below.saturating_add(floor);
        count += 1;
        if below > limit {
            return Ordering::Greater;
        }
    }
    if below + count <= limit && count > 0 {
        // Rounding down reduces each term by less than one unit.
        return Ordering::Less;
    }
    compare_exactly(terms, bound)
}

fn compare_exactly(terms: impl Iterator<Item = (u128, u64)>, bound: u64) -> Ordering {
    let (mut numerator, mut denominator) = (BigUint::ZERO, BigUint::from(1u32));
    for (n, d) in terms {
        if d == 0 {
            return Ordering::Greater;
        }
        numerator = numerator * d + &denominator * n;
        denominator *= d;
    }
    numerator.cmp(&(denominator * bound))
}
