//! Scenarios for one sub-core with abstract latencies. [Singh21] ch. 4 and [Singh22] §IV contain examples.
//! The scenarios in `tasksets/warps` reconstruct the figures of these papers from their text.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize, Serializer};

use crate::Refusal;
use crate::Scheduler;
use crate::reader::{Document, Fault, from_json};

/// Maximum number of warps of a sub-core.
pub const MAX_WARPS: u64 = 64;

/// Maximum cycle number of an event.
pub const MAX_CYCLES: u64 = 1_000_000_000_000;

/// Maximum number of instructions that all warps of a scenario issue together.
pub const MAX_INSTRUCTIONS: u64 = 100_000_000;

/// Kernels whose warps share one sub-core, which issues at most one instruction per cycle.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "WarpScenarioShape")]
pub struct WarpScenario {
    shape: WarpScenarioShape,
}

/// A warp scenario as written in a JSON file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario: an object with \"scheduler\" and a list \"kernels\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "WarpScenario"))]
pub struct WarpScenarioShape {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Warp scheduler of the sub-core.
    pub scheduler: Scheduler,
    /// Kernels of the scenario. The warps of all kernels are numbered from 0 in this order.
    pub kernels: Vec<WarpKernel>,
}

/// A kernel of a warp scenario, which runs once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a kernel: an object with \"name\", \"warps\" and \"program\""
)]
pub struct WarpKernel {
    /// Unique name of the kernel.
    pub name: String,
    /// Number of warps of the kernel on this sub-core.
    pub warps: NonZeroU32,
    /// First cycle when the warps of the kernel can issue instructions; 0 by default.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub launch: u64,
    /// Issue budget. Under `qaws` and its variants, the issue budget is the maximum number of warp switches in one turn.
    /// Under `rt-paws` and its variants, the issue budget is the priority: the maximum number of stalls that do not end
    /// a turn. Other schedulers do not allow this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Instructions that each warp of the kernel executes, in this order.
    pub program: Vec<LatencyInstruction>,
}

/// An instruction whose only property is its latency.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an instruction: an object such as {\"latency\":1}"
)]
pub struct LatencyInstruction {
    /// Latency: minimum time from the issue of this instruction to the issue of the next instruction of the same warp
    /// [cycles].
    pub latency: NonZeroU32,
}

impl WarpKernel {
    /// Returns the number of instructions that all warps of the kernel issue.
    pub fn instructions(&self) -> u64 {
        u64::from(self.warps.get()).saturating_mul(self.program.len() as u64)
    }
}

impl WarpScenarioShape {
    /// Sets another scheduler. If the scheduler has no issue budgets, the function removes the issue budgets of the
    /// kernels.
    pub fn set_scheduler(&mut self, scheduler: Scheduler) {
        self.scheduler = scheduler;
        if !scheduler.has_budgets() {
            self.kernels.iter_mut().for_each(|kernel| kernel.budget = None);
        }
    }
}

impl WarpScenario {
    /// Checks `shape` and creates the scenario.
    ///
    /// # Errors
    /// Fails for an empty list of kernels, equal names, empty programs, and launches after
    /// [`MAX_CYCLES`]. Also fails for missing issue budgets and for issue budgets that the
    /// scheduler does not use. Also fails above [`MAX_WARPS`] warps or [`MAX_INSTRUCTIONS`]
    /// instructions.
    pub fn new(shape: WarpScenarioShape) -> Result<WarpScenario, Refusal> {
        if shape.kernels.is_empty() {
            return Refusal::refuse("kernels", "none", "at least one kernel");
        }
        let mut names = BTreeSet::new();
        for (index, kernel) in shape.kernels.iter().enumerate() {
            let of = |field: &str| format!("kernels[{index}].{field}");
            if !names.insert(kernel.name.as_str()) {
                return Refusal::refuse(
                    of("name"),
                    format!("{:?} a second time", kernel.name),
                    "a unique name",
                );
            }
            if kernel.program.is_empty() {
                return Refusal::refuse(of("program"), "none", "at least one instruction");
            }
            if kernel.launch > MAX_CYCLES {
                return Refusal::refuse(of("launch"), kernel.launch, format!("at most cycle {MAX_CYCLES}"));
            }
            let scheduler = shape.scheduler;
            match (scheduler.has_budgets(), kernel.budget) {
                (true, None) => {
                    let expected = format!("an issue budget, which scheduler {scheduler} requires");
                    return Refusal::refuse(of("budget"), "none", expected);
                }
                (false, Some(found)) => {
                    let expected =
                        format!("no issue budget, because scheduler {scheduler} has no issue budgets");
                    return Refusal::refuse(of("budget"), found, expected);
                }
                _ => {}
            }
        }
        let sum = |of: fn(&WarpKernel) -> u64| shape.kernels.iter().map(of).fold(0, u64::saturating_add);
        let warps = sum(|kernel| kernel.warps.get().into());
        if warps > MAX_WARPS {
            let expected = format!("at most {MAX_WARPS} warps in total");
            return Refusal::refuse("kernels", format!("{warps} warps"), expected);
        }
        let instructions = sum(WarpKernel::instructions);
        if instructions > MAX_INSTRUCTIONS {
            let expected = format!("at most {MAX_INSTRUCTIONS} instructions");
            return Refusal::refuse(
                "kernels",
                format!("{instructions} instructions of all warps"),
                expected,
            );
        }
        Ok(WarpScenario { shape })
    }

    /// Returns the fields of the scenario, as written in a JSON file.
    pub fn shape(&self) -> &WarpScenarioShape {
        &self.shape
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Serialize for WarpScenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shape.serialize(serializer)
    }
}

impl TryFrom<WarpScenarioShape> for WarpScenario {
    type Error = Refusal;

    fn try_from(shape: WarpScenarioShape) -> Result<WarpScenario, Refusal> {
        WarpScenario::new(shape)
    }
}

impl Document for WarpScenario {
    const EXPECTED: &str = "a scenario: an object such as {\"scheduler\":\"gto\",\"kernels\":[…]}";

    fn from_json(text: &str) -> Result<WarpScenario, Fault> {
        from_json::<WarpScenarioShape, _>(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for WarpScenario {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        WarpScenarioShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WarpScenarioShape::json_schema(generator)
    }
}
