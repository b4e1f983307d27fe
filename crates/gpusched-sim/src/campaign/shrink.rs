//! Greedy search for a small counterexample.

use gpusched_model::error::Result;

/// Returns the smallest counterexample found from `counterexample` in at most `attempts` attempts. `smaller` returns
/// candidates that are one step smaller, the most promising first, and `violates` checks a candidate.
///
/// # Errors
/// Fails if `violates` fails.
pub fn shrink<T>(
    mut counterexample: T,
    mut attempts: usize,
    smaller: impl Fn(&T) -> Vec<T>,
    violates: impl Fn(&T) -> Result<bool>,
) -> Result<T> {
    'search: loop {
        for candidate in smaller(&counterexample) {
            if attempts == 0 {
                break 'search;
            }
            attempts -= 1;
            if violates(&candidate)? {
                counterexample = candidate;
                continue 'search;
            }
        }
        return Ok(counterexample);
    }
    Ok(counterexample)
}
