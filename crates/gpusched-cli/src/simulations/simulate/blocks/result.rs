//! JSON form of a run of `simulate blocks`.

use serde::Serialize;

use gpusched_model::scenario::{BlockScheduler, ScenarioShape};
use gpusched_model::time::Time;
use gpusched_sim::blocks::{BlockRecord, CopyRecord, KernelRecord, Record};

/// Result of `simulate blocks`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "BlockSimulation"))]
pub struct Answer<'a> {
    /// Name of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Mapping of blocks to SMs.
    block_scheduler: BlockScheduler,
    /// End of the run [ns].
    end_ns: Time,
    /// Results of the kernels, in the order of the scenario.
    kernels: &'a [KernelRecord],
    /// Results of the memory copies, in the order of the scenario.
    copies: &'a [CopyRecord],
    /// Results of the thread blocks, sorted by kernel, then by block number.
    blocks: &'a [BlockRecord],
}

impl<'a> Answer<'a> {
    /// Returns the JSON form of a run of the scenario `shape`. The run ended at `end`.
    pub fn new(shape: &'a ScenarioShape, end: Time, record: &'a Record) -> Answer<'a> {
        Answer {
            name: shape.name.as_deref(),
            block_scheduler: shape.block_scheduler,
            end_ns: end,
            kernels: &record.kernels,
            copies: &record.copies,
            blocks: &record.blocks,
        }
    }
}
