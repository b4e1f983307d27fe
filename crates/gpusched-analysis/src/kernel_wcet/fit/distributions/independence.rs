//! Test whether runs are independent: the Ljung–Box test (Biometrika 65, 1978) on the ranks of
//! the execution times, in the order of the runs.
//!
//! Extreme-value fits assume independent runs. A warm cache, a drifting clock frequency or
//! periodic background work causes correlation between nearby runs. The test uses ranks instead
//! of times, so that a single outlier does not determine the result.

/// Number of lags. A lag is the number of runs from one compared run to the other.
const LAGS: usize = 10;

/// Returns the p-value of the test. If the runs are independent, the correlations are at least as large as the measured
/// correlations with this probability. The test examines lags from 1 to 10 runs.
///
/// Returns `None` if there are at most 30 measured times, which are too few for the test. Also returns `None` if all
/// times are equal, because equal times show no dependence.
pub fn p_value(times: &[u64]) -> Option<f64> {
    if times.len() <= 3 * LAGS {
        return None;
    }
    let ranks = middle_ranks(times);
    let n = ranks.len() as f64;
    let mean = 0.5 * (n - 1.0);
    let centered: Vec<f64> = ranks.iter().map(|rank| rank - mean).collect();
    let variance: f64 = centered.iter().map(|x| x * x).sum();
    if variance <= 0.0 {
        return None;
    }
    let correlation = |lag: usize| -> f64 {
        let products = centered.iter().zip(centered.iter().skip(lag)).map(|(a, b)| a * b);
        products.sum::<f64>() / variance
    };
    let terms = (1..=LAGS).map(|lag| {
        let r = correlation(lag);
        r * r / (n - lag as f64)
    });
    Some(chi_squared_survival(n * (n + 2.0) * terms.sum::<f64>()))
}

/// Returns the rank of each time, counted from 0. Equal times get the mean of their ranks.
fn middle_ranks(times: &[u64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&run| times[run]);
    let mut ranks = vec![0.0; times.len()];
    let mut below = 0;
    for equal in order.chunk_by(|&a, &b| times[a] == times[b]) {
        let middle = below as f64 + 0.5 * (equal.len() - 1) as f64;
        equal.iter().for_each(|&run| ranks[run] = middle);
        below += equal.len();
    }
    ranks
}

/// Returns P(χ² > x) for [`LAGS`] degrees of freedom. For an even number of degrees of freedom,
/// the probability is the finite sum e^(−x/2) Σ (x/2)^j/j! over j < LAGS/2.
fn chi_squared_survival(x: f64) -> f64 {
    let half = 0.5 * x;
    let (mut term, mut sum) = (1.0, 1.0);
    for j in 1..LAGS / 2 {
        term *= half / j as f64;
        sum += term;
    }
    (libm::exp(-half) * sum).min(1.0)
}
