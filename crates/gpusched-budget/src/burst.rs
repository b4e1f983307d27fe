//! Inverts the memory time function. The result is the largest burst of best-effort cores for a given memory time in a
//! window ([Aghilinasab20] Eq. 7 for sync = 1, and Algorithm 2 line 5).

/// Returns the largest burst b ≤ `period` [ns]. With this burst, the memory time t_mem in a window of length `window`
/// is at most `memory`.
///
/// The window begins together with a regulation period. A burst is the memory time of best-effort cores at the start of
/// each regulation period. If the length of the window is P·`period` + r, then t_mem = P·b + min(r, b). If `period` is
/// 0, the result is 0.
pub fn largest_burst(memory: u64, window: u64, period: u64) -> u64 {
    let (Some(periods), Some(rest)) = (window.checked_div(period), window.checked_rem(period)) else {
        return 0;
    };
    let burst = match memory.checked_div(periods.saturating_add(1)).unwrap_or(0) {
        short if short < rest => short,
        // If the burst is longer than `rest`, the window ends during the last burst.
        _ => memory.saturating_sub(rest).checked_div(periods).unwrap_or(period),
    };
    burst.min(period)
}

/// Returns t_mem(t, b/T, 1), the memory time of best-effort cores in a window of length t [ns]. The window begins
/// together with a regulation period, and every regulation period begins with a burst of length b. If `period` is 0, the
/// result is the whole window.
pub fn memory_time(burst: u64, window: u64, period: u64) -> u64 {
    let (Some(periods), Some(rest)) = (window.checked_div(period), window.checked_rem(period)) else {
        return window;
    };
    periods.saturating_mul(burst).saturating_add(rest.min(burst))
}
