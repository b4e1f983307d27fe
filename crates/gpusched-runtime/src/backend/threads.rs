//! The threads of all partitions, which start together or not at all.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

use gpusched_model::error::{Error, Refusal, Result};

/// Field of an error about a thread that the system does not create.
pub(crate) const THREADS: &str = "threads";

/// Returns the error about a thread that the system does not create.
pub(crate) fn refused(cause: &io::Error) -> Refusal {
    Refusal::new(THREADS, cause, "a thread per partition, and two more")
}

/// The way of a thread to the common start.
pub struct Gate {
    index: usize,
    ready: Sender<usize>,
    origin: Receiver<u64>,
}

impl Gate {
    /// Reports that this thread is ready, and waits for all others. Returns the time of the first arrivals [ns]. A thread that ends before
    /// this call prevents the start of all threads, so everything that may fail comes before.
    ///
    /// # Errors
    /// Fails if the dispatchers do not start.
    pub fn wait(self) -> Result<u64> {
        let _ = self.ready.send(self.index);
        drop(self.ready);
        let none = |_| Error::Internal("the dispatchers ended before their start".to_owned());
        self.origin.recv().map_err(none)
    }
}

/// Time between two calls of the function that watches the threads.
const WATCH: Duration = Duration::from_millis(50);

/// Runs `serve` for each part in a thread of its own. If all threads are ready, `origin` returns the time of the first arrivals [ns], and
/// the threads start. `watch` runs from time to time until all threads have ended. Returns the results in the order of the parts.
///
/// # Errors
/// Fails if the system does not create a thread or if a thread ends before it is ready, and returns the error of `origin`. Then no thread
/// has started. Otherwise, returns the first error of a thread.
pub fn together<P: Send, R: Send>(
    parts: Vec<P>,
    serve: impl Fn(usize, P, Gate) -> Result<R> + Sync,
    origin: impl FnOnce() -> Result<u64>,
    watch: Option<&dyn Fn()>,
) -> Result<Vec<R>> {
    std::thread::scope(|scope| {
        let (ready, all) = channel();
        let mut starts = Vec::with_capacity(parts.len());
        let mut threads = Vec::with_capacity(parts.len());
        for (index, part) in parts.into_iter().enumerate() {
            let (start, origin) = sync_channel(1);
            let gate = Gate {
                index,
                ready: ready.clone(),
                origin,
            };
            let serve = &serve;
            // An error drops `starts`, so all earlier threads end.
            threads.push(spawn(scope, move || serve(index, part, gate))?);
            starts.push(start);
        }
        drop(ready);
        let panicked = |_| Error::Internal("the thread of a partition panicked".to_owned());
        // The list ends when each thread is ready or has ended.
        let ready: BTreeSet<usize> = all.iter().collect();
        if ready.len() < threads.len() {
            // The other threads end without a start, so their errors are no causes.
            drop(starts);
            let failed = (0..).zip(threads).filter(|(index, _)| !ready.contains(index));
            let mut errors = failed.filter_map(|(_, thread)| thread.join().map_err(panicked).flatten().err());
            let none = || Error::Internal("the thread of a partition ended before its start".to_owned());
            return Err(errors.next().unwrap_or_else(none));
        }
        let first = origin()?;
        for start in starts {
            let _ = start.send(first);
        }
        if let Some(watch) = watch {
            while !threads.iter().all(ScopedJoinHandle::is_finished) {
                watch();
                std::thread::sleep(WATCH);
            }
        }
        let ends = threads.into_iter();
        // All threads are joined before the first error.
        let ends: Vec<Result<R>> = ends
            .map(|thread| thread.join().map_err(panicked).flatten())
            .collect();
        ends.into_iter().collect()
    })
}

fn spawn<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    serve: impl FnOnce() -> R + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, R>> {
    let spawned = Builder::new().spawn_scoped(scope, serve);
    Ok(spawned.map_err(|cause| refused(&cause))?)
}
