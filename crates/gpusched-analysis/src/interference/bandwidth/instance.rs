//! The WCET of a kernel on a MIG instance that has its own part of the memory bandwidth.

use super::Source;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Task};

/// Returns C', the WCET of `task` on `sms` SMs of an instance. The instance has its own memory bandwidth B' = `share`.
/// C = `alone` is the WCET with the whole memory bandwidth `capacity`. Returns `None` if C' exceeds 63 bits, or if the
/// kernel transfers data and `share` is 0.
///
/// Let d be the peak rate of the kernel, and V the number of bytes that it transfers per job. While the kernel could
/// use a rate δ > B' but gets B', each byte takes the time 1/B' instead of 1/δ ≥ 1/d. The kernel transfers at most V
/// bytes, so C' = C + V/B' − V/d. This is a model of gpusched; `docs/explanation/shared-memory.md` has the proof.
pub(crate) fn wcet_within(
    share: Bandwidth,
    capacity: Bandwidth,
    task: &Task,
    sms: u32,
    alone: Time,
) -> Option<Time> {
    let (bytes, rate) = Source::drawn(task, sms, alone, capacity);
    let share = u128::from(share.bytes_per_second());
    if bytes == 0 || rate <= share {
        return Some(alone);
    }
    let slow = bytes.checked_add(share.checked_sub(1)?)? / share;
    let longer = u128::from(alone.ns()) + (slow - bytes / rate);
    let time = Time::from_ns(u64::try_from(longer).ok()?);
    (time <= Time::LIMIT).then_some(time)
}
