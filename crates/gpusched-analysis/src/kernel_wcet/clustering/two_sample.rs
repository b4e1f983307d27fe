//! The two-sample Kolmogorov–Smirnov statistic, computed exactly.

use std::cmp::Ordering;

/// Kolmogorov–Smirnov distance sup |F − G| of two empirical distributions F and G, as a fraction.
///
/// Comparisons use the value of the fraction, so 1/2 equals 2/4.
#[derive(Copy, Clone, Debug)]
pub struct Distance {
    /// Numerator; at most the denominator.
    pub numerator: u64,
    /// Denominator; > 0. The denominator is the product of the two sample sizes.
    pub denominator: u64,
}

impl Distance {
    /// Returns the distance as a floating-point number, for display and for comparison with a critical value.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    fn cross(self, other: Distance) -> (u128, u128) {
        (
            u128::from(self.numerator) * u128::from(other.denominator),
            u128::from(other.numerator) * u128::from(self.denominator),
        )
    }
}

impl PartialEq for Distance {
    fn eq(&self, other: &Distance) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Distance {}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Distance) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distance {
    fn cmp(&self, other: &Distance) -> Ordering {
        let (left, right) = self.cross(*other);
        left.cmp(&right)
    }
}

/// Computes the distance between the distributions of two samples, which must be sorted in
/// ascending order. All equal values of the two samples form one step. Returns `None` if a sample
/// is empty, or if the product of the sample sizes exceeds 64 bits.
pub fn distance(a: &[u64], b: &[u64]) -> Option<Distance> {
    let (n, m) = (u64::try_from(a.len()).ok()?, u64::try_from(b.len()).ok()?);
    let denominator = n.checked_mul(m).filter(|&product| product > 0)?;
    let (mut i, mut j, mut numerator) = (0u64, 0u64, 0u64);
    let (mut left, mut right) = (a, b);
    while let (Some(&x), Some(&y)) = (left.first(), right.first()) {
        let value = x.min(y);
        i += skip(&mut left, value);
        j += skip(&mut right, value);
        numerator = numerator.max((i * m).abs_diff(j * n));
    }
    Some(Distance {
        numerator,
        denominator,
    })
}

/// Removes all values equal to `value` from the start of `sorted`, and returns the number of
/// removed values.
fn skip(sorted: &mut &[u64], value: u64) -> u64 {
    let equal = sorted.iter().take_while(|&&other| other == value).count();
    *sorted = sorted.get(equal..).unwrap_or_default();
    equal as u64
}

/// Returns the factor c of the critical distance, for which 2·exp(−2·c²) = `level`. Suppose that two samples of n and m
/// values have the same distribution. Then the distance of the samples exceeds c·√(1/n + 1/m) with probability at most
/// `level` (Smirnov's limit; Massart 1990 for m → ∞).
pub fn critical_factor(level: f64) -> f64 {
    libm::sqrt(libm::log(2.0 / level) / 2.0)
}
