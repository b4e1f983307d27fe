//! Ratios and means for the rows of metrics.

/// Returns `part` / `whole`. If `whole` is 0, returns `part`.
pub fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the mean of `values`. If there are no values, returns 0.
pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.fold(0.0, |sum, value| sum + value) / count
}
