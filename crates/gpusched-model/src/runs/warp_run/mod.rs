//! A scenario of the warp level with full kernels: a simulated GPU and the kernels launched on it.

mod check;
mod kernel;
mod sms;

pub use kernel::{KernelSource, RunKernel};
pub use sms::SmSet;

use serde::{Deserialize, Serialize, Serializer};

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use crate::{Machine, Scheduler};

/// Kernels on a simulated GPU at the level of warps.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "WarpRunShape")]
pub struct WarpRun {
    shape: WarpRunShape,
}

/// A warp run in the shape of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario: an object with \"machine\" and a list \"kernels\""
)]
#[schemars(rename = "WarpRun")]
pub struct WarpRunShape {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Simulated GPU.
    pub machine: Machine,
    /// Warp scheduler; by default, the scheduler of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
    /// Number of SMs in the run, in whole clusters; all by default. The run keeps the memory system of the whole machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<u32>,
    /// Rule for sharing SMs between kernels; by default, the rule of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Whether the buffers of programs are in L2 at the start, as after a copy to the GPU; true by default.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub warm: bool,
    /// Whether launches take the latencies of the machine; false by default.
    #[serde(default, skip_serializing_if = "is_no")]
    pub launch_latency: bool,
    /// Kernels of the run. Their buffers follow one another in memory in this order.
    pub kernels: Vec<RunKernel>,
}

/// Rule for sharing SMs between kernels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// Blocks of several kernels can be on an SM at the same time.
    Sm,
    /// An SM runs blocks of one kernel until it is empty.
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
    /// Creates a run of `kernel` alone on `machine`.
    pub fn alone(machine: Machine, kernel: RunKernel) -> WarpRunShape {
        WarpRunShape {
            name: None,
            machine,
            scheduler: None,
            sms: None,
            share: None,
            warm: true,
            launch_latency: false,
            kernels: vec![kernel],
        }
    }

    /// Returns the warp scheduler of the run.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler.unwrap_or(self.machine.sm.scheduler.into())
    }

    /// Sets another scheduler. If it has no issue budgets, the kernels lose theirs.
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

    /// Whether blocks of several kernels may be on an SM at the same time.
    pub fn shares_sms(&self) -> bool {
        let by_machine = self.machine.dispatch.share_sms;
        self.share.map_or(by_machine, |share| share == Share::Sm)
    }
}

impl WarpRun {
    /// Checks `shape` and creates the run.
    ///
    /// # Errors
    /// Fails for no kernels or more than the machine runs at a time, SMs that do not exist, and launches after the last cycle.
    /// Also fails for missing issue budgets, budgets that the scheduler does not have, and launch fields of a trace.
    pub fn new(shape: WarpRunShape) -> Result<WarpRun, Refusal> {
        check::check(&shape)?;
        Ok(WarpRun { shape })
    }

    /// Returns the run in the shape of the file.
    pub fn shape(&self) -> &WarpRunShape {
        &self.shape
    }

    /// Returns the shape of the file, for changes.
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

impl schemars::JsonSchema for WarpRun {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        WarpRunShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WarpRunShape::json_schema(generator)
    }
}
