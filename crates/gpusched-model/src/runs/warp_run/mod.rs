//! A scenario of the warp level with full kernels: a machine, and the kernels that are launched on it.

mod check;
mod kernel;
mod sms;

pub use kernel::{KernelSource, RunKernel};
pub use sms::SmSet;

use serde::{Deserialize, Serialize, Serializer};

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use crate::{Machine, Scheduler};

/// Kernels on a GPU, simulated warp by warp.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "WarpRunShape")]
pub struct WarpRun {
    shape: WarpRunShape,
}

/// The same in the shape of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario: an object with \"machine\" and a list \"kernels\""
)]
#[schemars(rename = "WarpRun")]
pub struct WarpRunShape {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The GPU.
    pub machine: Machine,
    /// Which warp issues next; without, as the machine says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<Scheduler>,
    /// SMs that take part, whole clusters of them; the memory system is that of the whole machine. Without, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<u32>,
    /// How kernels share SMs; without, as the machine says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Whether the buffers of programs are in L2 at the start, as a copy to the GPU leaves them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub warm: bool,
    /// Whether launches take the time that the machine says.
    #[serde(default, skip_serializing_if = "is_no")]
    pub launch_latency: bool,
    /// The kernels. Their buffers are laid out one after the other in this order.
    pub kernels: Vec<RunKernel>,
}

/// How kernels share SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// Blocks of several kernels are on an SM together.
    Sm,
    /// An SM belongs to one kernel until it is empty.
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
    /// `kernel` alone on `machine`.
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

    /// The scheduler of the run.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler.unwrap_or(self.machine.sm.scheduler.into())
    }

    /// With another scheduler; budgets go if it has none.
    pub fn set_scheduler(&mut self, scheduler: Scheduler) {
        self.scheduler = Some(scheduler);
        if !scheduler.has_budgets() {
            self.kernels.iter_mut().for_each(|kernel| kernel.budget = None);
        }
    }

    /// The SMs that take part.
    pub fn sms(&self) -> u32 {
        self.sms.unwrap_or(self.machine.sms())
    }

    /// Whether blocks of several kernels may be on an SM together.
    pub fn shares_sms(&self) -> bool {
        let by_machine = self.machine.dispatch.share_sms;
        self.share.map_or(by_machine, |share| share == Share::Sm)
    }
}

impl WarpRun {
    /// The run of `shape`.
    ///
    /// # Errors
    /// [`Refusal`] for no kernels or more than the machine runs at a time, SMs that there are not, budgets that are
    /// missing or that the scheduler does not have, launches beyond the last cycle, and launches of traces that are not theirs.
    pub fn new(shape: WarpRunShape) -> Result<WarpRun, Refusal> {
        check::check(&shape)?;
        Ok(WarpRun { shape })
    }

    /// What the file says.
    pub fn shape(&self) -> &WarpRunShape {
        &self.shape
    }

    /// The same, to change it.
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
