//! Work that is done at a changing rate.

use gpusched_model::time::Time;

/// Full speed; rates have 32 binary digits after the point.
pub(super) const FULL: u64 = 1 << 32;

/// What is left of some work, and how fast it goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    /// Nanoseconds at full speed, times [`FULL`], at `since`.
    left: u128,
    rate: u64,
    since: Time,
}

impl Progress {
    /// Work of `ns` nanoseconds at full speed, from `now` on at full speed.
    pub fn new(ns: u64, now: Time) -> Progress {
        Progress {
            left: u128::from(ns) * u128::from(FULL),
            rate: FULL,
            since: now,
        }
    }

    /// Its rate.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// From `now` on it goes at `rate`.
    pub fn change(&mut self, now: Time, rate: u64) {
        let elapsed = now.ns().saturating_sub(self.since.ns());
        self.left = self
            .left
            .saturating_sub(u128::from(elapsed) * u128::from(self.rate));
        self.since = now;
        self.rate = rate.clamp(1, FULL);
    }

    /// From `now` on nothing is done.
    pub fn pause(&mut self, now: Time) {
        self.change(now, self.rate);
    }

    /// From `now` on it goes on, at full speed.
    pub fn resume(&mut self, now: Time) {
        self.since = now;
        self.rate = FULL;
    }

    /// When it ends if the rate stays, rounded up.
    pub fn end(&self) -> Time {
        let time = self.left.div_ceil(u128::from(self.rate));
        Time::from_ns(
            self.since
                .ns()
                .saturating_add(u64::try_from(time).unwrap_or(u64::MAX)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_pauses() {
        let at = Time::from_ns;
        let mut work = Progress::new(100, at(7));
        assert_eq!(work.end(), at(107));
        work.change(at(57), FULL / 2);
        assert_eq!(work.end(), at(157));
        work.change(at(67), FULL); // 45 left
        assert_eq!(work.end(), at(112));
        work.change(at(112), 1);
        assert_eq!(work.end(), at(112), "nothing left");
        let mut third = Progress::new(10, at(0));
        third.change(at(0), FULL / 3);
        assert_eq!(third.end(), at(31), "a third is rounded down, an end up");
    }
}
