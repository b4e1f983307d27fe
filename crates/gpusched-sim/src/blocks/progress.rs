//! Progress of work at a changing rate.

use gpusched_model::time::Time;

/// Full rate. Rates are fixed-point numbers with 32 fractional bits.
pub(super) const FULL: u64 = 1 << 32;

/// Remaining work and its current rate of progress.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    /// Remaining work at time `since`. One unit is the work of one nanosecond at full rate, divided by [`FULL`].
    left: u128,
    rate: u64,
    since: Time,
}

impl Progress {
    /// Creates work that takes `ns` nanoseconds at full rate. The work starts at `now`, at full
    /// rate.
    pub fn new(ns: u64, now: Time) -> Progress {
        Progress {
            left: u128::from(ns) * u128::from(FULL),
            rate: FULL,
            since: now,
        }
    }

    /// Returns the current rate.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// Changes the rate to `rate` at time `now`.
    pub fn change(&mut self, now: Time, rate: u64) {
        let elapsed = now.ns().saturating_sub(self.since.ns());
        self.left = self
            .left
            .saturating_sub(u128::from(elapsed) * u128::from(self.rate));
        self.since = now;
        self.rate = rate.clamp(1, FULL);
    }

    /// Pauses the work at time `now`.
    pub fn pause(&mut self, now: Time) {
        self.change(now, self.rate);
    }

    /// Resumes the work at time `now`, at full rate.
    pub fn resume(&mut self, now: Time) {
        self.since = now;
        self.rate = FULL;
    }

    /// Returns the end of the work at the current rate, rounded up.
    pub fn end(&self) -> Time {
        let time = self.left.div_ceil(u128::from(self.rate));
        Time::from_ns(
            self.since
                .ns()
                .saturating_add(u64::try_from(time).unwrap_or(u64::MAX)),
        )
    }
}
