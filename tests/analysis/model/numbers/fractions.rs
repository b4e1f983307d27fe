//! Exact fractions: factors, ratios, quotients and sums of utilizations.

use std::cmp::Ordering;

use gpusched_model::quotient::quotient;
use gpusched_model::time::Time;
use gpusched_model::utilization::compare_total;
use gpusched_model::{Factor, Ratio, Utilization};
use num_bigint::BigUint;
use proptest::prelude::*;

use crate::support::rounds;

#[test]
fn decimals_are_exact_fractions() {
    let ratio = |value| Factor::from_f64(value).map(Factor::ratio);
    assert_eq!(ratio(0.02), Some((1, 50)));
    assert_eq!(ratio(2.3), Some((23, 10)));
    assert_eq!(ratio(1.0), Some((1, 1)));
    assert_eq!(ratio(0.0), Some((0, 1)));
    assert_eq!(ratio(0.000000001), Some((1, 1_000_000_000)));
    for bad in [-0.1, f64::NAN, f64::INFINITY, 1e7, 1.0 / 3.0, 1e-10] {
        assert_eq!(ratio(bad), None, "{bad}");
    }
}

/// Compares the factor of a float with the factor of its shortest decimal text.
fn check_float(value: f64) {
    let text = format!("{value}").parse().ok();
    let slow = text.filter(|_: &Factor| (0.0..=1e6).contains(&value));
    assert_eq!(Factor::from_f64(value), slow, "{value:?}");
}

#[test]
fn floats_are_their_shortest_decimal_text_at_limits() {
    let large = [
        1e6,
        1e6 + 1.0,
        999_999.999_999_999,
        999_999.999_999_999_5,
        f64::MAX,
    ];
    let small = [
        0.0,
        1e-9,
        1e-10,
        5e-10,
        1.5e-9,
        4.999e-10,
        f64::MIN_POSITIVE,
        5e-324,
    ];
    let special = [f64::NAN, f64::INFINITY, -0.0, -1.0, 0.1, 0.3, 1.0 / 3.0, 1.0];
    for value in [large.as_slice(), &small, &special].concat() {
        for bits in value.to_bits().saturating_sub(3)..=value.to_bits().saturating_add(3) {
            check_float(f64::from_bits(bits));
        }
    }
}

#[test]
fn json_round_trips() {
    for text in ["0.02", "2.3", "1.0", "123456.789"] {
        let factor: Factor = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&factor).unwrap(), text);
    }
    let message = serde_json::from_str::<Factor>("1e308").unwrap_err().to_string();
    assert!(message.contains("at most nine decimals"), "{message}");
}

#[test]
fn text_forms_are_exact() {
    let parse = |text: &str| text.parse::<Ratio>().ok();
    assert_eq!(parse("14/6").unwrap().to_string(), "7/3");
    assert_eq!(parse("0/5"), Some(Ratio::ZERO));
    let large = Ratio::new(u128::MAX, u64::MAX).unwrap();
    assert_eq!(parse(&large.to_string()), Some(large));
    for bad in ["", "/", "1/0", "-1", "1/-2", "1.5", "+1", "1/2/3", "a", "1/"] {
        assert_eq!(parse(bad), None, "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2560)))]

    #[test]
    fn floats_are_their_shortest_decimal_text(bits: u64, small in 0.0..2e6f64, n in 0..2_000_000_000_000_000u64, decimals in 0..13) {
        let decimal = n as f64 / 10f64.powi(decimals);
        let beside = decimal.to_bits().saturating_add(1);
        [f64::from_bits(bits), small, decimal, f64::from_bits(beside)].into_iter().for_each(check_float);
    }

    #[test]
    fn factors_are_reduced(billionths in 0..1_000_000_000_000_000u64, twos in 0..12u32, fives in 0..12u32, odd in 0..1_000u64) {
        for billionths in [billionths, odd * 2u64.pow(twos) * 5u64.pow(fives) % 1_000_000_000_000_001] {
            let (a, b) = Factor::from_billionths(billionths).unwrap().ratio();
            let common = [2, 5].map(|prime| a % prime == 0 && b % prime == 0);
            prop_assert_eq!(common, [false, false]);
            prop_assert_eq!(u128::from(a) * 1_000_000_000, u128::from(billionths) * u128::from(b));
        }
    }

    #[test]
    fn quotients_are_those_of_integers(bits in (1u32..64, 1u32..64), dividend: u64, divisor: u64, near in -1i64..2) {
        let divisor = (divisor >> bits.1).max(1);
        let dividend = dividend >> bits.0;
        prop_assert_eq!(quotient(dividend, divisor), dividend / divisor);
        let multiple = (dividend / divisor * divisor).saturating_add_signed(near);
        prop_assert_eq!(quotient(multiple, divisor), multiple / divisor);
    }
}

fn total(terms: &[(u128, u64)], bound: u64) -> Ordering {
    compare_total(terms.iter().copied(), bound)
}

#[test]
fn exact_at_the_bound() {
    assert_eq!(total(&[(1, 3), (1, 3), (1, 3)], 1), Ordering::Equal);
    assert_eq!(
        total(&[(1, 3), (1, 3), (333_333_333, 1_000_000_000)], 1),
        Ordering::Less
    );
    assert_eq!(
        total(&[(1, 3), (1, 3), (333_333_334, 1_000_000_000)], 1),
        Ordering::Greater
    );
    // The sum differs from the bound by 2⁻⁶², which is far below the fixed-point resolution.
    let t = (1u64 << 62) - 1;
    assert_eq!(total(&[(u128::from(t) - 1, t)], 1), Ordering::Less);
    assert_eq!(total(&[(u128::from(t) + 1, t)], 1), Ordering::Greater);
    assert_eq!(total(&[], 0), Ordering::Equal);
    assert_eq!(total(&[], 1), Ordering::Less);
    assert_eq!(total(&[(0, 5)], 0), Ordering::Equal);
    assert_eq!(total(&[(1, 0)], 5), Ordering::Greater);
    assert_eq!(total(&[(u128::MAX, u64::MAX)], u64::MAX), Ordering::Greater);
}

#[test]
fn work_is_rounded_down_and_limited() {
    let of = |work: u128, period| Utilization::of_work(work, Time::from_ns(period)).saturated();
    assert_eq!(of(7, 2), 7 << 47);
    assert_eq!(of(1 << 70, 1 << 62), 1 << 56);
    assert_eq!(of((1 << 77) + 3, 1 << 62), 1 << 63);
    assert_eq!((of(1 << 80, 1 << 62), of(1, 0)), (u64::MAX, u64::MAX));
}

/// Compares a sum of fractions with `bound`, in big integers.
fn compare_exactly(terms: &[(u128, u64)], bound: u64) -> Ordering {
    let denominator: BigUint = terms
        .iter()
        .map(|&(_, denominator)| BigUint::from(denominator))
        .product();
    let parts = terms.iter().map(|&(part, of)| part * &denominator / of);
    parts.sum::<BigUint>().cmp(&(&denominator * bound))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2560)))]

    #[test]
    fn utilizations_equal_long_division(
        bits in (0u32..=64, 1u32..=64),
        numerator: u64,
        denominator: u64,
        near in 0u64..3,
    ) {
        let shorten = |value: u64, bits: u32| if bits == 0 { 0 } else { value >> (64 - bits) };
        let denominator = shorten(denominator, bits.1).max(1);
        // The test draws an arbitrary quotient, or a quotient close to a whole number.
        for numerator in [shorten(numerator, bits.0), denominator.wrapping_mul(near).wrapping_add(near).wrapping_sub(1)] {
            let dividend = u128::from(numerator) << 48;
            let (quotient, rest) = (dividend / u128::from(denominator), dividend % u128::from(denominator));
            let [wcet, period] = [numerator, denominator].map(Time::from_ns);
            let limited = |units: u128| u64::try_from(units).unwrap_or(u64::MAX);
            let (floor, ceiling) = (Utilization::of(wcet, period), Utilization::at_most(wcet, period));
            prop_assert_eq!(floor.saturated(), limited(quotient));
            prop_assert_eq!(ceiling.saturated(), limited(quotient + u128::from(rest > 0)));
            prop_assert_eq!(floor == ceiling, rest == 0);
            prop_assert_eq!(floor, Utilization::of_work(numerator.into(), period));
        }
    }

    #[test]
    fn sums_agree_with_big_integers(
        terms in prop::collection::vec((0u128..1 << 40, 1u64..1 << 40), 0..6),
        bound in 0u64..4,
    ) {
        prop_assert_eq!(total(&terms, bound), compare_exactly(&terms, bound));
    }
}
