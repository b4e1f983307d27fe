//! Saturation: the number of SMs above which a kernel hardly becomes faster ([Singh21] §3.3.1,
//! Definition 1).
//!
//! Let M be the largest measured number of SMs. The saturation point m* is the smallest measured
//! number of SMs with C(m) − C(M) < ε·C(m). So the SMs above m* together reduce the
//! execution time by less than the fraction ε.
//!
//! **A saturation point below M is not enough.** Definition 1 calls a kernel memory-intensive if it saturates at *a
//! certain threshold*. But even for a kernel with perfect speed-up, the last ε·M SMs together reduce the time by less
//! than the fraction ε. So on M = 68 SMs, every kernel would saturate below M and count as memory-intensive.
//!
//! gpusched calls a kernel memory-intensive if m* ≤ (1 − 4ε)·M. For such a kernel, the last 4ε·M SMs together reduce
//! the time by less than the fraction ε. Under perfect speed-up, the reduction would be four times as large. On 68 SMs
//! with ε = 5 %, the limit is 54 SMs. It separates the two classes of [Singh21] §3.6.1: the class β = 0.1 (memory)
//! saturates at m* = 49, and the class β = 0.02 (compute) at m* = 61.

use gpusched_model::time::Time;
use gpusched_model::{Factor, Kind};

/// Saturation of a kernel by Definition 1 of [Singh21].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Saturation {
    /// m*: saturation point, as a number of SMs.
    pub sms: u32,
    /// M: largest measured number of SMs.
    pub largest_sms: u32,
    /// Kind by Definition 1. This kind may be wrong, because a kernel with few thread blocks also
    /// saturates. So [`super::classification`] determines the kind of the kernel.
    pub kind: Kind,
    /// Whether the smallest measured number of SMs is at most (1 − 4ε)·M. Otherwise, the measured times cannot show
    /// that a kernel is memory-intensive.
    pub can_show: bool,
}

/// Factor of ε in the rule m* ≤ (1 − 4ε)·M.
const SPAN: u64 = 4;

/// Returns whether `epsilon` is a valid saturation threshold, which is above 0 and below 1/4.
pub fn accepts(epsilon: Factor) -> bool {
    let (numerator, denominator) = epsilon.ratio();
    numerator > 0 && SPAN * numerator < denominator
}

/// Computes the saturation of `table`, whose times do not increase with the number of SMs.
/// Returns `None` if `table` is empty.
pub fn saturation(table: &[(u32, Time)], epsilon: Factor) -> Option<Saturation> {
    let &(largest_sms, least) = table.last()?;
    let (numerator, denominator) = epsilon.ratio();
    let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
    let gains_little = |time: Time| {
        let gain = time.ns().saturating_sub(least.ns());
        u128::from(gain) * denominator < numerator * u128::from(time.ns())
    };
    let &(sms, _) = table
        .iter()
        .find(|&&(_, time)| gains_little(time))
        .or(table.last())?;
    let limit = u128::from(largest_sms) * denominator.saturating_sub(u128::from(SPAN) * numerator);
    let within = |sms: u32| u128::from(sms) * denominator <= limit;
    let saturated = within(sms);
    let kind = if saturated { Kind::Memory } else { Kind::Compute };
    Some(Saturation {
        sms,
        largest_sms,
        kind,
        can_show: table.first().is_some_and(|&(sms, _)| within(sms)),
    })
}

/// Returns the speed-up for each number of SMs, relative to the smallest measured number of SMs.
/// If the smallest number is 1, the result is the speed-up of [Singh21] Fig. 3.2.
pub fn speed_up(table: &[(u32, Time)]) -> Vec<(u32, f64)> {
    let first = table.first().map_or(0.0, |&(_, time)| time.ns() as f64);
    table
        .iter()
        .map(|&(sms, time)| (sms, first / time.ns() as f64))
        .collect()
}
