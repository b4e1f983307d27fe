//! Pipelined tasks: each segment is a thread with a queue of jobs. `docs/explanation/pipelines.md` has the equations and their
//! proofs.
//!
//! * `work`: work of streams and tasks in windows;
//! * `windows`: fixed priorities;
//! * `requests`: first in, first out.

mod requests;
mod windows;
mod work;

use super::queues::Preemption;
use super::streams::State;

pub(super) use requests::outstanding;
pub(super) use work::Work;

/// A bound above this multiple of the larger one of period and deadline is no bound.
pub(super) const LIMIT: u64 = 8;

/// A busy window above this multiple of the limit of bounds gives no bound.
const BUSY: u64 = 8;

/// A window with this number of jobs, or of steps, gives no bound.
const ACTIVATIONS: u64 = 10_000;

/// Returns R: bound on the time from the arrival of a job to the end of a segment of a pipelined task. `preemption` is `None`
/// under first in, first out. `here` has all segments on the resource.
pub(super) fn end(
    state: &State,
    own: (usize, usize),
    here: &[(usize, usize)],
    preemption: Option<Preemption>,
) -> u64 {
    match preemption {
        Some(preemption) => windows::end(state, own, preemption),
        None => requests::end(state, own, here),
    }
}
