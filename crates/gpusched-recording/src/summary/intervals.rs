//! Length of a union of intervals.

/// Returns the total time that is in at least one interval [ns]. An interval is a start and an end.
pub fn union_ns(intervals: impl Iterator<Item = (i64, i64)> + Clone) -> u64 {
    // Most recordings are sorted by start, so the function needs no copy of them.
    if intervals.clone().is_sorted() {
        return of_sorted(intervals);
    }
    let mut intervals: Vec<(i64, i64)> = intervals.collect();
    intervals.sort_unstable();
    of_sorted(intervals.into_iter())
}

fn of_sorted(intervals: impl Iterator<Item = (i64, i64)>) -> u64 {
    let (mut total, mut covered) = (0u64, i64::MIN);
    for (start, end) in intervals {
        let start = start.max(covered);
        if end > start {
            total = total.saturating_add(end.abs_diff(start));
            covered = end;
        }
    }
    total
}
