//! A kernel on an instance that has its own part of the memory bandwidth.

use super::Source;
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Task};

/// C': the WCET of `task` on `sms` SMs of an instance that has the bandwidth `share` for itself. C is the WCET `alone` with the
/// whole memory of bandwidth `capacity`. Returns `None` beyond 63 bits, and for a kernel that moves bytes at a share of 0.
///
/// While a kernel that could use δ > B' gets B', it takes δ/B' as long. A byte then takes 1/B' instead of 1/δ ≥ 1/d. The kernel
/// moves at most V bytes, so C' = C + V/B' − V/d. Model of gpusched; `docs/explanation/shared-memory.md` has the proof.
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
