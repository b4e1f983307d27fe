//! Exact products, and quotients rounded up.

use crate::time::Time;

/// Returns ⌈numerator / denominator⌉ as a time, or `None` if the result is above [`Time::LIMIT`].
pub(super) fn ceil_div(numerator: u128, denominator: u128) -> Option<Time> {
    let ns = match (u64::try_from(numerator), u64::try_from(denominator)) {
        (Ok(numerator), Ok(denominator)) => numerator.div_ceil(denominator),
        _ => u64::try_from(numerator.div_ceil(denominator)).ok()?,
    };
    (ns <= Time::LIMIT.ns()).then_some(Time::from_ns(ns))
}

/// Returns a·b·c, or `None` if the product needs more than 128 bits.
pub(super) fn product(a: u64, b: u64, c: u128) -> Option<u128> {
    let product = u128::from(a) * u128::from(b);
    match (u64::try_from(product), u64::try_from(c)) {
        (Ok(product), Ok(c)) => Some(u128::from(product) * u128::from(c)),
        _ => product.checked_mul(c),
    }
}
