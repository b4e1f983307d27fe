//! Non-preemptive EDF: a task set is schedulable iff U ≤ 1 and dbf(t) + max {Cₖ − 1 : Dₖ > t} ≤ t
//! at every deadline t. The test is exact (George, Rivierre & Spuri, INRIA RR-2966, 1996; Jeffay,
//! Stanat & Martel, RTSS 1991, for D = T).
//!
//! The test assumes that no running kernel is preempted. It also assumes that the partition is never idle while a
//! kernel waits.

use super::blocking::Blocking;
use super::criterion::{Answer, decide, passes, without_jitter};
use crate::schedulability::Demand;
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Tests whether all jobs meet their deadlines under non-preemptive EDF.
pub fn test(demands: &[Demand]) -> Evidence {
    let mut checked = Vec::new();
    answer(demands, |t, demand| {
        checked.push((Time::from_ns(t), Time::from_ns(demand)));
    })
    .evidence(checked)
}

/// Returns whether [`test`] finds that all jobs meet their deadlines. The function creates no
/// evidence.
pub fn accepts(demands: &[Demand]) -> bool {
    without_jitter(demands, |tasks| {
        passes(tasks, Blocking::new(tasks, Demand::blocking))
    })
    .unwrap_or(false)
}

fn answer(demands: &[Demand], visit: impl FnMut(u64, u64)) -> Answer {
    without_jitter(demands, |tasks| {
        decide(tasks, Blocking::new(tasks, Demand::blocking), visit)
    })
    .unwrap_or_else(Answer::Jitter)
}
