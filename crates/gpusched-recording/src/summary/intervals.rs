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

/// A union of intervals, which answers how much of an interval it covers.
#[derive(Clone, Debug, Default)]
pub struct Union {
    /// Separate intervals in the order of time, each with the length of the intervals before it.
    parts: Vec<(i64, i64, u64)>,
}

impl Union {
    /// Creates the union of intervals, each with a start and an end [ns].
    pub fn new(mut intervals: Vec<(i64, i64)>) -> Union {
        intervals.sort_unstable();
        let mut parts: Vec<(i64, i64, u64)> = Vec::new();
        for (start, end) in intervals {
            match parts.last_mut() {
                Some((_, last, _)) if start <= *last => *last = end.max(*last),
                Some(&mut (first, last, before)) => {
                    parts.push((start, end, before.saturating_add(last.abs_diff(first))));
                }
                None => parts.push((start, end, 0)),
            }
        }
        Union { parts }
    }

    /// Returns how much time from `start` to `end` the union covers [ns].
    pub fn within(&self, start: i64, end: i64) -> u64 {
        self.until(end).saturating_sub(self.until(start))
    }

    fn until(&self, time: i64) -> u64 {
        let after = self.parts.partition_point(|&(start, ..)| start < time);
        let part = after.checked_sub(1).and_then(|position| self.parts.get(position));
        part.map_or(0, |&(start, end, before)| {
            before.saturating_add(end.min(time).abs_diff(start))
        })
    }

    /// Returns the time between the intervals from the first to the last one, as starts and ends [ns].
    pub fn gaps(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let next = self.parts.iter().skip(1);
        self.parts.iter().zip(next).map(|(part, next)| (part.1, next.0))
    }
}
