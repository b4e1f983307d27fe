//! Where and when the blocks of a scenario run.

use gpusched_model::error::Result;
use gpusched_model::scenario::{BlockTime, Scenario, ScenarioShape};
use gpusched_model::time::Time;
use gpusched_sim::blocks::{Record, simulate};

/// The record of one run, in the order of the scenario.
pub(super) fn run(shape: ScenarioShape, seed: u64) -> Result<Record> {
    let scenario = Scenario::new(shape)?;
    let mut record = Record::default();
    simulate(&scenario, seed, &mut record)?;
    record.sort();
    Ok(record)
}

/// Blocks that run until all that matters has started: 1 ms.
pub(super) fn long() -> BlockTime {
    BlockTime::Fixed(Time::from_ns(1_000_000))
}
