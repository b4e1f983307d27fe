//! Test whether execution times rise or fall in the order of the runs: the Mann–Kendall test (Mann, Econometrica 13, 1945; Kendall,
//! Rank Correlation Methods, 1948), with the variance for equal times.
//!
//! A GPU that becomes warm, a falling clock frequency or a growing memory footprint causes a trend. Then the longest measured time
//! depends on the length of the measurement. The test assumes independent runs, so dependence between near runs can look like a trend.

use gpusched_model::normal::cdf;

/// Smallest number of runs for the normal approximation of the test.
const FEWEST: usize = 10;

/// Direction of a trend.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Later runs take longer.
    Rising,
    /// Later runs are faster.
    Falling,
}

/// Returns the direction of the trend in `times`, which are in the order of the runs, and the p-value of the test. Without a trend,
/// this or a stronger trend occurs with this probability.
///
/// Returns `None` for fewer than 10 runs, and if all times are equal.
pub fn trend(times: &[u64]) -> Option<(Direction, f64)> {
    if times.len() < FEWEST {
        return None;
    }
    let mut sorted = times.to_vec();
    let falling = inversions(&mut sorted);
    let pairs = |n: usize| n as u128 * n.saturating_sub(1) as u128 / 2;
    let equal: Vec<usize> = sorted.chunk_by(|a, b| a == b).map(<[u64]>::len).collect();
    let tied: u128 = equal.iter().copied().map(pairs).sum();
    let rising = pairs(times.len()).saturating_sub(tied).saturating_sub(falling);
    let term = |n: usize| {
        let n = n as f64;
        n * (n - 1.0) * (2.0 * n + 5.0)
    };
    let variance = (term(times.len()) - equal.iter().copied().map(term).sum::<f64>()) / 18.0;
    if variance <= 0.0 {
        return None;
    }
    // The correction for continuity moves S by 1 towards 0.
    let excess = (rising.abs_diff(falling) as f64 - 1.0).max(0.0);
    let p = (2.0 * cdf(-excess / variance.sqrt())).min(1.0);
    let direction = match rising >= falling {
        true => Direction::Rising,
        false => Direction::Falling,
    };
    Some((direction, p))
}

/// Sorts `times`, and returns the number of pairs whose earlier time is longer.
fn inversions(times: &mut [u64]) -> u128 {
    if times.len() < 2 {
        return 0;
    }
    let (first, second) = times.split_at_mut(times.len() / 2);
    let mut count = inversions(first) + inversions(second);
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut a, mut b) = (0, 0);
    while a < first.len() && b < second.len() {
        if first[a] <= second[b] {
            merged.push(first[a]);
            a += 1;
        } else {
            count += (first.len() - a) as u128;
            merged.push(second[b]);
            b += 1;
        }
    }
    merged.extend_from_slice(&first[a..]);
    merged.extend_from_slice(&second[b..]);
    times.copy_from_slice(&merged);
    count
}
