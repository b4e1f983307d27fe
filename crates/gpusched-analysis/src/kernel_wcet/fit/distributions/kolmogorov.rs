//! The one-sample Kolmogorov–Smirnov test, for times that a clock has rounded.
//!
//! The distance D is the maximum difference between the empirical distribution function of the
//! sample and a given distribution function. For large n, √n·D follows Kolmogorov's distribution.
//! This is true only if the given distribution is continuous and does not depend on the sample.
//!
//! **Rounding.** A clock with ticks of q ns rounds each time between k − q/2 and k + q/2 to k. So a sample contains
//! many equal times, and its empirical distribution function has large steps. For a normal distribution with standard
//! deviation σ, a step can be up to q/(σ√2π). For large n, such a step exceeds the critical value, and the usual test
//! would reject every sample, even a normal sample.
//!
//! A rounded time is at most k if and only if the exact time was at most k + q/2. So the test compares the two
//! distribution functions at k + q/2. If a clock truncates times instead of rounding them, all times and the fitted
//! location shift by q/2. A rounded distribution is discrete. For discrete distributions, the test is conservative: it
//! rejects too rarely.

use num_integer::gcd;
use std::f64::consts::PI;

/// Returns P(√n·D > `lambda`) for large n, from Kolmogorov's distribution (Kolmogorov 1933).
pub fn survival(lambda: f64) -> f64 {
    if lambda <= 0.0 {
        return 1.0;
    }
    let squared = lambda * lambda;
    // Two series have this sum. The function uses the series whose fourth term is below 1e-14.
    if lambda < 1.0 {
        let terms = [1.0, 3.0, 5.0, 7.0].map(|odd: f64| libm::exp(-odd * odd * PI * PI / (8.0 * squared)));
        return 1.0 - (2.0 * PI).sqrt() / lambda * terms.iter().sum::<f64>();
    }
    let terms = [1.0, 2.0, 3.0, 4.0].map(|j: f64| libm::exp(-2.0 * j * j * squared));
    let [first, second, third, fourth] = terms;
    2.0 * (first - second + third - fourth)
}

/// Returns the asymptotic critical value of D for a sample of `samples` values, at level `alpha`
/// between 0 and 1. At level 0.05, the critical value is 1.358/√n.
///
/// For small samples, the result is slightly too large: 0.430 instead of 0.409 at n = 10.
pub fn critical_value(alpha: f64, samples: u64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0);
    // The bisection needs at most 60 steps for the precision of a floating-point number.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if survival(middle) > alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    high / (samples as f64).sqrt()
}

/// Computes the distance D between the sample `sorted` [ns] and the distribution function `cdf`.
/// The clock that measured the sample has ticks of `resolution` ns.
///
/// If `resolution` is 0, the result is the textbook statistic for exact times.
pub fn distance(sorted: &[u64], resolution: u64, cdf: impl Fn(f64) -> f64) -> f64 {
    let (n, half) = (sorted.len() as f64, 0.5 * resolution as f64);
    let mut largest = 0.0_f64;
    let mut before = 0;
    for equal in sorted.chunk_by(|a, b| a == b) {
        let Some(&time) = equal.first() else { continue };
        let after = before + equal.len();
        let below = (cdf(time as f64 - half) - before as f64 / n).abs();
        let above = (cdf(time as f64 + half) - after as f64 / n).abs();
        largest = largest.max(below).max(above);
        before = after;
    }
    largest
}

/// Returns the length of a clock tick [ns]: the greatest common divisor of the differences
/// between the times in `sorted`.
///
/// The differences of a small number of times may have a common divisor by chance. So the result is 1 ns if `sorted`
/// has fewer than 20 values, or fewer than five different values.
pub fn resolution(sorted: &[u64]) -> u64 {
    let steps = || sorted.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    if sorted.len() < 20 || steps().filter(|&step| step > 0).take(4).count() < 4 {
        return 1;
    }
    steps().fold(0, gcd).max(1)
}
