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

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::stats_tests::NaNPolicy;
    use statrs::stats_tests::ks_test::{KSOneSampleAlternativeMethod, ks_onesample};

    /// The expected values are from the table of the limiting distribution in Smirnov, Annals of
    /// Mathematical Statistics 19 (1948).
    #[test]
    fn the_distribution_is_the_published_one() {
        for (lambda, below) in [
            (0.5, 0.036_055),
            (0.8, 0.455_857),
            (1.0, 0.730_000),
            (1.36, 0.950_514),
            (1.63, 0.990_154),
        ] {
            assert!((1.0 - survival(lambda) - below).abs() < 5e-6, "{lambda}");
        }
        assert!((critical_value(0.05, 1) - 1.358_099).abs() < 1e-6);
        assert!((critical_value(0.01, 100) - 0.162_762).abs() < 1e-6);
        assert_eq!((survival(-1.0), survival(0.0)), (1.0, 1.0));
        // Both series give equal results where the function switches between them.
        let gap = survival(1.0 - 1e-12) - survival(1.0);
        assert!(gap.abs() < 1e-11, "{gap}");
    }

    #[test]
    fn d_and_its_probability_are_those_of_statrs() {
        let sample: Vec<u64> = (0..400u64).map(|i| (i * i * 7919) % 100_003).collect();
        let mut sorted = sample.clone();
        sorted.sort_unstable();
        let uniform = statrs::distribution::Uniform::new(0.0, 100_003.0).unwrap();
        let floats: Vec<f64> = sample.iter().map(|&time| time as f64).collect();
        let method = KSOneSampleAlternativeMethod::TwoSidedAsymptotic;
        let (d, p) = ks_onesample(floats, &uniform, method, NaNPolicy::Error).unwrap();
        let own = distance(&sorted, 0, |time| time / 100_003.0);
        assert!((own - d).abs() < 1e-12, "{own} {d}");
        assert!((survival(own * 20.0) - p).abs() < 1e-9, "{p}");
    }

    #[test]
    fn ties_jump_once() {
        // All times of the sample are 5. The distribution function is uniform on 0 … 10.
        assert_eq!(distance(&[5, 5, 5, 5], 0, |time| time / 10.0), 0.5);
        // If the tick is as long as the range of the distribution, the distance is 0.
        assert_eq!(distance(&[5, 5, 5, 5], 10, |time| time / 10.0), 0.0);
        assert_eq!(distance(&[], 1, |_| 0.5), 0.0);
    }

    #[test]
    fn the_tick_is_found() {
        let ticks =
            |tick: u64, count: u64| -> Vec<u64> { (0..count).map(|i| 7 + i * (i + 1) * tick).collect() };
        assert_eq!(resolution(&ticks(16, 40)), 32);
        assert_eq!(resolution(&ticks(16, 20)), 32);
        assert_eq!(resolution(&ticks(16, 19)), 1);
        assert_eq!(resolution(&[[0; 9], [32; 9], [64; 9], [96; 9]].concat()), 1);
        assert_eq!(resolution(&[5; 100]), 1);
        assert_eq!(resolution(&(0..100).collect::<Vec<_>>()), 1);
    }
}
