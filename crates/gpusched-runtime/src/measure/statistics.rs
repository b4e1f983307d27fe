//! Statistics of the times of a series, and the limits of these statistics.

use gpusched_analysis::kernel_wcet::fit::independence;
use gpusched_analysis::kernel_wcet::fit::tail::{self, Estimate, TailError};
use gpusched_analysis::kernel_wcet::fit::trend::{self, Direction};
use gpusched_model::kernel::TailFamily;
use gpusched_model::time::Time;

use super::Measured;

/// Significance level of the tests for trends and dependence.
pub const LEVEL: f64 = tail::LEVEL;

/// Statistics of a series. The longest time is evidence and no bound: a later job may take longer.
#[derive(Clone, PartialEq, Debug)]
pub struct Statistics {
    /// Number of samples.
    pub samples: u64,
    /// Shortest time [ns].
    pub shortest_ns: u64,
    /// Median time [ns]; the higher of two middle times.
    pub median_ns: u64,
    /// Longest time [ns].
    pub longest_ns: u64,
    /// Direction of the times in the order of the jobs, and the p-value of its test ([`trend`]). `None` if the series is too
    /// short for the test, or if all times are equal.
    pub trend: Option<(Direction, f64)>,
    /// p-value of the test for independent jobs ([`independence`]). `None` if the series is too short for the test, or if all times
    /// are equal.
    pub independence_p: Option<f64>,
}

/// Returns the statistics of `measured`, or `None` without samples.
pub fn statistics(measured: &Measured) -> Option<Statistics> {
    let times: Vec<u64> = measured.samples.iter().map(|sample| sample.time_ns).collect();
    let mut sorted = times.clone();
    sorted.sort_unstable();
    Some(Statistics {
        samples: times.len() as u64,
        shortest_ns: *sorted.first()?,
        median_ns: *sorted.get(sorted.len() / 2)?,
        longest_ns: *sorted.last()?,
        trend: trend::trend(&times),
        independence_p: independence::p_value(&times),
    })
}

impl Statistics {
    /// Returns how much longer the longest time is than the shortest time [percent].
    pub fn spread_percent(&self) -> f64 {
        let longer = self.longest_ns.saturating_sub(self.shortest_ns);
        100.0 * longer as f64 / self.shortest_ns.max(1) as f64
    }

    /// Returns the direction of a significant trend.
    pub fn drifts(&self) -> Option<Direction> {
        self.trend
            .and_then(|(direction, p)| (p <= LEVEL).then_some(direction))
    }

    /// Whether the jobs depend on each other: the test for independence rejects at [`LEVEL`].
    pub fn is_dependent(&self) -> bool {
        self.independence_p.is_some_and(|p| p <= LEVEL)
    }

    /// Fits an extreme-value distribution to `measured`, for the time that one job exceeds with probability `exceedance`. Returns the
    /// reason instead if the jobs are dependent, drift, or cannot be tested: the theory of extreme values assumes independent jobs
    /// of one distribution.
    ///
    /// # Errors
    /// Fails for a probability that is not between 0 and 1, and for a tail that is too heavy.
    pub fn extreme(
        &self,
        measured: &Measured,
        exceedance: f64,
    ) -> Result<Result<Estimate, String>, TailError> {
        let reason = match (self.independence_p, self.drifts()) {
            (None, _) if self.shortest_ns == self.longest_ns => "all times are equal",
            (None, _) => "there are too few jobs for a test of independence",
            (Some(_), _) if self.is_dependent() => "the jobs depend on each other",
            (Some(_), Some(_)) => "the times drift",
            (Some(_), None) => {
                let times = { measured.samples.iter() }.map(|sample| Time::from_ns(sample.time_ns));
                let times: Vec<Time> = times.collect();
                return tail::estimate(&times, TailFamily::Gpd, exceedance).map(Ok);
            }
        };
        Ok(Err(reason.to_owned()))
    }
}

/// The longest isolated time on one number of SMs, and its envelope.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// Number of SMs.
    pub sms: u32,
    /// Longest measured time [ns].
    pub longest_ns: u64,
    /// Longest measured time on this or a larger number of SMs [ns].
    pub envelope_ns: u64,
    /// Whether the kernel is slower than on some smaller number of SMs.
    pub rises: bool,
}

/// Returns the envelope of the isolated times, sorted by number of SMs. `wcet fit` uses this envelope.
pub fn envelope(measured: &[Measured]) -> Vec<Envelope> {
    let mut longest = std::collections::BTreeMap::<u32, u64>::new();
    for one in measured.iter().filter(|one| one.series.neighbor.is_none()) {
        let time = one.samples.iter().map(|sample| sample.time_ns).max().unwrap_or(0);
        let entry = longest.entry(one.series.sms).or_default();
        *entry = time.max(*entry);
    }
    let mut points: Vec<Envelope> = Vec::new();
    for (sms, longest_ns) in longest {
        points.push(Envelope {
            sms,
            longest_ns,
            envelope_ns: longest_ns,
            rises: points.iter().any(|fewer| fewer.longest_ns < longest_ns),
        });
    }
    let mut above = 0;
    for point in points.iter_mut().rev() {
        above = point.longest_ns.max(above);
        point.envelope_ns = above;
    }
    points
}
