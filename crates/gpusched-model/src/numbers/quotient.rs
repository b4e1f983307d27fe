//! Fast division of integers.

/// Returns ⌊`dividend` / `divisor`⌋. The function first estimates the quotient in floating point and then checks the
/// estimate with integers, because a division of 64-bit integers takes several times as long.
///
/// # Panics
/// Panics if `divisor` is 0.
#[inline]
pub fn quotient(dividend: u64, divisor: u64) -> u64 {
    if (dividend | divisor) >> 52 == 0 {
        // Signed numbers convert faster. The estimate is at most 1 too large.
        let estimate = (dividend as i64 as f64 / divisor as i64 as f64) as i64 as u64;
        if dividend.wrapping_sub(estimate.wrapping_mul(divisor)) < divisor {
            return estimate;
        }
    }
    dividend / divisor
}
