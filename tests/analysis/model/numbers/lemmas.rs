//! Guarantee: for all 8-bit values, and for values at the limits of the types, big integers confirm the sums, differences,
//! quotients and fractions of times.

use std::cmp::Ordering;

use gpusched::model::WcetFunction;
use gpusched::model::quotient::quotient;
use gpusched::model::utilization::compare_total;
use gpusched::model::wcet::{Affine, AffinePair, Contention, Form};
use gpusched::time::Time;
use num_bigint::{BigInt, BigUint};

/// All 8-bit values, and the values around 2⁵², 2⁶³ and 2⁶⁴ where fast paths and limits begin.
fn values() -> Vec<u64> {
    let around = |center: u64| center.saturating_sub(32)..=center.saturating_add(32);
    let mut all: Vec<u64> = (0..=255).collect();
    for center in [1 << 32, 1 << 52, 1 << 63, u64::MAX] {
        all.extend(around(center));
    }
    all
}

/// Returns the value if it is a `u64`.
fn short(value: &BigInt) -> Option<u64> {
    value.try_into().ok()
}

#[test]
fn sums_and_differences_of_times_are_exact_or_none() {
    for a in values() {
        for b in values() {
            let (x, y) = (Time::from_ns(a), Time::from_ns(b));
            let (big_x, big_y) = (BigInt::from(a), BigInt::from(b));
            assert_eq!(
                x.checked_add(y).map(Time::ns),
                short(&(&big_x + &big_y)),
                "{a} + {b}"
            );
            assert_eq!(
                x.checked_sub(y).map(Time::ns),
                short(&(&big_x - &big_y)),
                "{a} - {b}"
            );
            assert_eq!(x.cmp(&y), big_x.cmp(&big_y), "{a}, {b}");
        }
    }
}

#[test]
fn quotients_are_rounded_down() {
    for a in values() {
        for b in values().into_iter().filter(|&b| b > 0) {
            let expected = BigUint::from(a) / BigUint::from(b);
            assert_eq!(BigUint::from(quotient(a, b)), expected, "{a} / {b}");
        }
    }
}

/// C(m) = ⌈a/m⌉ + b, or no value above [`Time::LIMIT`].
#[test]
fn wcets_are_rounded_up() {
    let limit = Time::LIMIT.ns();
    let work = (0..=255).chain(limit - 16..=limit);
    for a in work {
        for b in [0, 1, 2, 255, limit - a, (limit - a).saturating_add(1).min(limit)] {
            let affine = Affine {
                a: Time::from_ns(a),
                b: Time::from_ns(b),
            };
            let Ok(wcet) = WcetFunction::new(Form::Affine(AffinePair {
                isolated: affine,
                conflict: None,
            })) else {
                assert!(a + b == 0 || a > limit - b, "{a} + {b}");
                continue;
            };
            for sms in 1..=255u32 {
                let whole = BigUint::from(a) + BigUint::from(b) * sms;
                let expected = (whole + sms - 1u32) / sms;
                let found = wcet
                    .at(sms, Contention::Isolated)
                    .map(|time| BigUint::from(time.ns()));
                assert_eq!(found, Some(expected), "{a}/{sms} + {b}");
            }
        }
    }
}

/// Compares a/b + c/d with the bound, by a·d + c·b and the bound times b·d.
fn compared(terms: [(u64, u64); 2], bound: u64) -> Ordering {
    let [(a, b), (c, d)] = terms.map(|(n, d)| (BigUint::from(n), BigUint::from(d)));
    (a * &d + c * &b).cmp(&(BigUint::from(bound) * b * d))
}

#[test]
fn sums_of_fractions_compare_exactly() {
    let edges = [1, 2, 3, 254, 255, (1 << 48) - 1, 1 << 48, u64::MAX];
    for a in 0..=255 {
        for b in 1..=255 {
            for (c, d) in [(0, 1), (1, 255), (255 - b.min(255), b), (a, 254), (b, a + 1)] {
                for bound in 0..3 {
                    let terms = [(a, b), (c, d)];
                    let found = compare_total(terms.into_iter().map(|(n, d)| (n.into(), d)), bound);
                    assert_eq!(found, compared(terms, bound), "{terms:?} and {bound}");
                }
            }
        }
    }
    for a in edges {
        for b in edges {
            for c in edges {
                for d in edges {
                    let terms = [(a, b), (c, d)];
                    let found = compare_total(terms.into_iter().map(|(n, d)| (n.into(), d)), 1);
                    assert_eq!(found, compared(terms, 1), "{terms:?}");
                }
            }
        }
    }
}
