//! Processor time. Wall-clock time is unreliable on a shared machine.

use std::time::Instant;

/// Returns the result of `work`, and the processor time of this thread that it took [ns]. Without Linux, this is the elapsed
/// time.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (start, before) = (Instant::now(), processor());
    let result = work();
    let time = match (before, processor()) {
        (Some(before), Some(after)) => (after - before) as f64,
        _ => start.elapsed().as_secs_f64() * 1e9,
    };
    (result, time)
}

/// Returns the processor time of this thread so far [ns], on Linux. The kernel updates it every few milliseconds.
fn processor() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
