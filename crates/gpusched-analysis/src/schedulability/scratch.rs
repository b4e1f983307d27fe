//! Reusable memory, so that inner loops need no allocation.

use std::cell::Cell;
use std::thread::LocalKey;

/// A spare vector per thread; declare it with `thread_local!`.
pub(super) type Spare<T> = LocalKey<Cell<Vec<T>>>;

/// Calls `work` on the `items` in a vector that is kept for the next call.
pub(super) fn with<T, R>(
    spare: &'static Spare<T>,
    items: impl Iterator<Item = T>,
    work: impl FnOnce(&mut [T]) -> R,
) -> R {
    // A nested call inside `work` finds an empty vector. This is slower, but correct.
    let mut buffer = spare.take();
    buffer.clear();
    buffer.extend(items);
    let result = work(&mut buffer);
    spare.set(buffer);
    result
}
