//! The number of bytes that one source of memory traffic transfers in any window of time.

use super::memory_time;
use super::ports::{PortModel, Shared};
use gpusched_model::quotient::quotient;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Bytes, MemoryTime, OtherTraffic, Task};

/// A source of memory traffic: a task, or traffic that no task causes. Jobs of the source arrive
/// at least T apart. Each job transfers at most V bytes, at any times within R of its arrival.
/// All jobs together transfer data at a rate of at most d.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// d: peak rate [nano-bytes per nanosecond].
    rate: u128,
    /// V: bytes per job [nano-bytes]; at most d·R and at most d·T.
    bytes: u128,
    /// T: period [ns]; > 0.
    period: u64,
    /// R: each job transfers all its bytes within this time after its arrival [ns].
    span: u128,
    /// Whether a window counts all bytes of each job that overlaps it. If so, V may exceed d·R and d·T, but a window of
    /// length t still contains at most d·t.
    whole: bool,
}

impl Source {
    /// Returns the traffic of `task` on `sms` SMs at a memory of bandwidth `capacity`. `wcet` is
    /// the WCET C of the task, or `None` if C is unknown.
    ///
    /// If the task has no peak rate, d is the memory bandwidth, which is safe. A job transfers at
    /// most d·C and at most d·D bytes, where D is the relative deadline. R = D, because a job may
    /// transfer its bytes at any time between its arrival and its deadline.
    pub fn of_task(task: &Task, sms: u32, wcet: Option<Time>, capacity: Bandwidth) -> Source {
        let longest = wcet.map_or(task.deadline(), |wcet| wcet.min(task.deadline()));
        let (bytes, rate) = Source::drawn(task, sms, longest, capacity);
        Source::new(rate, bytes, task.period(), task.deadline().ns().into())
    }

    /// Returns V and d of `task` on `sms` SMs at a memory of bandwidth `capacity`. Within `time`,
    /// one job transfers at most V [nano-bytes], at a rate of at most d [nano-bytes per
    /// nanosecond].
    pub(crate) fn drawn(task: &Task, sms: u32, time: Time, capacity: Bandwidth) -> (u128, u128) {
        let peak = task.bandwidth(sms).unwrap_or(capacity);
        let stated = task.traffic().map_or(u128::MAX, Bytes::nano);
        let rate = u128::from(peak.min(capacity).bytes_per_second());
        (stated.min(rate.saturating_mul(time.ns().into())), rate)
    }

    /// Returns the traffic of a source that is not a task, with the period T and the relative
    /// deadline D.
    ///
    /// If the source requests its bytes in batches, R = D. For all other sources, R = T + D, because the source may
    /// request a byte at the end of a period.
    pub fn of_other(other: &OtherTraffic, capacity: Bandwidth) -> Source {
        let peak = other.bandwidth.unwrap_or(capacity).min(capacity);
        let rate = peak.bytes_per_second().into();
        Source::new(rate, other.traffic.nano(), other.period, span_of(other))
    }

    /// Returns the traffic of a segment: `bytes` [nano-bytes] per job, at a rate of at most `rate` [nano-bytes per
    /// nanosecond]. All bytes of a job move within `span` of its earliest release. Without a span, the segment may use
    /// its rate at all times.
    pub(crate) fn of_segment((rate, bytes): (u128, u128), period: Time, span: Option<Time>) -> Source {
        match span {
            Some(span) => Source::new(rate, bytes, period, span.ns().into()),
            None if bytes == 0 => Source::new(0, 0, period, 0),
            None => Source::new(rate, u128::MAX, period, period.ns().into()),
        }
    }

    /// Creates a source and limits V to d·R and to d·T. A job can transfer at most d·R. If R > T, the limit d·T is
    /// smaller. This limit is safe, because d·T bytes per job already permit the rate d at all times.
    fn new(rate: u128, bytes: u128, period: Time, span: u128) -> Source {
        let period = period.ns().max(1);
        Source {
            rate,
            bytes: bytes.min(rate.saturating_mul(span.min(period.into()))),
            period,
            span,
            whole: false,
        }
    }

    /// Returns the memory time M' of `task` as traffic at a memory of bandwidth 1 B/s, where 1 ns is 1 nano-byte. M' adds
    /// the time at ports with the rates `ports` to the memory time M. The partition of the task shares the ports `shared`
    /// with the partition that it delays. Whole jobs count. A task without `sectors` has unlimited memory time, which is
    /// safe.
    pub fn of_task_time(task: &Task, time: MemoryTime, ports: &PortModel, shared: Shared) -> Source {
        let ports = ports.of_task(task);
        let each = task.sectors().map_or(u128::MAX, |sectors| {
            memory_time::of_job(sectors, time)
                .saturating_add(ports.hold_time(sectors))
                .saturating_add(ports.shared_time(Some(sectors), shared))
        });
        Source::of_whole_jobs(each, task.period(), task.deadline().ns().into())
    }

    /// Returns the time for which the packets of `task` occupy the ports in `shared`, in the units of
    /// [`Source::of_task_time`].
    pub fn of_task_at_ports(task: &Task, ports: &PortModel, shared: Shared) -> Source {
        let each = ports.of_task(task).shared_time(task.sectors(), shared);
        Source::of_whole_jobs(each, task.period(), task.deadline().ns().into())
    }

    /// Returns the memory time of a source that is not a task, with the span of [`Source::of_other`].
    pub fn of_other_time(other: &OtherTraffic, time: MemoryTime) -> Source {
        Source::of_whole_jobs(memory_time::of_other(other, time), other.period, span_of(other))
    }

    fn of_whole_jobs(bytes: u128, period: Time, span: u128) -> Source {
        Source {
            rate: 1,
            bytes,
            period: period.ns().max(1),
            span,
            whole: true,
        }
    }

    /// Returns a source whose traffic never exceeds the traffic of `self` or of `other`. Both sources must belong to one
    /// task, so that T and R are equal.
    pub(crate) fn least(self, other: Source) -> Source {
        debug_assert_eq!(
            (self.period, self.span, self.whole),
            (other.period, other.span, other.whole)
        );
        Source {
            rate: self.rate.min(other.rate),
            bytes: self.bytes.min(other.bytes),
            ..self
        }
    }

    /// Returns a source without traffic, with T and R of `self`.
    pub(crate) fn silent(self) -> Source {
        Source { bytes: 0, ..self }
    }

    /// Returns V/T, rounded down [2⁻²⁰ nano-bytes per nanosecond].
    pub(crate) fn mean_rate(&self) -> u128 {
        self.bytes.saturating_mul(1 << 20) / u128::from(self.period)
    }

    /// Returns the peak rate d [nano-bytes per nanosecond], or 0 if the source transfers no data.
    pub fn rate(&self) -> u128 {
        if self.bytes == 0 { 0 } else { self.rate }
    }

    /// Returns a rate [nano-bytes per nanosecond] such that [`Source::within`] is at least this rate multiplied by the length
    /// of the window, for every window. This rate is min(V/T, d), rounded down.
    ///
    /// Proof: with x = t + R − V/d, N = ⌊x/T⌋ and r = x − N·T, the traffic is at least N·V + min(V, d·r). Because V ≤ d·T and
    /// r < T, this is at least N·V + V·r/T = V·x/T. Because V ≤ d·R, x is at least t. Whole jobs count more.
    pub(super) fn least_rate(&self) -> u128 {
        (self.bytes / u128::from(self.period)).min(self.rate)
    }

    /// Returns an upper bound on the traffic of the source in any window of length t = `window`
    /// [ns], in nano-bytes. The bound assumes that all jobs meet their deadlines.
    ///
    /// Suppose that n + 1 ≥ 2 jobs transfer data in the window. Let y be the time from the start of the window to the
    /// latest end of the traffic of the first job. Let z be the time from the arrival of the last job to the end of the
    /// window. Then y + z ≤ t + R − n·T. Each job between the first and the last transfers at most V. So all jobs
    /// together transfer at most (n − 1)·V + min(V, d·y) + min(V, d·z).
    ///
    /// This sum is largest at n = N = ⌊(t + R − V/d)/T⌋, where the sum is N·V + min(V, d·(t + R − N·T) − V). A single
    /// job never transfers more. Bertogna & Cirinei (RTSS 2007) prove this bound for execution times. The bound is
    /// tight. The bound is valid for every choice of the times at which the jobs transfer their bytes.
    ///
    /// If the unit is memory time, whole jobs count: at most ⌊(t + R)/T⌋ + 1 jobs overlap the window.
    pub fn within(&self, window: u64) -> u128 {
        if self.bytes == 0 {
            return 0;
        }
        let most = self.rate.saturating_mul(window.into());
        let time = u128::from(window) + self.span;
        let periods = match u64::try_from(time) {
            Ok(time) => u128::from(quotient(time, self.period)),
            Err(_) => time / u128::from(self.period),
        };
        if self.whole {
            return (periods + 1).saturating_mul(self.bytes).min(most);
        }
        // The difference is never negative, because V ≤ d·R.
        let reach = self.rate.saturating_mul(time);
        debug_assert!(reach >= self.bytes);
        let room = reach.saturating_sub(self.bytes);
        let per_period = self.rate.saturating_mul(self.period.into());
        // N is ⌊(t + R)/T⌋ or one less, because V ≤ d·T. A division of 128-bit integers would take much longer.
        let whole = match periods.checked_mul(per_period) {
            Some(traffic) if traffic <= room => periods,
            Some(_) => periods.saturating_sub(1),
            None => room / per_period,
        };
        let rest = room - whole * per_period;
        let moved = whole
            .saturating_mul(self.bytes)
            .saturating_add(rest.min(self.bytes));
        moved.min(most)
    }
}

/// Returns R of a source that is not a task.
fn span_of(other: &OtherTraffic) -> u128 {
    let latest = if other.batch { Time::ZERO } else { other.period };
    let deadline = other.deadline.unwrap_or(other.period);
    u128::from(latest.ns()) + u128::from(deadline.ns())
}
