//! Interference models, which all tests, heuristics and memory budgets use.
//!
//! An [`InflatedWcet`] returns C(m) of a task, given its [`CoLocated`] tasks. [Singh21] assumes contention only between kernels of
//! the same kind in the same partition ([`Conflict`]). [`NoInterference`] assumes no contention, so its WCETs are the smallest.
//! Contention with *other partitions* for a shared memory does not inflate a WCET. [`bandwidth`] bounds the interference delay in
//! any window instead.

pub mod bandwidth;
mod co_located;
mod conflict;
mod inflated;
mod none;

pub use co_located::CoLocated;
pub use conflict::Conflict;
pub use inflated::InflatedWcet;
pub(crate) use inflated::kind_index;
pub use none::NoInterference;

pub use gpusched_model::Interference;

/// The model for contention inside a partition.
pub fn model_of(interference: Interference) -> &'static dyn InflatedWcet {
    match interference {
        Interference::Conflict | Interference::ConflictBandwidth => &Conflict,
        Interference::None | Interference::Bandwidth => &NoInterference,
    }
}
