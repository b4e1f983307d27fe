//! Guarantee: `optimal` finds the fewest SMs, and no lower bound exceeds a plan. Every plan of a
//! search for few SMs proves schedulability, and `verify` confirms only valid bounds.

mod bounds;
mod claims;
pub mod exhaustive;
mod gap;
mod knapsack;
mod optimum;
mod prices;
mod refusals;
mod searches;

use gpusched::interference::Interference;
use gpusched::model::policy::{Preemption, Priorities};
use gpusched::model::{Policy, TaskSet};
use rand::{Rng, RngExt};

/// All sustainable tests.
const POLICIES: [Policy; 14] = [
    Policy::Edf,
    Policy::NpEdf,
    Policy::LpEdf,
    Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::RateMonotonic),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::Given),
    Policy::FixedPriority(Preemption::Preemptive, Priorities::Audsley),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::Limited, Priorities::DeadlineMonotonic),
    Policy::Density,
    Policy::Hyperbolic,
    Policy::LiuLayland,
    Policy::WorkCapacity,
    Policy::WorkCapacityDeadline,
];

struct Case {
    set: TaskSet,
    sms: u32,
    policy: Policy,
    interference: Interference,
}

/// Generates a case with at most `most` tasks.
fn case(rng: &mut impl Rng, policy: Policy, most: usize) -> Case {
    let sms = rng.random_range(1..=12);
    let n = rng.random_range(1..=most);
    let load = rng.random_range(0.1..0.9) * f64::from(sms);
    let set = crate::oracle::random_sets::known_alone(rng, n, load);
    Case {
        set: match policy.counts_blocks() {
            true => with_blocks(rng, &set),
            false => set,
        },
        sms,
        policy,
        interference: [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.25))],
    }
}

/// Returns `set` with a longest thread block for most tasks. A task without a longest block runs without preemption.
fn with_blocks(rng: &mut impl Rng, set: &TaskSet) -> TaskSet {
    let mut json = serde_json::to_value(set).unwrap();
    for task in json["tasks"].as_array_mut().unwrap() {
        if rng.random_bool(0.8) {
            let period = task["period"].as_u64().unwrap();
            task["block"] = rng.random_range(1..=period / 10 + 1).into();
        }
    }
    serde_json::from_value(json).unwrap()
}
