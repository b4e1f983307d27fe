//! Observer that measures the busy time of a partition over time.

use crate::tasks::Event;
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// Busy time of a partition in consecutive time intervals of equal length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupancy {
    width: u64,
    /// Busy time in each interval [ns]. Busy time after the last interval does not count.
    busy: Vec<u64>,
    /// Time at which the running job started or was last resumed [ns].
    since: u64,
}

impl Occupancy {
    /// Divides the time from 0 to `end` into at most `intervals` equal intervals. The last
    /// interval may end slightly later than `end`.
    pub fn new(end: Time, intervals: usize) -> Occupancy {
        let intervals = intervals.max(1);
        let width = end.ns().div_ceil(intervals as u64).max(1);
        let used = usize::try_from(end.ns().div_ceil(width)).unwrap_or(intervals);
        Occupancy {
            width,
            busy: vec![0; used.clamp(1, intervals)],
            since: 0,
        }
    }

    /// Returns the length of each interval [ns].
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Returns the busy time in each interval [ns]. The busy time in an interval is at most the length of the interval.
    pub fn busy(&self) -> &[u64] {
        &self.busy
    }

    /// Adds the busy time between `self.since` and `now`.
    fn ran(&mut self, now: Time) {
        let (mut from, to) = (self.since, now.ns());
        while from < to {
            let interval = from / self.width;
            let end = to.min((interval + 1).saturating_mul(self.width));
            let Some(busy) = usize::try_from(interval)
                .ok()
                .and_then(|at| self.busy.get_mut(at))
            else {
                return;
            };
            *busy += end - from;
            from = end;
        }
    }
}

impl Observer<Event> for Occupancy {
    #[inline(always)]
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Start(_) | Event::Resume(_) => self.since = now.ns(),
            Event::Preempt(..) | Event::Complete(..) => self.ran(now),
            Event::Release(_) | Event::Miss(_) => {}
        }
    }
}
