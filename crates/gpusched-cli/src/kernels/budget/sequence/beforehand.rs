//! Schedulability test before a simulation. The test treats kernels as sporadic tasks with their
//! nominal WCETs.

use gpusched_analysis::schedulability::{Demand, test};
use gpusched_model::policy::{Policy, Preemption, Priorities, Strength};
use gpusched_model::time::Time;
use gpusched_model::{System, Verdict};
use gpusched_sim::regulation::sequence::Dispatch;

/// Tests whether every kernel meets its deadline for all release times. Each job of kernel i
/// takes at most `wcets[i]`. Returns `None` if no kernel has a deadline.
///
/// In the test, a kernel that is released only once has a period of 292 years.
pub fn verdict(system: &System, wcets: &[Time], dispatch: Dispatch) -> Option<Verdict> {
    system.kernels().iter().find_map(|task| task.deadline())?;
    let demands: Vec<Demand> = system
        .kernels()
        .iter()
        .zip(wcets)
        .map(|(task, &wcet)| {
            let deadline = task.deadline().unwrap_or(Time::LIMIT);
            Demand::new(wcet, task.period().unwrap_or(Time::LIMIT), deadline)
        })
        .collect();
    // The tests are exact for sporadic releases, but only sufficient for the releases of `system`.
    Some(Verdict {
        strength: Strength::Sufficient,
        ..test(policy(dispatch), &demands, 1)
    })
}

/// Returns the policy that dispatches kernels.
pub fn policy(dispatch: Dispatch) -> Policy {
    let priorities = |priorities| Policy::FixedPriority(Preemption::NonPreemptive, priorities);
    match dispatch {
        Dispatch::Fifo => Policy::NpFifo,
        Dispatch::NpEdf => Policy::NpEdf,
        Dispatch::NpFp => priorities(Priorities::DeadlineMonotonic),
        Dispatch::NpFpRm => priorities(Priorities::RateMonotonic),
        Dispatch::NpFpGiven => priorities(Priorities::Given),
    }
}
