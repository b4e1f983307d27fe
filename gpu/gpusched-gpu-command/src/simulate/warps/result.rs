//! JSON form of a run on a sub-core.

use serde::Serialize;

use super::response::Guarantees;
use gpusched_model::Scheduler;
use gpusched_model::warp_scenario::WarpScenarioShape;
use gpusched_sim::warps::subcore::Record;

/// Result of a run on a sub-core: the warp that issued in each cycle, and the results of the
/// kernels.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpSimulation"))]
pub struct Answer<'a> {
    /// Name of the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Warp scheduler.
    scheduler: Scheduler,
    /// Results of the kernels, in the order of the scenario.
    kernels: Vec<KernelAnswer<'a>>,
    /// Whether the bounds of all kernels with a deadline are at most their deadlines; only with `--deadline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlines_met: Option<bool>,
    /// Warp that issued in each cycle, from cycle 0 to the last issue. An entry is null if no
    /// warp issued in the cycle.
    issue_order: &'a [Option<u8>],
}

/// Results of one kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpSimulationKernel"))]
struct KernelAnswer<'a> {
    /// Name of the kernel.
    name: &'a str,
    /// Issue budget of the kernel (`rt-paws`: priority), if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u32>,
    /// Launch time [cycle].
    launch: u64,
    /// Cycle of the first issued instruction.
    start: u64,
    /// Cycle after the last issued instruction.
    finish: u64,
    /// Time from launch to finish [cycles].
    response: u64,
    /// Number of issued instructions.
    instructions: u64,
    /// Upper bound on the response time for all launch times of the kernels [cycles]; only with `--bound` or `--deadline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<u64>,
    /// Deadline after the launch [cycles] (`--deadline`).
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<u64>,
}

impl<'a> Answer<'a> {
    /// Returns the JSON form of `record`, a run of the scenario `shape`.
    pub fn new(
        shape: &'a WarpScenarioShape,
        record: &'a Record,
        guarantees: Option<&Guarantees>,
    ) -> Answer<'a> {
        let kernels = shape.kernels.iter().zip(record.overview().kernels()).enumerate();
        let kernels = kernels.map(|(index, (kernel, found))| KernelAnswer {
            name: &kernel.name,
            budget: kernel.budget,
            launch: kernel.launch,
            start: found.start,
            finish: found.finish,
            response: found.finish - kernel.launch,
            instructions: found.instructions,
            bound: guarantees.map(|guarantees| guarantees.bounds[index]),
            deadline: guarantees.and_then(|guarantees| guarantees.deadlines[index]),
        });
        Answer {
            name: shape.name.as_deref(),
            scheduler: shape.scheduler,
            kernels: kernels.collect(),
            deadlines_met: guarantees.filter(|all| all.has_deadlines()).map(Guarantees::met),
            issue_order: record.order(),
        }
    }
}
