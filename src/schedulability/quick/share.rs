//! C/T as an integer number of 2⁻³², rounded up.

use crate::time::Time;

/// The number that stands for a utilization of 1.
pub const ONE: u64 = 1 << 32;

/// How far above C/T a share is at most.
pub const EXCESS: u64 = 2;

/// `wcet`/`period`, at least and at most [`EXCESS`] more; `None` if no such number is found, or above 1.
///
/// A float proposes the number: a division of floats takes a few cycles, one of 128-bit integers a hundred.
pub fn above(wcet: Time, period: Time) -> Option<u64> {
    if wcet > period {
        return None;
    }
    let share = (wcet.ns() as f64 / period.ns() as f64 * ONE as f64) as u64 + 1;
    let period = u128::from(period.ns());
    let excess = (u128::from(share) * period).checked_sub(u128::from(wcet.ns()) << 32)?;
    (excess <= u128::from(EXCESS) * period).then_some(share)
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
        fn shares_are_found_and_above(wcet: u64, period: u64, bits in 0u32..64) {
            let period = (period >> bits).max(1);
            let wcet = wcet % (period.saturating_add(1));
            let share = above(Time::from_ns(wcet), Time::from_ns(period)).expect("a share");
            let exact = u128::from(wcet) << 32;
            let (least, most) = (share, share - EXCESS.min(share));
            prop_assert!(u128::from(least) * u128::from(period) >= exact);
            prop_assert!(u128::from(most) * u128::from(period) <= exact);
        }
    }
}
