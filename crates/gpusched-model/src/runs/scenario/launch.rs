//! What a program submits: kernels and copies, in streams of applications.

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::{BlockTime, DeviceShape, Need, at_least_one, is_default};
use crate::time::Time;
use crate::{Factor, positive_time};

/// A stream of one application: commands of one stream run one after the other.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Stream {
    /// The default (NULL) stream: its commands wait for all that the application submitted before, and all that it submits
    /// later waits for them ([Sanudo20] §II-C).
    Default,
    /// A stream that waits for no other.
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
    /// Its blocks go first wherever an SM becomes free.
    High,
    /// The priority of streams that ask for none.
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
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The position of its application.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Its stream.
    pub stream: Stream,
    /// The priority of its stream.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: StreamPriority,
    /// Thread blocks.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub blocks: u32,
    /// Threads of each block.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(range(min = 1))]
    pub threads: u32,
    /// Registers of each thread.
    #[serde(default, skip_serializing_if = "is_default")]
    pub registers: u32,
    /// Shared memory of each block [bytes].
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_memory: u32,
    /// The name of its configuration of L1 cache and shared memory; kernels with different ones do not run at the same time
    /// ([Sanudo20] §III-C2). Without, it runs under any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// The SMs it may use; without, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<Vec<u32>>,
    /// When it is submitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// How long its blocks take undisturbed.
    pub block_time: BlockTime,
    /// How much of the time of a block depends on memory, from 0 to 1: so much of it is subject to the factors of
    /// `interference`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_share: Option<Factor>,
    /// The memory bandwidth that each running block uses if it can [bytes per second].
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

impl Launch {
    /// A kernel in `stream`, launched at 0, that needs nothing but warps.
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

    /// The number of SMs that it may use of `device`.
    pub fn sms(&self, device: &DeviceShape) -> u32 {
        self.sms.as_ref().map_or(device.sms, |sms| sms.len() as u32)
    }

    /// How many of its blocks fit on these at a time, if they are empty.
    pub fn active_blocks(&self, device: &DeviceShape) -> u64 {
        let slots = Need::from(self).slots(&Need::of_sm(device));
        u64::from(self.sms(device)) * u64::from(slots.min(device.blocks_per_sm))
    }
}

/// What a copy engine does.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CopyKind {
    /// Copies memory.
    Memcpy,
    /// Fills memory.
    Memset,
}

/// A copy between host and device, or a memset, on a copy engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a copy: an object with \"stream\", \"kind\" and \"time\""
)]
pub struct Copy {
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The position of its application.
    #[serde(default, skip_serializing_if = "is_default")]
    pub application: usize,
    /// Its stream.
    pub stream: Stream,
    /// What it does.
    pub kind: CopyKind,
    /// How long it takes undisturbed.
    #[serde(deserialize_with = "positive_time")]
    pub time: Time,
    /// When it is submitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub launch: Time,
    /// Among commands of the same launch time: it is submitted after that many of the kernels in the list; without, after all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// The memory bandwidth that it uses if it can [bytes per second].
    #[serde(default, skip_serializing_if = "is_default")]
    pub bandwidth: u64,
}

/// How often an application stands in the runlist ([Sanudo20] §III-A); the numbers are ours.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApplicationPriority {
    /// Once.
    #[default]
    Low,
    /// Twice.
    Medium,
    /// Four times.
    High,
}

impl Application {
    /// The timeslice of an application that states none.
    pub const TIMESLICE: Time = Time::from_ns(2_000_000);
}

impl ApplicationPriority {
    /// Its slots in a round of the runlist.
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
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How long it may use the GPU at a stretch while others wait.
    #[serde(deserialize_with = "timeslice", default = "default_timeslice")]
    pub timeslice: Time,
    /// How often its turn comes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub priority: ApplicationPriority,
}

/// Where the application scheduler can interrupt an application.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SwitchBoundary {
    /// No further block starts; the next application has its turn when all running blocks have ended.
    #[default]
    Block,
    /// Running blocks are put aside at once and go on in the next turn.
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
