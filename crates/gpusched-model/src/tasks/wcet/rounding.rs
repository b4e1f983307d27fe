//! Exact products, and quotients rounded up.

use crate::time::Time;

/// Returns ⌈numerator / denominator⌉ as a time, or `None` if the result is above [`Time::LIMIT`].
pub(super) fn ceil_div(numerator: u128, denominator: u128) -> Option<Time> {
    if let (Ok(numerator), Ok(denominator)) = (u64::try_from(numerator), u64::try_from(denominator)) {
        return limited(numerator.div_ceil(denominator));
    }
    // `div_ceil` divides twice.
    let quotient = numerator / denominator;
    let is_rounded = quotient * denominator < numerator;
    limited(u64::try_from(quotient).ok()?.checked_add(is_rounded.into())?)
}

/// Returns `ns` as a time, or `None` if it is above [`Time::LIMIT`].
pub(super) fn limited(ns: u64) -> Option<Time> {
    (ns <= Time::LIMIT.ns()).then_some(Time::from_ns(ns))
}

/// Returns a·b·c, or `None` if the product needs more than 128 bits.
pub(super) fn product(a: u64, b: u64, c: u128) -> Option<u128> {
    (u128::from(a) * u128::from(b)).checked_mul(c)
}
