//! Request to stop long computations early, for programs that call gpusched as a library.
//!
//! Long loops of gpusched call [`check`] regularly. After [`request`], `check` unwinds the stack with the payload
//! [`Interrupted`], and the program catches this payload with [`std::panic::catch_unwind`]. Destructors remove
//! unfinished output files. The panic hook is not called.

use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Payload with which [`check`] unwinds the stack.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interrupted;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Requests that all computations of this process stop.
pub fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Withdraws the request. Call this function when all interrupted computations have ended.
pub fn withdraw() {
    REQUESTED.store(false, Ordering::Relaxed);
}

/// Whether [`request`] was called. A parallel loop with many small items tests this value to end early, because
/// unwinding the stack for each item would take longer than the loop.
#[inline]
pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Unwinds the stack if [`request`] was called. Otherwise, the function does nothing.
#[inline]
pub fn check() {
    if is_requested() {
        panic::resume_unwind(Box::new(Interrupted));
    }
}

/// Flag that ends searches early.
static ENDS_SEARCHES: OnceLock<&'static AtomicBool> = OnceLock::new();

/// Lets every search with a limit end with its best result so far as soon as `flag` is true. Only the first call has an effect.
pub fn end_searches_on(flag: &'static AtomicBool) {
    ENDS_SEARCHES.get_or_init(|| flag);
}

/// Whether searches end now with their best results so far.
#[inline]
pub fn ends_searches() -> bool {
    ENDS_SEARCHES
        .get()
        .is_some_and(|flag| flag.load(Ordering::Relaxed))
}
