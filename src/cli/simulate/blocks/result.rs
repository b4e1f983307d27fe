//! A run in JSON.

use serde::Serialize;

use crate::model::scenario::{BlockScheduler, ScenarioShape};
use crate::simulator::blocks::{BlockRecord, CopyRecord, KernelRecord, Record};
use crate::time::Time;

/// What ran where and when.
#[derive(Clone, Copy, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "BlockSimulation")]
pub struct Answer<'a> {
    /// The scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// How blocks were mapped to SMs.
    block_scheduler: BlockScheduler,
    /// When all had ended [ns].
    end_ns: Time,
    /// In the order of the scenario.
    kernels: &'a [KernelRecord],
    /// In the order of the scenario.
    copies: &'a [CopyRecord],
    /// By kernel, then by number.
    blocks: &'a [BlockRecord],
}

impl<'a> Answer<'a> {
    /// What ran in the scenario `shape` until `end`.
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
