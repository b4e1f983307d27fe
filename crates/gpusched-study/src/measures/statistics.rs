//! Shares and means, as the rows of measures have them.

/// `part` of `whole`; `part` itself where `whole` is 0.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The mean of `values`; 0 of none.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.fold(0.0, |sum, value| sum + value) / count
}
