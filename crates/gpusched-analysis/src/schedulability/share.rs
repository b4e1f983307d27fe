//! C/T as an integer multiple of 2⁻³², rounded up: fast and safe for short cuts.

use gpusched_model::time::Time;

/// The integer for a utilization of 1.
pub const ONE: u64 = 1 << 32;

/// From this utilization on, the full tests decide. They may reach their step limit where a bound decides, and results must be
/// equal.
pub const NEXT_TO_ONE: u64 = ONE - (ONE >> 10);

/// Largest excess of a share over C/T.
pub const EXCESS: u64 = 2;

/// `wcet`/`period`, rounded up by at most [`EXCESS`]. `None` if no such number is found, or if it exceeds 1.
///
/// A float proposes the number, because a division of floats takes a few cycles, and a division of 128-bit integers a hundred.
#[inline]
pub fn above(wcet: Time, period: Time) -> Option<u64> {
    if wcet > period {
        return None;
    }
    let share = near(float(wcet.ns())? / float(period.ns())? * ONE as f64) + 1;
    let period = u128::from(period.ns());
    let excess = (u128::from(share) * period).checked_sub(u128::from(wcet.ns()) << 32)?;
    (excess <= u128::from(EXCESS) * period).then_some(share)
}

/// Signed integers convert faster.
#[inline]
fn float(number: u64) -> Option<f64> {
    i64::try_from(number).ok().map(|number| number as f64)
}

/// An integer next to `value`, which is from 0 to 2³². In the sum with 2⁵², the lowest bits of the float contain it.
#[inline]
fn near(value: f64) -> u64 {
    const TWO_52: f64 = (1u64 << 52) as f64;
    (value + TWO_52).to_bits() & ((1 << 52) - 1)
}

/// `share` · `time`, rounded up [ns].
pub fn of(share: u64, time: u64) -> Option<u64> {
    let scaled = (u128::from(share) * u128::from(time) + u128::from(ONE - 1)) >> 32;
    u64::try_from(scaled).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_are_found_and_above(wcet: u64, period: u64, bits in 1u32..64, fill: bool) {
            let period = (period >> bits).max(1);
            let wcet = if fill { period - wcet % period.min(3) } else { wcet % (period + 1) };
            let share = above(Time::from_ns(wcet), Time::from_ns(period)).expect("a share");
            let exact = u128::from(wcet) << 32;
            let (least, most) = (share, share - EXCESS.min(share));
            prop_assert!(u128::from(least) * u128::from(period) >= exact);
            prop_assert!(u128::from(most) * u128::from(period) <= exact);
        }
    }
}
