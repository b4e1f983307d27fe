//! How long a kernel takes alone, without simulating all of it: a few rounds of blocks on one SM stand for all.
//!
//! 1. *Equal SMs once.* Blocks are spread evenly, so one SM with as many blocks as the busiest has stands for all.
//! 2. *Equal rounds once.* On that SM some rounds of resident blocks are simulated, at least two; further rounds take as long as those
//!    after the first did on average.
//! 3. *Shared memory system.* The simulated SM has the memory to itself. If that takes `alone` cycles, and the sectors of
//!    all SMs alone would keep L2 busy for `memory` cycles at the rate it reaches, the kernel is said to take
//!    √(alone² + memory²): the larger of both where one dominates, more where both matter.
//!
//! An estimate, not a bound: no verdict may rest on it. `benches/warps.rs` says how far it is off.

use std::sync::Arc;

use super::gpu::{Failure, Launch, Results, Settings, run};
use crate::model::machine::Machine;

/// The share of the peak rate of L2 that kernels reach, in percent: 578 of 1048 GB/s is the most that the reference
/// measurements show (`saxpyl`, 120 blocks).
const REACHED_PERCENT: u128 = 55;

/// An estimate.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Core cycles of the kernel.
    pub cycles: u64,
    /// Core cycles if each SM had the memory system to itself.
    pub alone: u64,
    /// Core cycles for which the sectors of all SMs keep L2 busy.
    pub memory: u64,
    /// Blocks that were simulated.
    pub simulated_blocks: u64,
    /// The run behind it, with instructions and traffic of all blocks; blocks and stalls are those that were simulated.
    pub results: Results,
}

/// Estimates `kernel` alone on `machine` (or on `settings.sms` of its SMs) from `rounds` rounds of blocks, at least two.
///
/// # Errors
/// [`Failure`].
pub fn estimate(
    machine: &Machine,
    kernel: &Launch,
    settings: &Settings,
    rounds: u32,
) -> Result<Estimate, Failure> {
    let sms = u64::from(settings.sms.unwrap_or(machine.sms()).clamp(1, machine.sms()));
    let busiest = kernel.blocks.div_ceil(sms).max(1);
    let fit = u64::from(machine.blocks_per_sm(&kernel.need));
    let resident = busiest.min(fit).max(1);
    let simulated = busiest.min(resident.saturating_mul(u64::from(rounds.max(2))));
    let sample = Launch {
        name: kernel.name.clone(),
        blocks: simulated.min(kernel.blocks),
        need: kernel.need,
        at: 0,
        resident: Some(u32::try_from(resident).unwrap_or(u32::MAX)),
        budget: kernel.budget,
        // The first one, whatever else is in its cluster.
        sms: Some(vec![true]),
        source: Arc::clone(&kernel.source),
    };
    // An SM that shares a cluster would leave places free for its neighbour's share of the grid.
    let mut shape = machine.clone().into_shape();
    shape.sms_per_cluster = 1;
    let single = Machine::new(shape).map_err(|error| Failure::Unsupported {
        machine: machine.name.clone(),
        field: "sms_per_cluster",
        found: error.to_string(),
        expected: "what a machine can have",
    })?;
    let settings = Settings {
        sms: Some(1),
        record_issues: false,
        ..settings.clone()
    };
    let mut run = run(&single, &[sample], &settings)?;
    let mut ends: Vec<u64> = run.blocks.iter().map(|block| block.end).collect();
    ends.sort_unstable();
    let end = |blocks: u64| {
        ends.get((blocks as usize).saturating_sub(1))
            .copied()
            .unwrap_or(run.cycles)
    };
    let round = run.cycles.saturating_sub(end(resident));
    let rest = busiest - simulated;
    let further = u128::from(rest) * u128::from(round) / u128::from((simulated - resident).max(1));
    let alone = u128::from(run.cycles) + further;
    // One slice serves one sector per cycle of L2.
    let sectors =
        u128::from(run.traffic.l2_accesses) * u128::from(kernel.blocks) / u128::from(simulated.max(1));
    let clocks = &machine.clocks;
    let rate = u128::from(machine.memory.slices()) * u128::from(clocks.l2_khz) * REACHED_PERCENT;
    let memory = sectors * u128::from(clocks.core_khz) * 100 / rate;
    let narrow = |cycles: u128| u64::try_from(cycles).unwrap_or(u64::MAX);
    let both = alone
        .saturating_mul(alone)
        .saturating_add(memory.saturating_mul(memory))
        .isqrt();
    let cycles = narrow(both);
    run.scale(kernel.blocks, simulated.min(kernel.blocks), cycles);
    Ok(Estimate {
        cycles,
        alone: narrow(alone),
        memory: narrow(memory),
        simulated_blocks: simulated,
        results: run,
    })
}
