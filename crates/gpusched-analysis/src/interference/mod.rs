//! Interference models. All schedulability tests, partitioning heuristics and memory bandwidth
//! budgets use these models.
//!
//! An [`InflatedWcet`] returns C(m), the WCET of a task on m SMs with its [`CoLocated`] tasks.
//! [`Conflict`] assumes that only kernels of the same kind in the same partition contend with
//! each other ([Singh21]). [`NoInterference`] assumes no contention, so its WCETs are the
//! smallest. Contention for memory with *other partitions* does not inflate a WCET. Instead,
//! [`bandwidth`] bounds the interference delay in any window.

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

/// Returns the interference model for contention inside a partition.
pub fn model_of(interference: Interference) -> &'static dyn InflatedWcet {
    match interference.counts_conflicts() {
        true => &Conflict,
        false => &NoInterference,
    }
}
