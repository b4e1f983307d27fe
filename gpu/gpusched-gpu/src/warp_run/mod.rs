//! Scenarios for the warp-level simulator: a simulated GPU and the kernels that run on it.

mod check;
mod client;
mod index_set;
mod kernel;

pub use client::{Access, MemoryClient, Order, RequestBudget};
pub use index_set::IndexSet;
pub use kernel::{KernelSource, Queue, RunKernel};

use serde::{Deserialize, Serialize, Serializer};

use crate::machine::Machine;
use gpusched_model::Refusal;
use gpusched_model::Scheduler;
use gpusched_model::reader::{Document, Fault, from_json};

/// Kernels that run on a simulated GPU in the warp-level simulator.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "WarpRunShape")]
pub struct WarpRun {
    shape: WarpRunShape,
}

/// A warp run as written in a JSON file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario: an object with \"machine\" and a list \"kernels\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "WarpRun"))]
pub struct WarpRunShape {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Simulated GPU.
    pub machine: Machine,
    /// Warp scheduler of the run. The default is the scheduler of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
    /// Number of SMs in the run, a multiple of the SMs per cluster; all SMs by default. The run always uses the memory
    /// system of the whole machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<u32>,
    /// Whether kernels may share an SM. The default is the rule of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Whether L2 contains the buffers of the programs when the run starts; true by default. A copy from the host to
    /// the GPU has this effect.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub warm: bool,
    /// Whether the simulation counts the launch latencies of the machine; false by default.
    #[serde(default, skip_serializing_if = "is_no")]
    pub launch_latency: bool,
    /// Whether all clocks restart when a kernel is launched on an idle GPU, as in GPGPU-Sim; false by default. After a
    /// restart, the first edges of the core, interconnect, L2 and DRAM clocks coincide.
    #[serde(default, skip_serializing_if = "is_no")]
    pub restart_clocks: bool,
    /// Kernels of the run. In memory, the buffers of the kernels follow each other in this order.
    pub kernels: Vec<RunKernel>,
    /// Memory clients, which access DRAM beside the kernels; none by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<MemoryClient>,
}

/// Rule for sharing SMs between kernels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// An SM can run blocks of several kernels at the same time.
    Sm,
    /// An SM runs blocks of one kernel at a time. Blocks of another kernel can start when the SM
    /// is empty.
    Spatial,
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}

fn is_no(value: &bool) -> bool {
    !*value
}

impl WarpRunShape {
    /// Creates a run of the single kernel `kernel` on `machine`.
    pub fn alone(machine: Machine, kernel: RunKernel) -> WarpRunShape {
        WarpRunShape {
            name: None,
            machine,
            scheduler: None,
            sms: None,
            share: None,
            warm: true,
            launch_latency: false,
            restart_clocks: false,
            kernels: vec![kernel],
            clients: Vec::new(),
        }
    }

    /// Returns the warp scheduler of the run.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler.unwrap_or(self.machine.sm.scheduler.into())
    }

    /// Sets another scheduler. If the scheduler has no issue budgets, the function removes the issue budgets of the
    /// kernels.
    pub fn set_scheduler(&mut self, scheduler: Scheduler) {
        self.scheduler = Some(scheduler);
        if !scheduler.has_budgets() {
            self.kernels.iter_mut().for_each(|kernel| kernel.budget = None);
        }
    }

    /// Returns the number of SMs in the run.
    pub fn sms(&self) -> u32 {
        self.sms.unwrap_or(self.machine.sms())
    }

    /// Returns whether an SM can run blocks of several kernels at the same time.
    pub fn shares_sms(&self) -> bool {
        let by_machine = self.machine.dispatch.share_sms;
        self.share.map_or(by_machine, |share| share == Share::Sm)
    }
}

impl WarpRun {
    /// Checks `shape` and creates the run.
    ///
    /// # Errors
    /// Fails for an empty list of kernels, for more kernels than the machine can run at the same
    /// time, and for SMs that do not exist. Also fails for launches after cycle
    /// [`MAX_CYCLES`](gpusched_model::warp_scenario::MAX_CYCLES) and for launch parameters of a kernel that is a trace. Also
    /// fails for a trace that repeats, and if all kernels repeat. Also
    /// fails for missing issue budgets and for issue budgets that the scheduler does not use. Also fails for DRAM
    /// channels or L2 ways that do not exist, or that two kernels share only in part. Also fails for invalid memory
    /// clients.
    pub fn new(shape: WarpRunShape) -> Result<WarpRun, Refusal> {
        check::check(&shape)?;
        Ok(WarpRun { shape })
    }

    /// Returns the fields of the run, as written in a JSON file.
    pub fn shape(&self) -> &WarpRunShape {
        &self.shape
    }

    /// Returns the fields of the run, so that the caller can change them.
    pub fn into_shape(self) -> WarpRunShape {
        self.shape
    }
}

impl Serialize for WarpRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shape.serialize(serializer)
    }
}

impl TryFrom<WarpRunShape> for WarpRun {
    type Error = Refusal;

    fn try_from(shape: WarpRunShape) -> Result<WarpRun, Refusal> {
        WarpRun::new(shape)
    }
}

impl Document for WarpRun {
    const EXPECTED: &str = "a scenario: an object such as {\"machine\":\"rtx2060\",\"kernels\":[…]}";

    fn from_json(text: &str) -> Result<WarpRun, Fault> {
        from_json::<WarpRunShape, _>(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for WarpRun {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        WarpRunShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WarpRunShape::json_schema(generator)
    }
}
