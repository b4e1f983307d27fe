//! Saturation: the number of SMs above which a kernel becomes hardly faster ([Singh21] §3.3.1, Definition 1).
//!
//! Let M be the largest measured number of SMs. The saturation point m* is the smallest measured number of SMs with
//! C(m) − C(M) < ε·C(m). So all SMs from m* to M together reduce the execution time by less than the fraction ε.
//!
//! **A threshold below M is not enough.** Definition 1 requires *a certain threshold*. But even for a kernel with perfect speed-up,
//! the last ε·M SMs reduce the time by less than ε. So with M = 68, every kernel would have a threshold, and would be
//! memory-intensive. gpusched calls a kernel memory-intensive if m* ≤ (1 − 4ε)·M. Then the last 4ε·M SMs together reduce the time
//! by less than ε, a quarter of the reduction under perfect speed-up. On 68 SMs with ε = 5 %, this rule separates the two classes
//! of [Singh21] §3.6.1. The class β = 0.1 (memory) saturates at m* = 49, the class β = 0.02 (compute) saturates at m* = 61, and the
//! limit is 54.

use gpusched_model::time::Time;
use gpusched_model::{Factor, Kind};

/// Saturation of a kernel according to Definition 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Saturation {
    /// m*: the saturation point.
    pub sms: u32,
    /// M: the largest measured number of SMs.
    pub largest_sms: u32,
    /// Kind according to the definition. The kind of the kernel comes from [`super::classification`], because a kernel with few
    /// thread blocks also saturates.
    pub kind: Kind,
    /// Whether the smallest measured number of SMs is at most (1 − 4ε)·M. Otherwise these times can never show that a kernel is
    /// memory-intensive.
    pub can_show: bool,
}

/// Fraction of the SMs that must reduce the time by less than ε, in multiples of ε.
const SPAN: u64 = 4;

/// Returns whether `epsilon` is a valid threshold, that is, above 0 and below 1/4.
pub fn accepts(epsilon: Factor) -> bool {
    let (numerator, denominator) = epsilon.ratio();
    numerator > 0 && SPAN * numerator < denominator
}

/// Computes the saturation of `table`, whose times do not increase with the number of SMs. Returns `None` for an empty table.
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

/// Returns the speed-up for each number of SMs, relative to the smallest measured number of SMs. If this number is 1, the result is
/// the speed-up of [Singh21] Fig. 3.2.
pub fn speed_up(table: &[(u32, Time)]) -> Vec<(u32, f64)> {
    let first = table.first().map_or(0.0, |&(_, time)| time.ns() as f64);
    table
        .iter()
        .map(|&(sms, time)| (sms, first / time.ns() as f64))
        .collect()
}
