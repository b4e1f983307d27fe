//! The Wilson score interval (Wilson 1927) is a confidence interval of the true share of schedulable sets. Its input is
//! the number of schedulable sets in a sample.
//!
//! Unlike the usual normal approximation, the Wilson interval stays within [0, 1] and has a positive width at shares of
//! 0 and 1. Most points of a schedulability curve have a share of 0 or 1.

/// The 97.5 % quantile of the standard normal distribution, for a confidence level of 95 %. The quantile is a constant,
/// because the last bit of `ln` differs between systems.
pub const Z: f64 = 1.959_963_984_540_054;

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
