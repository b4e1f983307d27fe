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

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(value: f64) -> Factor {
        Factor::from_f64(value).unwrap()
    }

    #[test]
    fn deadlines_are_exact() {
        let ns = |value, period| deadline(factor(value), Time::from_ns(period)).map(Time::ns);
        assert_eq!(ns(0.75, 50_000_000), Some(37_500_000));
        assert_eq!(ns(0.75, 7), Some(5));
        assert_eq!(ns(0.1, 7), Some(1));
        // 2⁶² + 1 is not a floating-point number
        assert_eq!(ns(1.0, (1 << 62) + 1), Some((1 << 62) + 1));
        assert_eq!(ns(2.0, 1 << 62), None);
        assert_eq!(ns(1e6, u64::MAX), None);
    }

    #[test]
    fn jitter_is_exact_and_below_the_deadline() {
        let ns = |value, period, deadline| {
            jitter(factor(value), Time::from_ns(period), Time::from_ns(deadline)).map(Time::ns)
        };
        assert_eq!(ns(0.1, 50_000_000, 37_500_000), Some(5_000_000));
        assert_eq!(ns(0.1, 19, 14), Some(1));
        assert_eq!(ns(0.0, 19, 14), Some(0));
        assert_eq!(ns(0.74, 5, 3), Some(2)); // the product is 3.7, and J must be less than D = 3
        assert_eq!(ns(0.5, 1, 1), Some(0));
        assert_eq!(ns(1.0, (1 << 62) + 1, 1 << 63), Some((1 << 62) + 1));
        assert_eq!(ns(2.0, 1 << 62, 1), None);
    }

    #[test]
    fn blocks_are_those_of_the_formula() {
        let wcet = |json: &str| serde_json::from_str::<WcetFunction>(json).unwrap();
        // The WCET in conflict is C(1) = 2.3 · 1000 · 1.1 = 2530 ns.
        let memory = wcet(r#"{"proportional":{"work":1000,"serial":0.1,"conflict":2.3}}"#);
        let ns = |blocks| block(&memory, blocks).map(Time::ns);
        assert_eq!((ns(1), ns(2), ns(3)), (Some(2530), Some(1265), Some(844)));
        assert_eq!((ns(2529), ns(2530), ns(MAX_BLOCKS)), (Some(2), Some(1), Some(1)));
        assert_eq!(ns(0), None);
        // C(1) is 1.2 · 7 · 1.02 = 8.568 ns: 2.856 ns for each of three blocks, and 4.284 ns for each of two blocks.
        let compute = wcet(r#"{"amdahl":{"work":7,"serial":0.02,"conflict":1.2}}"#);
        assert_eq!(block(&compute, 3).map(Time::ns), Some(3));
        assert_eq!(block(&compute, 2).map(Time::ns), Some(5));
        assert_eq!(block(&wcet(r#"{"table":[[2,9]]}"#), 3), None);
    }
}
