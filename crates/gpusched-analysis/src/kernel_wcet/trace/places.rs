//! The number of blocks that run at one time, computed from a trace.

use num_integer::gcd;

/// Returns a lower bound on the largest number of blocks that run at one time.
///
/// Because of rounding, the measured times of two blocks can overlap although one block ran after the other. If the
/// computed number is too large, a bound with this number is unsafe. So blocks that overlap by at most two ticks of the
/// clock do not count as overlapping.
pub(super) fn overlap(starts: &[u64], durations: &[u64]) -> usize {
    debug_assert_eq!(starts.len(), durations.len(), "each block starts and ends");
    let rounding = 2 * tick(starts).max(tick(durations));
    let mut begins = starts.to_vec();
    let mut ends: Vec<u64> = ends(starts, durations)
        .into_iter()
        .zip(starts)
        .map(|(end, &start)| end.saturating_sub(rounding).max(start))
        .collect();
    begins.sort_unstable();
    ends.sort_unstable();
    let (mut ended, mut most) = (0, 0);
    for (begun, &now) in begins.iter().enumerate() {
        while ends.get(ended).is_some_and(|&end| end <= now) {
            ended += 1;
        }
        most = most.max((begun + 1).saturating_sub(ended));
    }
    most
}

/// Returns the tick of the clock that measured `times` [ns]: the greatest common divisor of their
/// differences, and at least 1.
///
/// The differences of a small number of times can have a common divisor by chance. Then the computed tick is too long,
/// and the computed number of blocks may be too small. A bound with this number is pessimistic.
fn tick(times: &[u64]) -> u64 {
    let first = times.first().copied().unwrap_or(0);
    let steps = times.iter().map(|&time| time.abs_diff(first));
    steps.fold(0, gcd).max(1)
}

/// Returns the largest number M of active blocks that can explain the length of a run: length ≤ (Σvᵢ − v_max)/M + v_max
/// ([Aghilinasab20] Eq. 3 with the block times vᵢ of this run). With a larger M, a bound would be below the measured
/// length of this run. If the run has long pauses between its blocks, no M explains the run, and the result is 0.
pub(super) fn explained(starts: &[u64], durations: &[u64]) -> usize {
    let first = starts.iter().copied().min().unwrap_or(0);
    let last = ends(starts, durations).into_iter().max().unwrap_or(0);
    let longest = durations.iter().copied().max().unwrap_or(0);
    let work: u128 = durations.iter().map(|&duration| u128::from(duration)).sum();
    let rest = work.saturating_sub(u128::from(longest));
    match last.saturating_sub(first).saturating_sub(longest) {
        0 => usize::MAX,
        beyond => usize::try_from(rest / u128::from(beyond)).unwrap_or(usize::MAX),
    }
}

fn ends(starts: &[u64], durations: &[u64]) -> Vec<u64> {
    let both = starts.iter().zip(durations);
    both.map(|(&start, &duration)| start.saturating_add(duration))
        .collect()
}
