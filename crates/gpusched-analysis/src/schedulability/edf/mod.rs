//! Earliest deadline first on one partition: processor-demand criterion with QPA, in integers.
//!
//! Sporadic tasks with arbitrary deadlines meet them iff U ≤ 1 and dbf(t) + B(t) ≤ t at every deadline t:
//! * [`preemptive`]: B = 0, exact (Baruah, Mok & Rosier, RTSS 1990);
//! * [`non_preemptive`]: B(t) = max {Cₖ − 1 : Dₖ > t}, exact (George, Rivierre & Spuri, INRIA RR-2966, 1996);
//! * [`limited`]: preemption at the boundaries of thread blocks, B(t) = max {bₖ − 1 : Dₖ > t}, and a charge for each
//!   preemption; safe.
//!
//! Release jitter J makes D to D' = D − J in all of this: the worst is that a job is released J after it arrived, and the
//! following ones on arrival. Jobs of one task are released in the order of their arrival.
//!
//! [`response_times`] are those of preemptive EDF.

mod blocking;
mod demand_bound;
mod interval;
pub mod limited;
mod lines;
pub mod non_preemptive;
pub mod preemptive;
mod qpa;
mod response_times;

pub use demand_bound::demand_bound;
pub use preemptive::{slack, test};
pub use response_times::response_times;

use std::cell::Cell;
use std::cmp::Ordering;

use super::{Demand, scratch};
use blocking::Blocking;
use gpusched_model::time::Time;
use gpusched_model::utilization::compare_total;
use gpusched_model::verdict::Evidence;
use interval::interval_to_check;
use qpa::Walk;

/// QPA or busy-period steps after which the test gives up as [`Evidence::Undecided`]; a step is O(n).
///
/// Reached only if U is 1, or next to 1, and the hyperperiod is astronomical: the problem is coNP-hard.
pub const STEP_LIMIT: u64 = 1_000_000;

/// What the processor-demand criterion says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Answer {
    /// The demand fits every interval: checked up to this length, beyond which it cannot fail.
    Fits(u64),
    /// The demand in an interval of length `interval` is larger.
    Exceeds { interval: u64, demand: u64 },
    /// U > 1.
    Overload,
    /// J ≥ D of this task.
    Jitter(usize),
    /// More than [`STEP_LIMIT`] steps.
    TooLong,
}

impl Answer {
    /// As evidence; `checked` is what QPA visited.
    fn evidence(self, checked: Vec<(Time, Time)>) -> Evidence {
        match self {
            Answer::Fits(interval) => Evidence::DemandWithinSupply {
                interval_ns: Time::from_ns(interval),
                checked,
            },
            Answer::Exceeds { interval, demand } => Evidence::DemandExceedsInterval {
                interval_ns: Time::from_ns(interval),
                demand_ns: demand,
            },
            Answer::Overload => Evidence::UtilizationAboveOne,
            Answer::Jitter(task) => Evidence::JitterExceedsDeadline { task },
            Answer::TooLong => Evidence::Undecided { steps: STEP_LIMIT },
        }
    }
}

/// The criterion for `tasks` without jitter under `blocking`; `visit` sees the intervals and demands that QPA looks at.
fn decide(tasks: &[Demand], blocking: Blocking, visit: impl FnMut(u64, u64)) -> Answer {
    let bound = interval::utilization_bound(tasks, blocking.most());
    // A bound exists only if U < 1.
    if bound.is_none() && utilization_against_one(tasks) == Ordering::Greater {
        return Answer::Overload;
    }
    if blocking.most() == 0 && tasks.iter().all(|task| task.deadline >= task.period) {
        // dbf(t) ≤ U·t ≤ t.
        return Answer::Fits(0);
    }
    match interval_to_check(tasks, blocking.most(), bound) {
        Some(interval) => match qpa::walk(tasks, 0, blocking, interval, visit) {
            Walk::Fits => Answer::Fits(interval),
            Walk::Exceeds { interval, demand } => Answer::Exceeds { interval, demand },
            Walk::TooLong => Answer::TooLong,
        },
        None => Answer::TooLong,
    }
}

/// Whether [`decide`] answers that the demand fits, from a short cut where there is one.
fn passes(tasks: &[Demand], blocking: Blocking) -> bool {
    if lines::fails_at_first_deadline(tasks, &blocking) {
        return false;
    }
    lines::answer(tasks, blocking)
        .unwrap_or_else(|| matches!(decide(tasks, blocking, |_, _| {}), Answer::Fits(_)))
}

fn utilization_against_one(tasks: &[Demand]) -> Ordering {
    let terms = tasks.iter().map(|task| (task.wcet.ns().into(), task.period.ns()));
    compare_total(terms, 1)
}

thread_local! {
    static RELEASED: Cell<Vec<Demand>> = const { Cell::new(Vec::new()) };
}

/// `work` on the tasks that have D − J for a deadline and no jitter; without it, the first task with J ≥ D.
fn without_jitter<R>(demands: &[Demand], work: impl FnOnce(&[Demand]) -> R) -> Result<R, usize> {
    if demands.iter().all(|demand| demand.jitter == Time::ZERO) {
        return Ok(work(demands));
    }
    let late = |demand: &Demand| demand.jitter >= demand.deadline && demand.wcet > Time::ZERO;
    if let Some(task) = demands.iter().position(late) {
        return Err(task);
    }
    let released = demands.iter().map(|demand| Demand {
        deadline: demand.deadline.checked_sub(demand.jitter).unwrap_or_default(),
        jitter: Time::ZERO,
        ..*demand
    });
    Ok(scratch::with(&RELEASED, released, |tasks| work(tasks)))
}
