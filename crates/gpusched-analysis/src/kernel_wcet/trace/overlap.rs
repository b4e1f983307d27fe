//! Number of blocks that run at the same time.

/// Largest number of blocks that run at one instant. A block that ends when another block starts does not overlap with it.
pub(super) fn overlap(starts: &[u64], durations: &[u64]) -> usize {
    debug_assert_eq!(starts.len(), durations.len(), "each block starts and ends");
    let mut begins = starts.to_vec();
    let mut ends: Vec<u64> = starts
        .iter()
        .zip(durations)
        .map(|(&start, &duration)| start.saturating_add(duration))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_counted() {
        assert_eq!(overlap(&[], &[]), 0);
        assert_eq!(overlap(&[0, 10, 20], &[10, 10, 10]), 1);
        assert_eq!(overlap(&[20, 0, 10], &[10, 11, 10]), 2);
        assert_eq!(overlap(&[0, 0, 0, 5], &[5, 9, 9, 1]), 3);
    }
}
