//! Least fixed points, and sums of values that may have no bound (`None`).

/// Maximum number of iterations of one fixed point. A fixed point that needs more iterations counts as "no bound". This
/// result is safe.
const STEP_LIMIT: u64 = 10_000_000;

/// Returns the least fixed point of the monotone function `next`. `start` is at most the fixed
/// point. Returns `None` if the fixed point is above `limit`, or if `next` has no bound.
pub(super) fn least(start: u128, limit: u128, next: impl Fn(u128) -> Option<u128>) -> Option<u128> {
    let mut value = start;
    for _ in 0..STEP_LIMIT {
        if value > limit {
            return None;
        }
        let longer = next(value)?;
        if longer <= value {
            return Some(value);
        }
        value = longer;
    }
    None
}

/// Returns the sum of `values`, or `None` if a value has no bound.
pub(super) fn total(values: impl IntoIterator<Item = Option<u128>>) -> Option<u128> {
    let mut values = values.into_iter();
    values.try_fold(0u128, |sum, value| Some(sum.saturating_add(value?)))
}

/// Returns the smaller of two bounds. `None` means that there is no bound.
pub(super) fn smaller(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    [a, b].into_iter().flatten().min()
}

/// Returns the blocking by the longest job of `lengths`. This job has started at least 1 ns before the window. With a
/// shared memory (`in_full`), the job may have started less than 1 ns before the window.
pub(super) fn blocking(lengths: impl Iterator<Item = u128>, in_full: bool) -> u128 {
    let longest = lengths.max().unwrap_or(0); // no other job: no blocking
    longest.saturating_sub(u128::from(!in_full))
}
