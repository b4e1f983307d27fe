//! Simulation that computes the SM, the start and the end of each block of a scenario.

use gpusched_model::error::Result;
use gpusched_model::scenario::{BlockTime, Scenario, ScenarioShape};
use gpusched_model::time::Time;
use gpusched_sim::blocks::{Record, simulate};

/// Simulates one run and returns its record. The record lists blocks in the order of the scenario.
pub(super) fn run(shape: ScenarioShape, seed: u64) -> Result<Record> {
    let scenario = Scenario::new(shape)?;
    let mut record = Record::default();
    simulate(&scenario, seed, &mut record)?;
    record.sort();
    Ok(record)
}

/// Returns a long block time of 1 ms. All relevant blocks start before the first block ends.
pub(super) fn long() -> BlockTime {
    BlockTime::Fixed(Time::from_ns(1_000_000))
}
