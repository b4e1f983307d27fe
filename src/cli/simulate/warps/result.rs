//! A run in JSON.

use serde::Serialize;

use crate::model::Scheduler;
use crate::model::warp_scenario::WarpScenarioShape;
use crate::warp::subcore::Record;

/// Which warp issued in each cycle, and what became of the kernels.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpSimulation")]
pub struct Answer<'a> {
    /// The scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Which warp issued next.
    scheduler: Scheduler,
    /// In the order of the scenario.
    kernels: Vec<KernelAnswer<'a>>,
    /// The warp that issued in each cycle, from cycle 0 to the last issue; null where none did.
    issue_order: &'a [Option<u8>],
}

/// What became of a kernel.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "WarpSimulationKernel")]
struct KernelAnswer<'a> {
    /// Its name.
    name: &'a str,
    /// Its budget (`rt-paws`: priority), if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u32>,
    /// When it was launched [cycle].
    launch: u64,
    /// Its first issue [cycle].
    start: u64,
    /// The cycle after its last issue.
    finish: u64,
    /// From its launch to its finish [cycles].
    response: u64,
    /// What its warps issued.
    instructions: u64,
}

impl<'a> Answer<'a> {
    /// What happened in the scenario `shape`.
    pub fn new(shape: &'a WarpScenarioShape, record: &'a Record) -> Answer<'a> {
        let kernels = shape.kernels.iter().zip(record.overview().kernels());
        let kernels = kernels.map(|(kernel, found)| KernelAnswer {
            name: &kernel.name,
            budget: kernel.budget,
            launch: kernel.launch,
            start: found.start,
            finish: found.finish,
            response: found.finish - kernel.launch,
            instructions: found.instructions,
        });
        Answer {
            name: shape.name.as_deref(),
            scheduler: shape.scheduler,
            kernels: kernels.collect(),
            issue_order: record.order(),
        }
    }
}
