//! The utilization C/T as an integer multiple of 2⁻³², rounded up. Fast sufficient tests compute
//! with this integer.

use gpusched_model::time::Time;

/// Integer that represents a utilization of 1.
pub const ONE: u64 = 1 << 32;

/// Utilization above which the full tests decide instead of the fast tests. Above this utilization, a full test may
/// reach its step limit although a fast test decides, so their results could differ.
pub const NEXT_TO_ONE: u64 = ONE - (ONE >> 10);

/// Largest rounding error of [`above`], in units of 2⁻³².
pub const EXCESS: u64 = 2;

/// Returns `wcet`/`period`, rounded up by at most [`EXCESS`] units. Returns `None` if the ratio
/// exceeds 1, or if the function cannot guarantee this precision.
///
/// The function uses a floating-point division, which takes a few cycles. A division of 128-bit integers takes about a
/// hundred cycles.
#[inline]
pub fn above(wcet: Time, period: Time) -> Option<u64> {
    if wcet > period {
        return None;
    }
    let share = near(float(wcet.ns())? / float(period.ns())? * ONE as f64) + 1;
    let period = u128::from(period.ns());
    let excess = (u128::from(share) * period).checked_sub(u128::from(wcet.ns()) << 32)?;
    (excess <= u128::from(EXCESS) * period).then_some(share)
}

/// Converts `number` to a floating-point number. The conversion starts from a signed integer, because this is faster.
#[inline]
fn float(number: u64) -> Option<f64> {
    i64::try_from(number).ok().map(|number| number as f64)
}

/// Returns an integer close to `value`. `value` is from 0 to 2³². The lowest bits of the floating-point sum `value` and
/// 2⁵² contain this integer.
#[inline]
fn near(value: f64) -> u64 {
    const TWO_52: f64 = (1u64 << 52) as f64;
    (value + TWO_52).to_bits() & ((1 << 52) - 1)
}

/// Returns `share` · `time`, rounded up [ns], or `None` if the product exceeds 64 bits.
pub fn of(share: u64, time: u64) -> Option<u64> {
    let scaled = (u128::from(share) * u128::from(time) + u128::from(ONE - 1)) >> 32;
    u64::try_from(scaled).ok()
}
