//! The Wilson score interval (Wilson 1927) is a confidence interval of the true share of schedulable sets. Its input is
//! the number of schedulable sets in a sample.
//!
//! Unlike the usual normal approximation, the Wilson interval stays within [0, 1] and has a positive width at shares of
//! 0 and 1. Most points of a schedulability curve have a share of 0 or 1.

/// The 97.5 % quantile of the standard normal distribution, for a confidence level of 95 %. The quantile is a constant,
/// because the last bit of `ln` differs between systems.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the 95 % confidence interval of the true share if `successes` of `trials` trials
/// succeed. If there are no trials, returns (0, 1).
pub fn interval(successes: u64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let n = trials as f64;
    let share = successes as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let center = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let low = if successes == 0 { 0.0 } else { center - half };
    let high = if successes >= trials { 1.0 } else { center + half };
    (low, high)
}

/// Returns the 95 % confidence interval of the difference p₂ − p₁ between two shares. The arguments are the successes
/// and trials of two independent samples (Newcombe, Statistics in Medicine 17 (1998), pages 873–890, method 10).
pub fn difference(one: (u64, u64), other: (u64, u64)) -> (f64, f64) {
    let share = |(successes, trials): (u64, u64)| successes as f64 / trials.max(1) as f64;
    let ((low1, high1), (low2, high2)) = (interval(one.0, one.1), interval(other.0, other.1));
    let (p1, p2) = (share(one), share(other));
    let below = ((p2 - low2).powi(2) + (high1 - p1).powi(2)).sqrt();
    let above = ((high2 - p2).powi(2) + (p1 - low1).powi(2)).sqrt();
    (p2 - p1 - below, p2 - p1 + above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF as _, Normal};

    #[test]
    fn the_quantile_is_that_of_the_normal_distribution() {
        let normal = Normal::new(0.0, 1.0).unwrap();
        assert!((normal.inverse_cdf(0.975) - Z).abs() < 1e-9);
    }

    /// Compares the intervals with Newcombe, Statistics in Medicine 17 (1998), Table I, method 3 (without continuity
    /// correction).
    #[test]
    fn published_intervals() {
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = interval(successes, trials);
            assert!(
                (l - low).abs() < 5e-5 && (h - high).abs() < 5e-5,
                "{successes}/{trials}: {l} {h}"
            );
        }
    }

    /// Compares the intervals with Newcombe, Statistics in Medicine 17 (1998), pages 873–890, Table II, method 10.
    #[test]
    fn published_intervals_of_differences() {
        for (two, one, low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
        ] {
            let (l, h) = difference(one, two);
            assert!(
                (l - low).abs() < 5e-5 && (h - high).abs() < 5e-5,
                "{two:?} {one:?}: {l} {h}"
            );
        }
    }

    /// Checks the defining property: each end of the interval is exactly z standard errors away from the observed
    /// share.
    #[test]
    fn ends_are_z_standard_errors_away() {
        for trials in [1u64, 7, 100, 1_000_000] {
            for successes in [0, 1, trials / 3, trials / 2, trials] {
                let share = successes as f64 / trials as f64;
                let (low, high) = interval(successes, trials);
                assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
                for end in [low, high] {
                    let error = (end * (1.0 - end) / trials as f64).sqrt();
                    if error > 0.0 {
                        assert!(
                            ((share - end).abs() / error - Z).abs() < 1e-6,
                            "{successes}/{trials}"
                        );
                    }
                }
            }
        }
    }
}
