//! Inversion of the memory time function: computes the largest burst for a given memory time in a window ([Aghilinasab20] Eq. 7
//! for sync = 1, Algorithm 2 line 5).

/// Returns the largest burst b ≤ `period` with a memory time t_mem ≤ `memory` in a window of length `window` [ns].
///
/// The window begins together with a regulation period, and every period begins with a burst of length b. If the window is
/// P·`period` + r long, then t_mem = P·b + min(r, b). If `period` is 0, the result is 0.
pub fn largest_burst(memory: u64, window: u64, period: u64) -> u64 {
    let (Some(periods), Some(rest)) = (window.checked_div(period), window.checked_rem(period)) else {
        return 0;
    };
    let burst = match memory / (periods + 1) {
        short if short < rest => short,
        // If the burst is longer than `rest`, the end of the window cuts off the last burst after `rest`.
        _ => (memory - rest).checked_div(periods).unwrap_or(period),
    };
    burst.min(period)
}

/// Returns t_mem(t, b/T, 1) [ns], the memory time in a window of length t. The window begins together with a regulation period,
/// and every period begins with a burst of length b.
pub fn memory_time(burst: u64, window: u64, period: u64) -> u64 {
    let (periods, rest) = (window / period, window % period);
    periods * burst + rest.min(burst)
}
