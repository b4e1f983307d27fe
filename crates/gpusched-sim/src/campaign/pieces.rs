//! Computation of many pieces of work on several threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;

/// Computes all `pieces` on the current threads of `rayon`. `accept` receives each result, one result at a time and in
/// any order. The computation stops at the first error and at an interrupt. `compute` also receives a function that
/// states whether the computation continues. If it does not continue, `compute` may return `None` before it has a result.
///
/// # Errors
/// Fails with the first error of `compute` or `accept`. Fails with [`Error::Internal`] if a caller withdrew an interrupt
/// before the end.
pub fn each<P: Sync, R>(
    pieces: &[P],
    compute: impl Fn(&P, &dyn Fn() -> bool) -> Result<Option<R>> + Sync,
    accept: impl FnMut(R) -> Result<()> + Send,
) -> Result<()> {
    let failed = AtomicBool::new(false);
    let goes_on = || !failed.load(Ordering::Relaxed) && !interrupt::is_requested();
    let state = Mutex::new((accept, Ok(pieces.len())));
    pieces.par_iter().with_max_len(1).for_each(|piece| {
        if !goes_on() {
            return;
        }
        let Some(result) = compute(piece, &goes_on).transpose() else {
            return;
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (accept, left) = &mut *state;
        if let Ok(pieces) = *left {
            *left = result.and_then(accept).map(|()| pieces - 1);
            failed.store(left.is_err(), Ordering::Relaxed);
        }
    });
    interrupt::check();
    let (_, left) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match left? {
        0 => Ok(()),
        _ => Err(Error::Internal("a computation did not end".to_owned())),
    }
}
