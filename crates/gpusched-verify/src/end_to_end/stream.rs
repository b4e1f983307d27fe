//! The releases of a segment.

use super::window::smaller;

/// Releases of a segment (j,k) on its resource. The release of job q is in the interval from a + φ to a + φ + J, where
/// a is the arrival of job q. Arrivals are at least T apart.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub task: usize,
    pub segment: usize,
    /// T: minimum time between two arrivals.
    pub period: u128,
    /// c: WCET of the segment.
    pub cost: u128,
    /// Longest part of the segment that cannot be preempted under an `lp-` policy.
    pub block: u128,
    /// φ: minimum time from the arrival to the release, or the offset o of an enforced release.
    pub earliest: u128,
    /// J(j,k): release jitter; `None` if the jitter has no bound.
    pub jitter: Option<u128>,
    /// R(j,k): bound on the time from the arrival to the end of the segment. `None` if this time or the response time of
    /// a sequential task has no bound.
    pub end: Option<u128>,
    /// Time from a + φ to the deadline of the segment; negative if the deadline is before a + φ.
    pub deadline: i128,
    /// Whether the task is pipelined, so several of its jobs may be pending.
    pub pipelined: bool,
    /// δ: minimum time between two releases; 0 if it is unknown.
    pub distance: u128,
}

impl Stream {
    /// Returns n(w), the number of releases in a half-open window of length `window` > 0. `spaced` tells whether minimum distances
    /// count.
    pub fn jobs(&self, window: u128, spaced: bool) -> Option<u128> {
        let released = |jitter| window.saturating_add(jitter).div_ceil(self.period);
        smaller(self.jitter.map(released), self.apart(window, spaced))
    }

    /// Returns ⌈w/δ⌉; `None` without a minimum distance.
    pub fn apart(&self, window: u128, spaced: bool) -> Option<u128> {
        (spaced && self.distance > 0).then(|| window.div_ceil(self.distance))
    }

    /// Returns ⌈(R − φ)/T⌉·c: the work of all releases that are pending at one moment.
    pub fn pending(&self) -> Option<u128> {
        let lag = self.end?.saturating_sub(self.earliest);
        Some(lag.div_ceil(self.period).saturating_mul(self.cost))
    }

    /// Returns ⌈(w + R − c − φ)/T⌉·c: the execution in any half-open window of length `window` > 0. Returns `None` without a
    /// bound on R, or if c is above T.
    pub fn any(&self, window: u128) -> Option<u128> {
        // R ≥ φ + c in a valid table. In an invalid table, the check of R fails.
        let early = self.end?.saturating_sub(self.cost.saturating_add(self.earliest));
        let jobs = window.saturating_add(early).div_ceil(self.period);
        (self.cost <= self.period).then(|| jobs.saturating_mul(self.cost))
    }
}
