//! The inverse of memory time: the largest burst that leaves no more than some memory time in a window
//! ([Aghilinasab20] Eq. 7 for sync = 1, Algorithm 2 line 5).

/// The largest b ≤ `period` with t_mem ≤ `memory` in a window of length `window` that begins with a period, if every period
/// begins with a burst of b; all in ns.
///
/// t_mem = P·b + min(r, b) with `window` = P·`period` + r. A `period` of 0 has no bursts.
pub fn largest_burst(memory: u64, window: u64, period: u64) -> u64 {
    let (Some(periods), Some(rest)) = (window.checked_div(period), window.checked_rem(period)) else {
        return 0;
    };
    let burst = match memory / (periods + 1) {
        short if short < rest => short,
        // A longer one: the last period cuts it off after `rest`.
        _ => (memory - rest).checked_div(periods).unwrap_or(period),
    };
    burst.min(period)
}

/// t_mem(t, b/T, 1): memory time in a window that begins with a period, if every period begins with a burst; all in ns.
pub fn memory_time(burst: u64, window: u64, period: u64) -> u64 {
    let (periods, rest) = (window / period, window % period);
    periods * burst + rest.min(burst)
}
