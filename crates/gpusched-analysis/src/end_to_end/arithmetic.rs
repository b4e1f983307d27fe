//! Saturating arithmetic. `INFINITE` means that there is no bound.

/// No bound. All sums and products saturate at this value.
pub(super) const INFINITE: u64 = u64::MAX;

/// Returns ⌈(`window` + `jitter`)/`period`⌉·`cost`: the work of a stream of jobs in a window.
pub(super) fn released(window: u64, (jitter, period, cost): (u64, u64, u64)) -> u64 {
    match jitter {
        INFINITE => INFINITE,
        _ => window
            .saturating_add(jitter)
            .div_ceil(period)
            .saturating_mul(cost),
    }
}

/// Returns (⌊(`window` + `jitter`)/`period`⌋ + 1)·`cost`: the work of all jobs of a stream that are released in a
/// window or exactly at its end.
pub(super) fn started(window: u64, (jitter, period, cost): (u64, u64, u64)) -> u64 {
    match jitter {
        INFINITE => INFINITE,
        _ => (window.saturating_add(jitter) / period)
            .saturating_add(1)
            .saturating_mul(cost),
    }
}

/// Maximum number of iterations for one window.
const STEPS: usize = 1_000_000;

/// Returns the least `window` ≥ `start` with `window` = `work`(`window`), for a monotone `work`. Returns [`INFINITE`]
/// if the window exceeds `limit`, or after too many iterations.
///
/// `start` must be at most the least fixed point. A valid `start` is the least fixed point of a function that never
/// exceeds `work`.
pub(super) fn least(start: u64, limit: u64, work: impl Fn(u64) -> u64) -> u64 {
    let mut window = start;
    for _ in 0..STEPS {
        if window > limit {
            return INFINITE;
        }
        let next = work(window).max(window);
        if next == window {
            return window;
        }
        window = next;
    }
    INFINITE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_saturation() {
        assert_eq!(released(10, (0, 5, 2)), 4);
        assert_eq!(started(10, (0, 5, 2)), 6);
        assert_eq!(released(1, (INFINITE, 5, 2)), INFINITE);
        assert_eq!(released(u64::MAX - 1, (7, 1, 2)), INFINITE);
        assert_eq!(least(3, 20, |window| 3 + released(window, (0, 10, 4))), 7);
        assert_eq!(least(3, 20, |window| window + 1), INFINITE);
    }
}
