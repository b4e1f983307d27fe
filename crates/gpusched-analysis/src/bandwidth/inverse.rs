//! The inverse of memory time: the largest burst with which the memory time of a window stays within a limit ([Aghilinasab20] Eq. 7
//! for sync = 1, Algorithm 2 line 5).

/// Returns the largest b ≤ `period` with t_mem ≤ `memory` in a window of length `window` [ns].
///
/// The window begins with a period, and every period begins with a burst of b. With `window` = P·`period` + r, t_mem = P·b + min(r,
/// b). A `period` of 0 has no bursts.
pub fn largest_burst(memory: u64, window: u64, period: u64) -> u64 {
    let (Some(periods), Some(rest)) = (window.checked_div(period), window.checked_rem(period)) else {
        return 0;
    };
    let burst = match memory / (periods + 1) {
        short if short < rest => short,
        // For a longer burst, the last period cuts it off after `rest`.
        _ => (memory - rest).checked_div(periods).unwrap_or(period),
    };
    burst.min(period)
}

/// Returns t_mem(t, b/T, 1) [ns]: memory time in a window that begins with a period, if every period begins with a burst.
pub fn memory_time(burst: u64, window: u64, period: u64) -> u64 {
    let (periods, rest) = (window / period, window % period);
    periods * burst + rest.min(burst)
}
