//! A run in JSON.

use serde::Serialize;

use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::model::scenario::{BlockScheduler, ScenarioShape};
use crate::simulator::blocks::{BlockRecord, CopyRecord, KernelRecord, Record};
use crate::time::Time;

/// Blocks that are written at a time.
const CHUNK: usize = 4096;

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

    /// Writes it on one line as the whole answer, the blocks by and by: their text is larger than they are.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, mut output: Output) -> Result<()> {
        let json = |value: Result<String, serde_json::Error>| {
            value.map_err(|cause| Error::io("-", "write", cause.into()))
        };
        output.sync()?;
        let frame = Answer { blocks: &[], ..*self };
        let frame = json(serde_json::to_string(&frame))?;
        output.write(frame.strip_suffix("]}").unwrap_or(&frame))?;
        for (index, chunk) in self.blocks.chunks(CHUNK).enumerate() {
            let list = json(serde_json::to_string(chunk))?;
            if index > 0 {
                output.write(",")?;
            }
            output.write(list.trim_start_matches('[').trim_end_matches(']'))?;
        }
        output.write("]}\n")?;
        output.finish()
    }
}
