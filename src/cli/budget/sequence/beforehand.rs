//! What a schedulability test says beforehand: kernels as sporadic tasks that take their nominal WCETs.

use crate::model::policy::{Policy, Preemption, Priorities, Strength};
use crate::model::{System, Verdict};
use crate::schedulability::{Demand, test};
use crate::simulator::regulation::sequence::Dispatch;
use crate::time::Time;

/// Whether all deadlines are met if kernel i takes at most `wcets[i]`, whenever it is released; `None` without a deadline.
///
/// First in, first out is EDF for equal relative deadlines: with the smallest of all, it is a sufficient test. A kernel that is
/// released once is one that comes again in 292 years.
pub fn verdict(system: &System, wcets: &[Time], dispatch: Dispatch) -> Option<Verdict> {
    let least = system.kernels().iter().filter_map(|task| task.deadline()).min()?;
    let demands: Vec<Demand> = system
        .kernels()
        .iter()
        .zip(wcets)
        .map(|(task, &wcet)| {
            let deadline = match dispatch {
                Dispatch::Fifo => least,
                _ => task.deadline().unwrap_or(Time::LIMIT),
            };
            Demand::new(wcet, task.period().unwrap_or(Time::LIMIT), deadline)
        })
        .collect();
    let priorities = |priorities| Policy::FixedPriority(Preemption::NonPreemptive, priorities);
    let policy = match dispatch {
        Dispatch::Fifo | Dispatch::NpEdf => Policy::NpEdf,
        Dispatch::NpFp => priorities(Priorities::DeadlineMonotonic),
        Dispatch::NpFpRm => priorities(Priorities::RateMonotonic),
        Dispatch::NpFpGiven => priorities(Priorities::Given),
    };
    // The exact tests are exact for sporadic releases, not for these.
    Some(Verdict {
        strength: Strength::Sufficient,
        ..test(policy, &demands, 1)
    })
}
