//! Least common multiples of periods.

/// Returns the least common multiple of `numbers`, 1 without numbers. Returns `None` if it exceeds 128 bits. All `numbers` are
/// above 0.
pub(crate) fn least_common_multiple(numbers: impl IntoIterator<Item = u128>) -> Option<u128> {
    let gcd = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut numbers = numbers.into_iter();
    numbers.try_fold(1u128, |multiple, number| {
        (multiple / gcd(multiple, number)).checked_mul(number)
    })
}
