//! Random scenarios that are small enough to cover all events.

use gpusched::model::Scheduler;
use gpusched::model::warp_scenario::{LatencyInstruction, WarpKernel, WarpScenario, WarpScenarioShape};
use rand::seq::IndexedRandom as _;
use rand::{RngExt, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::num::NonZeroU32;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Generates kernels with budgets, although their scheduler may not use budgets.
pub fn kernels(rng: &mut impl RngExt, count: usize) -> Vec<WarpKernel> {
    let latest = *[0, 3, 12, 60].choose(rng).unwrap();
    let kernels = (0..count).map(|index| {
        let length = rng.random_range(1..=8);
        let latency = |_| {
            let latency = *[1, 1, 1, 1, 2, 2, 3, 5, 14].choose(rng).unwrap();
            LatencyInstruction {
                latency: NonZeroU32::new(latency).unwrap(),
            }
        };
        WarpKernel {
            program: (0..length).map(latency).collect(),
            name: format!("K{}", index + 1),
            warps: NonZeroU32::new(rng.random_range(1..=3)).unwrap(),
            launch: rng.random_range(0..=latest),
            budget: Some(rng.random_range(0..=4)),
        }
    });
    kernels.collect()
}

/// Returns the scenario of the kernels under `scheduler`.
pub fn scenario(scheduler: Scheduler, kernels: &[WarpKernel]) -> WarpScenario {
    let mut shape = WarpScenarioShape {
        name: None,
        scheduler: Scheduler::Qaws,
        kernels: kernels.to_vec(),
    };
    shape.set_scheduler(scheduler);
    WarpScenario::new(shape).unwrap()
}
