//! Times that follow from the period and the WCET of a task: deadline, jitter, and time of the
//! longest thread block. gpusched computes these times exactly.

use gpusched_model::time::Time;
use gpusched_model::wcet::Contention;
use gpusched_model::{Factor, WcetFunction};

/// Largest number of thread blocks of a kernel: 2³¹ − 1, the limit of CUDA on the length of a grid.
pub const MAX_BLOCKS: u32 = i32::MAX as u32;

/// Returns D = `factor`·T [ns], rounded down and at least 1 ns. Returns `None` if D exceeds [`Time::LIMIT`].
pub(super) fn deadline(factor: Factor, period: Time) -> Option<Time> {
    times(factor, period).map(|time| time.max(Time::from_ns(1)))
}

/// Returns J = `factor`·T [ns], rounded down and limited to `deadline` − 1 ns. Returns `None` if the product exceeds
/// [`Time::LIMIT`].
pub(super) fn jitter(factor: Factor, period: Time, deadline: Time) -> Option<Time> {
    times(factor, period).map(|time| time.min(Time::from_ns(deadline.ns().saturating_sub(1))))
}

/// Returns b = ⌈C(1)/`blocks`⌉ [ns], where C(1) is the WCET in conflict. If the kernel has `blocks` equal thread
/// blocks, one block alone on an SM takes this time in conflict. Because C(1) is at least 1 ns, the result is at least
/// 1 ns. Returns `None` if `blocks` is 0 or C(1) is unknown.
pub(super) fn block(wcet: &WcetFunction, blocks: u32) -> Option<Time> {
    // C(1) is rounded up to whole nanoseconds. This rounding changes no result: ⌈⌈x⌉/N⌉ = ⌈x/N⌉.
    let alone = wcet.at(1, Contention::Conflict)?.ns();
    (blocks > 0).then(|| Time::from_ns(alone.div_ceil(blocks.into())))
}

/// Returns ⌊`factor`·`time`⌋ [ns], or `None` above [`Time::LIMIT`].
fn times(factor: Factor, time: Time) -> Option<Time> {
    let (numerator, denominator) = factor.ratio();
    let exact = u128::from(time.ns()) * u128::from(numerator) / u128::from(denominator);
    let ns = u64::try_from(exact).ok()?;
    (ns <= Time::LIMIT.ns()).then_some(Time::from_ns(ns))
}
