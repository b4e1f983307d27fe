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
pub(super) fn least(start: u64, limit: u64, mut work: impl FnMut(u64) -> u64) -> u64 {
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
