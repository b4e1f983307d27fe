//! Commands that programs submit: kernels and copies in streams of applications.

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{BlockTime, DeviceShape, Need, at_least_one, is_default};
use crate::time::Time;
use crate::{Factor, positive_time};

/// A stream of one application. The commands of one stream run in sequence.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stream {
    /// The default (NULL) stream. Its commands wait for all earlier submissions of the application, and all later submissions
    /// wait for them ([Sanudo20] §II-C).
    Default,
    /// A numbered stream, which does not wait for other numbered streams.
    Numbered(u32),
}

impl Serialize for Stream {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Stream::Default => serializer.serialize_str("default"),
            Stream::Numbered(number) => serializer.serialize_u32(*number),
        }
    }
}

impl<'de> Deserialize<'de> for Stream {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stream, D::Error> {
        struct StreamVisitor;

        impl Visitor<'_> for StreamVisitor {
            type Value = Stream;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the number of a stream, or \"default\"")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Stream, E> {
                match name {
                    "default" => Ok(Stream::Default),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(name), &self)),
                }
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Stream, E> {
                let fits = u32::try_from(number);
                fits.map(Stream::Numbered)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
        }

        deserializer.deserialize_any(StreamVisitor)
    }
}

impl schemars::JsonSchema for Stream {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stream".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": u32::MAX}, {"const": "default"}]})
    }
}

/// The two priorities of streams ([Sanudo20] §III-B).
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Debug,
    Default,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum StreamPriority {
    /// High priority: the blocks start first when an SM has room.
    High,
    /// Low priority, the default.
    #[default]
    Low,
}

/// A kernel that is launched once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a kernel: an object with \"stream\", \"blocks\", \"threads\" and \"block_time\""
)]
pub struct Launch {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Position of the application of the kernel.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Stream of the kernel.
    pub stream: Stream,
    /// Priority of the stream.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: StreamPriority,
    /// Number of thread blocks.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub blocks: u32,
    /// Number of threads of each block.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub threads: u32,
    /// Registers of each thread. They count only if there are more than 32; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub registers: u32,
    /// Shared memory of each block [bytes]. It counts only above 3 KiB; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_memory: u32,
    /// Name of the configuration of L1 cache and shared memory. Kernels with different configurations do not run at the same
    /// time ([Sanudo20] §III-C2). If absent, the kernel runs under any configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// SMs that the kernel may use, ascending; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<Vec<u32>>,
    /// Time of submission; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// Execution time of its blocks without interference.
    pub block_time: BlockTime,
    /// Share of the block time that depends on memory, from 0 to 1. The factors of `interference` apply to this share; 0 by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_share: Option<Factor>,
    /// Memory bandwidth that each running block uses, if available [bytes per second]; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

impl Launch {
    /// Creates a kernel in `stream`, launched at 0, that needs only warps.
    pub fn new(stream: u32, blocks: u32, threads: u32, block_time: BlockTime) -> Launch {
        Launch {
            name: None,
            application: 0,
            stream: Stream::Numbered(stream),
            priority: StreamPriority::default(),
            blocks,
            threads,
            registers: 0,
            shared_memory: 0,
            cache: None,
            sms: None,
            launch: Time::ZERO,
            block_time,
            memory_share: None,
            bandwidth: 0,
        }
    }

    /// Returns the number of SMs of `device` that the kernel may use.
    pub fn sms(&self, device: &DeviceShape) -> u32 {
        self.sms.as_ref().map_or(device.sms, |sms| sms.len() as u32)
    }

    /// Returns the number of its blocks that fit on these SMs at a time, if the SMs are empty.
    pub fn active_blocks(&self, device: &DeviceShape) -> u64 {
        let slots = Need::from(self).slots(&Need::of_sm(device));
        u64::from(self.sms(device)) * u64::from(slots.min(device.blocks_per_sm))
    }
}

/// Operation of a copy engine.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CopyKind {
    /// Memcpy: copies memory.
    Memcpy,
    /// Memset: fills memory.
    Memset,
}

/// A copy between host and device, or a memset, on a copy engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a copy: an object with \"stream\", \"kind\" and \"time\""
)]
pub struct Copy {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Position of the application of the copy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Stream of the copy.
    pub stream: Stream,
    /// Operation.
    pub kind: CopyKind,
    /// Execution time without interference; > 0.
    #[serde(deserialize_with = "positive_time")]
    pub time: Time,
    /// Time of submission; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// Number of kernels in the list that are submitted before this copy, if launch times are equal. By default, the copy
    /// follows all kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Memory bandwidth that the copy uses, if available [bytes per second]; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

/// Slots of an application in each round of the runlist ([Sanudo20] §III-A). The numbers are an assumption of gpusched.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApplicationPriority {
    /// One slot.
    #[default]
    Low,
    /// Two slots.
    Medium,
    /// Four slots.
    High,
}

impl Application {
    /// Default timeslice of an application.
    pub const TIMESLICE: Time = Time::from_ns(2_000_000);
}

impl ApplicationPriority {
    /// Returns the number of slots in a round of the runlist.
    pub fn slots(self) -> u32 {
        match self {
            ApplicationPriority::Low => 1,
            ApplicationPriority::Medium => 2,
            ApplicationPriority::High => 4,
        }
    }
}

/// A process that uses the GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Longest continuous use of the SMs while other applications wait; at least 1 µs, 2 ms by default.
    #[serde(deserialize_with = "timeslice", default = "default_timeslice")]
    pub timeslice: Time,
    /// Priority of the application: its number of slots in each round of the runlist.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: ApplicationPriority,
}

/// Points where the application scheduler can interrupt an application.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SwitchBoundary {
    /// No further block starts. The next application gets its turn when all running blocks have ended.
    #[default]
    Block,
    /// Running blocks are suspended at once and continue in the next turn of the application.
    Instruction,
}

fn default_timeslice() -> Time {
    Application::TIMESLICE
}

fn timeslice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
    let time = positive_time(deserializer)?;
    match time.ns() >= 1000 {
        true => Ok(time),
        false => Err(D::Error::custom(format!("found {time}, expected at least 1us"))),
    }
}

impl From<&Launch> for Need {
    fn from(launch: &Launch) -> Need {
        Need::new(launch.threads, launch.registers, launch.shared_memory)
    }
}
