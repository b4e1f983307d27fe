//! Minimum, median, 99th percentile and maximum of times.

use serde::Serialize;

/// Statistics of times. Each percentile is a measured time. The 99th percentile is the smallest measured time that at
/// least 99 % of the times do not exceed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statistics {
    /// Shortest time [ns].
    pub min_ns: Option<u64>,
    /// Median time [ns].
    pub median_ns: Option<u64>,
    /// 99th percentile [ns]. Reports that do not list each launch do not contain this value.
    pub p99_ns: Option<u64>,
    /// Longest time [ns].
    pub max_ns: Option<u64>,
}

impl Statistics {
    /// Returns the statistics of the times of `events`, which are sorted by their times.
    pub fn sorted<T>(events: &[T], time: impl Fn(&T) -> u64) -> Statistics {
        Statistics {
            min_ns: events.first().map(&time),
            median_ns: percentile(events, 50).map(&time),
            p99_ns: percentile(events, 99).map(&time),
            max_ns: events.last().map(&time),
        }
    }
}

/// Returns the percentile `percent`: the first event such that at least `percent` % of the times do not exceed its
/// time.
fn percentile<T>(sorted: &[T], percent: usize) -> Option<&T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1)
}
