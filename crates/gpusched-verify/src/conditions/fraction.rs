//! Exact fractions, for sums and products without rounding.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// A non-negative fraction, not necessarily in lowest terms.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    numerator: BigUint,
    denominator: BigUint,
}

impl Fraction {
    /// Creates `numerator` / `denominator`.
    ///
    /// # Panics
    /// Panics if the denominator is 0, because no fraction is a safe replacement in every check.
    pub fn new(numerator: u128, denominator: u128) -> Fraction {
        assert!(denominator > 0, "the denominator of a fraction is positive");
        Fraction {
            numerator: numerator.into(),
            denominator: denominator.into(),
        }
    }

    pub fn plus(self, other: Fraction) -> Fraction {
        Fraction {
            numerator: self.numerator * &other.denominator + other.numerator * &self.denominator,
            denominator: self.denominator * other.denominator,
        }
    }

    pub fn times(self, other: Fraction) -> Fraction {
        Fraction {
            numerator: self.numerator * other.numerator,
            denominator: self.denominator * other.denominator,
        }
    }

    pub fn sum(terms: impl IntoIterator<Item = Fraction>) -> Fraction {
        terms.into_iter().fold(Fraction::new(0, 1), Fraction::plus)
    }

    pub fn product(factors: impl Iterator<Item = Fraction>) -> Fraction {
        factors.fold(Fraction::new(1, 1), Fraction::times)
    }

    pub fn power(self, exponent: u32) -> Fraction {
        Fraction {
            numerator: self.numerator.pow(exponent),
            denominator: self.denominator.pow(exponent),
        }
    }

    pub fn cmp(&self, number: u128) -> Ordering {
        self.numerator.cmp(&(&self.denominator * number))
    }

    /// Returns whether `self` ≤ `other`.
    pub fn at_most(&self, other: &Fraction) -> bool {
        &self.numerator * &other.denominator <= &other.numerator * &self.denominator
    }

    /// Returns 1 − `self`, or `None` if the difference is not positive.
    pub fn complement(&self) -> Option<Fraction> {
        (self.numerator < self.denominator).then(|| Fraction {
            numerator: &self.denominator - &self.numerator,
            denominator: self.denominator.clone(),
        })
    }
}
