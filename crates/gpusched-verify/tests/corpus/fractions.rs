//! Guarantee: the fractions of the verifier are exact, for all numerators and denominators of three bits.

use std::cmp::Ordering;

use super::fraction::Fraction;

/// All fractions n/d with n, d < 8 and d > 0.
fn all() -> impl Iterator<Item = (u128, u128)> {
    (0..8).flat_map(|n| (1..8).map(move |d| (n, d)))
}

fn of((n, d): (u128, u128)) -> Fraction {
    Fraction::new(n, d)
}

/// Whether `found` equals n/d, from both sides.
fn is(found: &Fraction, (n, d): (u128, u128)) -> bool {
    found.at_most(&of((n, d))) && of((n, d)).at_most(found)
}

#[test]
fn fractions_are_exact() {
    for (a, b) in all() {
        let x = of((a, b));
        for number in 0..9 {
            assert_eq!(x.cmp(number), a.cmp(&(number * b)), "{a}/{b} and {number}");
        }
        let rest = (a < b).then(|| (b - a, b));
        assert_eq!(x.complement().is_some(), rest.is_some(), "1 - {a}/{b}");
        assert!(
            x.complement().is_none_or(|found| is(&found, rest.unwrap())),
            "1 - {a}/{b}"
        );
        for exponent in 0..4 {
            let power = x.clone().power(exponent);
            assert!(
                is(&power, (a.pow(exponent), b.pow(exponent))),
                "({a}/{b})^{exponent}"
            );
        }
        for (c, d) in all() {
            let y = of((c, d));
            let order = (a * d).cmp(&(c * b));
            assert_eq!(x.at_most(&y), order != Ordering::Greater, "{a}/{b} and {c}/{d}");
            assert!(
                is(&x.clone().plus(y.clone()), (a * d + c * b, b * d)),
                "{a}/{b} + {c}/{d}"
            );
            assert!(
                is(&x.clone().times(y.clone()), (a * c, b * d)),
                "{a}/{b} * {c}/{d}"
            );
            assert!(is(&Fraction::sum([x.clone(), y.clone()]), (a * d + c * b, b * d)));
            assert!(is(&Fraction::product([x.clone(), y].into_iter()), (a * c, b * d)));
        }
    }
}
