//! Sufficient tests on U' = Σ C/T', for preemptive scheduling.
//!
//! * [`density`] for EDF, with T' = min(T, D − J): dbf(t) ≤ t·Σ C/T';
//! * [`hyperbolic`] and [`liu_layland`] for fixed priorities in the order of T' = min(T, D) − J: the interference of a
//!   task, ⌈(w + J)/T⌉·C, is no larger than the ⌈w/T'⌉·C of a task without jitter and with period T', and who meets T'
//!   after the latest release meets D after the arrival.
//!
//! With D > T the two T' differ: two releases may be T − J apart, which fixed priorities feel and the demand bound, whose
//! jobs count from their deadlines, does not.

mod density;
mod hyperbolic;
mod liu_layland;

pub use density::density;
pub use hyperbolic::hyperbolic;
pub use liu_layland::liu_layland;

use super::Demand;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// min(T, D) − J [ns]; `None` if that is not positive.
fn least_separation(demand: &Demand) -> Option<u64> {
    let shorter = demand.period.min(demand.deadline).checked_sub(demand.jitter)?;
    (shorter > Time::ZERO).then_some(shorter.ns())
}

/// The first task with work and J ≥ D.
fn late_release(demands: &[Demand]) -> Option<Evidence> {
    let late = |demand: &Demand| demand.jitter >= demand.deadline && demand.wcet > Time::ZERO;
    let task = demands.iter().position(late)?;
    Some(Evidence::JitterExceedsDeadline { task })
}

/// The evidence of a bound that `holds`, or does not.
fn bound(holds: bool) -> Evidence {
    if holds {
        Evidence::BoundHolds
    } else {
        Evidence::BoundExceeded
    }
}
