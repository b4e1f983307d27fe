//! Metric `occupancy`: the number of blocks of one kernel that fit on an SM ([Sanudo20] Eq. 1 and §III-C2).

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use crate::measures::limits::combinations;
use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::error::Result;
use gpusched_model::scenario::{Device, Need};

/// Counts the blocks that fit on an SM, for every combination of threads, registers and shared memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "OccupancyCase"))]
pub struct OccupancyParameters {
    /// GPU whose SM executes the blocks.
    platform: Device,
    /// Numbers of threads per block.
    threads: Vec<u32>,
    /// Numbers of registers per thread.
    #[serde(default = "zero")]
    registers: Vec<u32>,
    /// Amounts of shared memory per block [bytes].
    #[serde(default = "zero")]
    shared_memory: Vec<u32>,
}

fn zero() -> Vec<u32> {
    vec![0]
}

/// Maximum number of rows of one case.
const MAX_ROWS: usize = 100_000;

/// Checked parameters of this metric, ready to count blocks.
#[derive(Debug)]
pub struct Occupancy {
    parameters: OccupancyParameters,
}

impl Parameters for OccupancyParameters {
    const NAME: &'static str = "occupancy";
    const KEYS: &'static [&'static str] = &["threads", "registers", "shared_memory"];
    type Measure = Occupancy;

    fn prepare(self, _files: &mut Files) -> Result<Occupancy, Refusal> {
        if self.threads.is_empty() || self.threads.contains(&0) {
            let found = format!("{:?}", self.threads);
            return Err(Refusal::new("threads", found, "one or more positive numbers"));
        }
        for (field, list) in [
            ("registers", &self.registers),
            ("shared_memory", &self.shared_memory),
        ] {
            if list.is_empty() {
                return Err(Refusal::new(field, "an empty list", "at least one number"));
            }
        }
        let lengths = [&self.threads, &self.registers, &self.shared_memory].map(Vec::len);
        combinations(
            "",
            "combinations of threads, registers and shared memory",
            &lengths,
            MAX_ROWS,
        )?;
        Ok(Occupancy { parameters: self })
    }
}

impl Measure for Occupancy {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let parameters = &self.parameters;
        let device = parameters.platform.shape();
        let room = Need::of_sm(device);
        let mut rows = Vec::new();
        for &threads in &parameters.threads {
            for &registers in &parameters.registers {
                for &shared_memory in &parameters.shared_memory {
                    let need = Need::new(threads, registers, shared_memory);
                    let blocks = need.slots(&room).min(device.blocks_per_sm);
                    let of = Labels::of("threads", threads).with("registers", registers);
                    let of = of.with("shared_memory", shared_memory);
                    rows.push(of.row("blocks per SM", blocks, ""));
                }
            }
        }
        Ok(rows)
    }
}
