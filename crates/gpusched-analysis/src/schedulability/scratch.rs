//! Reusable vectors, so that inner loops allocate no memory.

use std::cell::Cell;
use std::thread::LocalKey;

/// One vector per thread. Later calls reuse its memory. Declare it with `thread_local!`.
pub(super) type Spare<T> = LocalKey<Cell<Vec<T>>>;

/// Calls `work` on a vector of the `items`. The next call reuses the memory of the vector.
pub(super) fn with<T, R>(
    spare: &'static Spare<T>,
    items: impl Iterator<Item = T>,
    work: impl FnOnce(&mut [T]) -> R,
) -> R {
    // If `work` calls this function again, the inner call allocates a new vector. This allocation is slower, but
    // correct.
    let mut buffer = spare.take();
    buffer.clear();
    buffer.extend(items);
    let result = work(&mut buffer);
    spare.set(buffer);
    result
}
