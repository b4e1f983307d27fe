//! Scenarios for the block-level simulator ([Sanudo20]): a GPU, and the kernels and copies that applications submit.

mod block_time;
mod cpu;
mod device;
mod interference;
mod launch;
mod need;
mod profile;
mod same_sm;

pub use block_time::{BlockTime, BlockTimeForm, NormalTime};
pub use cpu::CpuTraffic;
pub use device::{Device, DeviceShape, MAX_SMS};
pub use interference::{Factors, InterferenceSetting};
pub use launch::{
    Application, ApplicationPriority, Copy, CopyKind, Launch, Stream, StreamPriority, SwitchBoundary,
};
pub use need::Need;
pub use profile::ProfileTime;
pub use same_sm::{GroupFactor, SameSm, Several};

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

use crate::Factor;
use crate::time::Time;

/// Maximum number of kernels and copies together in a scenario.
pub const MAX_COMMANDS: usize = 1_000_000;

/// Maximum number of thread blocks of all kernels of a scenario.
pub const MAX_BLOCKS: u64 = 1 << 32;

/// Maximum number of regulation periods before the last launch.
const MAX_PERIODS: u64 = 100_000_000;

/// Rule by which the block scheduler chooses an SM for a block.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum BlockScheduler {
    /// The scheduler chooses the SM that has room for the most blocks of the kernel ([Sanudo20] Eqs 2–4).
    #[default]
    Slots,
    /// The scheduler chooses the next SM with room, in cyclic order. Much of the literature assumes this rule.
    RoundRobin,
}

/// A valid scenario of the block-level simulator.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "ScenarioShape")]
pub struct Scenario {
    shape: ScenarioShape,
}

/// A scenario as written in a JSON file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a scenario: an object with \"platform\" and a list \"kernels\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Scenario"))]
pub struct ScenarioShape {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// GPU: the name of a platform preset, or the parameters of the GPU.
    pub platform: Device,
    /// Rule by which the block scheduler chooses an SM for a block.
    #[serde(default, skip_serializing_if = "is_default")]
    pub block_scheduler: BlockScheduler,
    /// Processes that use the GPU. Commands refer to a process by its position, from 0. The default is one process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<Application>,
    /// Points at which the application scheduler can interrupt an application.
    #[serde(default, skip_serializing_if = "is_default")]
    pub switch: SwitchBoundary,
    /// Interference between thread blocks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub interference: InterferenceSetting,
    /// Best-effort CPU cores that access memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuTraffic>,
    /// Kernels; at least one. Applications submit kernels with equal launch times in this order.
    pub kernels: Vec<Launch>,
    /// Copies and memsets. Applications submit copies with equal launch times in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Copy>,
}

impl ScenarioShape {
    /// Creates a scenario with the given GPU and kernels. All other fields have their defaults.
    pub fn new(platform: Device, kernels: Vec<Launch>) -> ScenarioShape {
        ScenarioShape {
            name: None,
            platform,
            block_scheduler: BlockScheduler::default(),
            applications: Vec::new(),
            switch: SwitchBoundary::default(),
            interference: InterferenceSetting::default(),
            cpu: None,
            kernels,
            copies: Vec::new(),
        }
    }
}

impl Scenario {
    /// Checks `shape` and creates the scenario.
    ///
    /// # Errors
    /// Fails if the blocks of a kernel do not fit on any SM, if an application or SM does not
    /// exist, or if a number exceeds its limit.
    pub fn new(shape: ScenarioShape) -> Result<Scenario, Refusal> {
        let commands = shape.kernels.len() + shape.copies.len();
        if shape.kernels.is_empty() {
            return Refusal::refuse(
                "kernels".to_owned(),
                "none".to_owned(),
                "at least one kernel".to_owned(),
            );
        }
        if commands > MAX_COMMANDS {
            let expected = format!("at most {MAX_COMMANDS} kernels and copies");
            return Refusal::refuse("kernels".to_owned(), commands.to_string(), expected);
        }
        let blocks: u64 = shape.kernels.iter().map(|kernel| u64::from(kernel.blocks)).sum();
        if blocks > MAX_BLOCKS {
            let expected = format!("at most {MAX_BLOCKS} thread blocks in total");
            return Refusal::refuse("kernels".to_owned(), blocks.to_string(), expected);
        }
        let applications = shape.applications.len().max(1);
        let application = |field: String, found: usize| match found < applications {
            true => Ok(()),
            false => {
                let expected = format!("a number below {applications}, the number of applications");
                Refusal::refuse(field, found.to_string(), expected)
            }
        };
        for (index, copy) in shape.copies.iter().enumerate() {
            let of = |field: &str| format!("copies[{index}].{field}");
            application(of("application"), copy.application)?;
            if copy.after.is_some_and(|after| after > shape.kernels.len()) {
                let expected = format!("at most {}, the number of kernels", shape.kernels.len());
                return Refusal::refuse(of("after"), format!("{:?}", copy.after.unwrap_or(0)), expected);
            }
        }
        for (index, kernel) in shape.kernels.iter().enumerate() {
            let of = |field: &str| format!("kernels[{index}].{field}");
            application(of("application"), kernel.application)?;
            check_resources(&shape.platform, kernel)
                .map_err(|(field, found, expected)| Refusal::new(of(field), found, expected))?;
            let clustered = kernel.block_time.profile().map(ProfileTime::blocks);
            if let Some(found) = clustered.filter(|&found| found != u64::from(kernel.blocks)) {
                let expected = format!(
                    "clusters with {} blocks in total, as `blocks` states",
                    kernel.blocks
                );
                return Refusal::refuse(
                    of("block_time.profile.clusters"),
                    format!("{found} blocks"),
                    expected,
                );
            }
        }
        if let Some(cpu) = &shape.cpu {
            cpu.check(&shape)?;
        }
        if shape.interference.bandwidth == Some(0) {
            let expected = "a positive number of bytes per second".to_owned();
            return Refusal::refuse("interference.bandwidth".to_owned(), "0".to_owned(), expected);
        }
        shape.interference.check(&shape.kernels)?;
        let latest = launches(&shape).max().unwrap_or(Time::ZERO);
        if latest > Time::LIMIT {
            return Refusal::refuse(
                "launch".to_owned(),
                latest.to_string(),
                format!("at most {}", Time::LIMIT),
            );
        }
        if let Some(cpu) = &shape.cpu {
            let periods = latest.ns() / cpu.regulation_period.ns().max(1);
            if periods > MAX_PERIODS {
                let expected =
                    format!("at most {MAX_PERIODS} regulation periods before the last launch at {latest}");
                return Refusal::refuse(
                    "cpu.regulation_period".to_owned(),
                    cpu.regulation_period.to_string(),
                    expected,
                );
            }
        }
        Ok(Scenario { shape })
    }

    /// Returns the fields of the scenario, as written in a JSON file.
    pub fn shape(&self) -> &ScenarioShape {
        &self.shape
    }
}

fn launches(shape: &ScenarioShape) -> impl Iterator<Item = Time> {
    let kernels = shape.kernels.iter().map(|kernel| kernel.launch);
    kernels.chain(shape.copies.iter().map(|copy| copy.launch))
}

/// Checks that a block of `kernel` fits on an SM, and that the SMs of the kernel exist.
fn check_resources(device: &Device, kernel: &Launch) -> Result<(), (&'static str, String, String)> {
    let figures = device.shape();
    if kernel.threads > figures.threads_per_sm {
        let expected = format!(
            "at most {}, the number of threads of an SM",
            figures.threads_per_sm
        );
        return Err(("threads", kernel.threads.to_string(), expected));
    }
    let (need, room) = (Need::from(kernel), Need::of_sm(figures));
    if kernel.registers > 255 || need.registers > room.registers {
        let found = format!(
            "{} registers per thread and {} registers per block",
            kernel.registers, need.registers
        );
        let expected = format!(
            "at most 255 registers per thread, and at most {} registers per block (the registers of an SM)",
            room.registers
        );
        return Err(("registers", found, expected));
    }
    if kernel.shared_memory > room.shared_memory {
        let expected = format!(
            "at most {}, the bytes of shared memory of an SM",
            room.shared_memory
        );
        return Err(("shared_memory", kernel.shared_memory.to_string(), expected));
    }
    if let Some(sms) = &kernel.sms {
        let sorted = sms.is_sorted_by(|a, b| a < b);
        if sms.is_empty() || !sorted || sms.last().is_some_and(|&last| last >= figures.sms) {
            let expected = format!("SM numbers in ascending order, each below {}", figures.sms);
            return Err(("sms", format!("{sms:?}"), expected));
        }
    }
    if let Some(share) = kernel.memory_share.filter(|share| *share > Factor::ONE) {
        let expected = "a number from 0 to 1".to_owned();
        return Err(("memory_share", share.to_string(), expected));
    }
    Ok(())
}

impl Serialize for Scenario {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shape.serialize(serializer)
    }
}

impl TryFrom<ScenarioShape> for Scenario {
    type Error = Refusal;

    fn try_from(shape: ScenarioShape) -> Result<Scenario, Refusal> {
        Scenario::new(shape)
    }
}

impl Document for Scenario {
    const EXPECTED: &str = "a scenario: an object such as {\"platform\":\"xavier\",\"kernels\":[…]}";

    fn from_json(text: &str) -> Result<Scenario, Fault> {
        from_json::<ScenarioShape, _>(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scenario {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        ScenarioShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ScenarioShape::json_schema(generator)
    }
}

/// Reads an integer that must be at least 1.
fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("found 0, expected a positive integer")),
        count => Ok(count),
    }
}

/// Returns whether `value` is the default. Files may omit default values.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
