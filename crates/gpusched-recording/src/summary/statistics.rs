//! Minimum, median, 99th percentile and maximum of times.

use serde::Serialize;

/// Statistics of times. A percentile is a measured time: the smallest time that is not exceeded by this percentage of the times.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Statistics {
    /// Shortest time [ns].
    pub min_ns: Option<u64>,
    /// Median time [ns].
    pub median_ns: Option<u64>,
    /// 99th percentile [ns]. Reports without single launches do not contain it.
    pub p99_ns: Option<u64>,
    /// Longest time [ns].
    pub max_ns: Option<u64>,
}

impl Statistics {
    /// Returns the statistics of `times`, which are in increasing order.
    pub fn sorted(times: &[u64]) -> Statistics {
        Statistics {
            min_ns: times.first().copied(),
            median_ns: percentile(times, 50),
            p99_ns: percentile(times, 99),
            max_ns: times.last().copied(),
        }
    }
}

/// Returns the smallest time that at least `percent` % of the times do not exceed. `sorted` is in increasing order.
pub fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_measured_times() {
        let times: Vec<u64> = (1..=200).collect();
        let found = Statistics::sorted(&times);
        assert_eq!(
            (found.min_ns, found.median_ns, found.p99_ns, found.max_ns),
            (Some(1), Some(100), Some(198), Some(200))
        );
        assert_eq!(Statistics::sorted(&[7]).p99_ns, Some(7));
        assert_eq!(Statistics::sorted(&[]), Statistics::default());
    }
}
