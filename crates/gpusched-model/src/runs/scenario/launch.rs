//! Commands that applications submit: kernels and copies in streams.

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{BlockTime, DeviceShape, Need, at_least_one, is_default};
use crate::Factor;
use crate::time::{Time, positive_time};

/// A stream of one application. The commands of one stream run one after another.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stream {
    /// The default (NULL) stream. A command in this stream starts after all earlier submissions of the application have
    /// ended. All later submissions wait for this command ([Sanudo20] §II-C).
    Default,
    /// A numbered stream. Commands in a numbered stream do not wait for commands in other
    /// numbered streams.
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Stream {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stream".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": u32::MAX}, {"const": "default"}]})
    }
}

/// The two priorities of streams ([Sanudo20] §III-B).
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StreamPriority {
    /// High priority: if an SM has room, blocks of high-priority streams start first.
    High,
    /// Low priority; the default.
    #[default]
    Low,
}

/// A kernel of a scenario, which runs once.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a kernel: an object with \"stream\", \"blocks\", \"threads\" and \"block_time\""
)]
pub struct Launch {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Position in `applications` of the application that submits the kernel; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Stream to which the application submits the kernel.
    pub stream: Stream,
    /// Priority of the stream.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: StreamPriority,
    /// Number of thread blocks.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub blocks: u32,
    /// Number of threads of each block.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub threads: u32,
    /// Number of registers of each thread; 0 by default. The ranking of SMs ignores the registers if a thread uses at
    /// most 32 registers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub registers: u32,
    /// Shared memory of each block [bytes]; 0 by default. The ranking of SMs ignores shared memory up to 3 KiB per
    /// block.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_memory: u32,
    /// Name of the configuration of L1 cache and shared memory. Two kernels with different configurations do not run at
    /// the same time ([Sanudo20] §III-C2). If the field is absent, the kernel runs under any configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// Numbers of the SMs that the kernel may use, ascending. The default is all SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<Vec<u32>>,
    /// Time when the application submits the kernel; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// Execution times of the blocks of the kernel without interference.
    pub block_time: BlockTime,
    /// Share of the block time that depends on memory, from 0 to 1; 0 by default. The slowdown factors of
    /// `interference` apply to this share. The factor `intra_sm` applies to the whole block time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_share: Option<Factor>,
    /// Memory bandwidth that each running block requests [bytes per second]; 0 by default. A block may receive less.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

impl Launch {
    /// Creates a kernel that an application submits to `stream` at time 0. The blocks of the
    /// kernel use no registers and no shared memory.
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

    /// Returns the number of blocks of the kernel that fit at the same time on its SMs, if no other kernel runs.
    pub fn active_blocks(&self, device: &DeviceShape) -> u64 {
        let slots = Need::from(self).slots(&Need::of_sm(device));
        u64::from(self.sms(device)) * u64::from(slots.min(device.blocks_per_sm))
    }
}

/// Operation of a copy engine.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CopyKind {
    /// Memcpy: copies memory.
    Memcpy,
    /// Memset: fills memory.
    Memset,
}

/// An operation of a copy engine: a copy between host and device, or a memset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a copy: an object with \"stream\", \"kind\" and \"time\""
)]
pub struct Copy {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Position in `applications` of the application that submits the copy; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Stream to which the application submits the copy.
    pub stream: Stream,
    /// Operation of the copy engine.
    pub kind: CopyKind,
    /// Execution time without interference; > 0.
    #[serde(deserialize_with = "positive_time")]
    pub time: Time,
    /// Time when the application submits the copy; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// Order of the copy among kernels with the same launch time. If the position of such a kernel in the list
    /// `kernels` is below `after`, the kernel precedes the copy. By default, all these kernels precede the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Memory bandwidth that the copy requests [bytes per second]; 0 by default. The copy may receive less.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

/// Number of slots of an application in each round of the runlist ([Sanudo20] §III-A). The
/// numbers of slots are an assumption of gpusched.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ApplicationPriority {
    /// Low priority: one slot in each round.
    #[default]
    Low,
    /// Medium priority: two slots in each round.
    Medium,
    /// High priority: four slots in each round.
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Maximum time for which the application uses the SMs continuously while other applications
    /// wait; at least 1 µs, 2 ms by default.
    #[serde(deserialize_with = "timeslice", default = "default_timeslice")]
    pub timeslice: Time,
    /// Priority of the application. The priority determines the number of slots in each round of
    /// the runlist.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: ApplicationPriority,
}

/// Points at which the application scheduler can interrupt an application.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SwitchBoundary {
    /// At block boundaries: no further block of the application starts. When all running blocks have ended, the next
    /// application runs.
    #[default]
    Block,
    /// At any instruction: the GPU suspends running blocks at once. The suspended blocks continue in the next turn of
    /// their application.
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
