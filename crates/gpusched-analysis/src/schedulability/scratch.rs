//! Memory that inner loops use again instead of allocating.

use std::cell::Cell;
use std::thread::LocalKey;

/// A spare vector of each thread; declare with `thread_local!`.
pub(super) type Spare<T> = LocalKey<Cell<Vec<T>>>;

/// `work` on the `items` in a vector that is kept for the next call.
pub(super) fn with<T, R>(
    spare: &'static Spare<T>,
    items: impl Iterator<Item = T>,
    work: impl FnOnce(&mut [T]) -> R,
) -> R {
    // A call within `work` finds an empty vector there: slower, not wrong.
    let mut buffer = spare.take();
    buffer.clear();
    buffer.extend(items);
    let result = work(&mut buffer);
    spare.set(buffer);
    result
}
