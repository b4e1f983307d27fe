//! The bytes that one source of traffic moves in any window of time.

use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Bytes, OtherTraffic, Task};

/// Jobs that come at least T apart, each of which moves at most V bytes, at most at rate d, within D of its arrival.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// d [nano-bytes per nanosecond].
    rate: u128,
    /// V [nano-bytes].
    bytes: u128,
    /// T [ns], positive.
    period: u64,
    /// D [ns].
    deadline: u64,
}

impl Source {
    /// `task` on `sms` SMs, where it takes `wcet` if that is known, beside a memory of capacity `capacity`.
    ///
    /// What is not stated is as large as can be: the rate is that of the memory. A job draws no more than d·C, nor d·D.
    pub fn of_task(task: &Task, sms: u32, wcet: Option<Time>, capacity: Bandwidth) -> Source {
        let peak = task.bandwidth(sms).unwrap_or(capacity);
        let stated = task.traffic().map_or(u128::MAX, Bytes::nano);
        let rate = u128::from(peak.min(capacity).bytes_per_second());
        let longest = wcet.map_or(task.deadline(), |wcet| wcet.min(task.deadline()));
        Source {
            rate,
            bytes: stated.min(rate.saturating_mul(longest.ns().into())),
            period: task.period().ns().max(1),
            deadline: task.deadline().ns(),
        }
    }

    /// Traffic that no task causes.
    pub fn of_other(other: &OtherTraffic, capacity: Bandwidth) -> Source {
        let rate = u128::from(
            other
                .bandwidth
                .unwrap_or(capacity)
                .min(capacity)
                .bytes_per_second(),
        );
        let deadline = other.deadline.unwrap_or(other.period).ns();
        Source {
            rate,
            bytes: other.traffic.nano().min(rate.saturating_mul(deadline.into())),
            period: other.period.ns().max(1),
            deadline,
        }
    }

    /// d [nano-bytes per nanosecond]; 0 if nothing is ever moved.
    pub fn rate(&self) -> u128 {
        if self.bytes == 0 { 0 } else { self.rate }
    }

    /// The most nano-bytes that are moved in any window of length `window` [ns], if all jobs meet their deadlines.
    ///
    /// Jobs that move something arrive in an open interval of length t + D, so there are at most ⌈(t + D)/T⌉. If V/d ≤ T, the
    /// worst window starts as the first job begins to move its bytes as late as it may, and all later jobs move theirs at once
    /// (as Bertogna & Cirinei, RTSS 2007, have it for execution times): N·V + min(V, d·(t + D − N·T) − V) with N =
    /// ⌊(t + D − V/d)/T⌋.
    pub fn within(&self, window: u64) -> u128 {
        let most = self.rate.saturating_mul(window.into());
        if self.bytes == 0 || window == 0 {
            return 0;
        }
        let reach = u128::from(window) + u128::from(self.deadline);
        let per_period = self.rate.saturating_mul(self.period.into());
        let moved = if self.bytes <= per_period {
            // V ≤ d·D, so the difference is not negative; and all products fit, with rates and times below 2⁶⁴.
            debug_assert!(
                self.rate
                    .checked_mul(reach)
                    .is_some_and(|most| most >= self.bytes)
            );
            let room = self.rate.saturating_mul(reach).saturating_sub(self.bytes);
            let whole = room / per_period;
            let rest = room - whole * per_period;
            whole
                .saturating_mul(self.bytes)
                .saturating_add(rest.min(self.bytes))
        } else {
            reach.div_ceil(self.period.into()).saturating_mul(self.bytes)
        };
        moved.min(most)
    }
}
