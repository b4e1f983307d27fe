//! How company stretches a WCET: the one abstraction that tests, heuristics and budgets speak.
//!
//! An [`InflatedWcet`] answers C(m) of a task given its [`CoLocated`]. [Singh21] assumes that only kernels of the same
//! kind in the same partition disturb each other ([`Conflict`]); [`NoInterference`] is the lower limit. What *other partitions* do
//! to one through the memory they share is no factor on a WCET but a bound on the time lost in any window: [`bandwidth`].

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

/// The model of that name for the company in a partition.
pub fn model_of(interference: Interference) -> &'static dyn InflatedWcet {
    match interference {
        Interference::Conflict | Interference::ConflictBandwidth => &Conflict,
        Interference::None | Interference::Bandwidth => &NoInterference,
    }
}
