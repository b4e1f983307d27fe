//! Memory that partitions share.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Bandwidth, MemoryTime};

/// The memory that all partitions share. It is described by its guaranteed bandwidth and its arbitration, or by the
/// parameters of the memory time.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "Shape", try_from = "Shape")]
pub struct SharedMemory {
    /// B: guaranteed memory bandwidth [bytes per second]; > 0. B is the minimum throughput while requests are pending,
    /// over all request mixes. If `time` is present, B is 1 B/s.
    pub bandwidth: Bandwidth,
    /// Rule by which the memory divides its bandwidth among partitions.
    pub arbitration: Arbitration,
    /// Parameters of the memory time. `None` if the analysis counts bytes instead.
    pub time: Option<MemoryTime>,
}

/// A shared memory as written in a plan.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "SharedMemory"))]
struct Shape {
    /// B: guaranteed memory bandwidth [bytes per second]; > 0. B is the minimum throughput while requests are pending,
    /// over all request mixes. Absent if `memory_time` is present.
    #[serde(
        default,
        deserialize_with = "optional_positive",
        skip_serializing_if = "Option::is_none"
    )]
    bandwidth: Option<Bandwidth>,
    /// Rule by which the memory divides its bandwidth among partitions; `any` by default. Absent if `memory_time` is
    /// present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arbitration: Option<Arbitration>,
    /// Parameters of the memory time. Absent if `bandwidth` is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_time: Option<MemoryTime>,
}

impl SharedMemory {
    /// Unit of the analysis with memory times: 1 ns of memory time counts as 1 nano-byte at 1 byte per second.
    const OF_TIME: Bandwidth = Bandwidth::ONE;

    /// Creates a memory with the guaranteed bandwidth `bandwidth`.
    pub fn new(bandwidth: Bandwidth, arbitration: Arbitration) -> SharedMemory {
        SharedMemory {
            bandwidth,
            arbitration,
            time: None,
        }
    }
}

impl From<MemoryTime> for SharedMemory {
    fn from(time: MemoryTime) -> SharedMemory {
        SharedMemory {
            bandwidth: SharedMemory::OF_TIME,
            arbitration: Arbitration::Any,
            time: Some(time),
        }
    }
}

impl From<SharedMemory> for Shape {
    fn from(memory: SharedMemory) -> Shape {
        let counts_bytes = memory.time.is_none();
        Shape {
            bandwidth: counts_bytes.then_some(memory.bandwidth),
            arbitration: counts_bytes.then_some(memory.arbitration),
            memory_time: memory.time,
        }
    }
}

impl TryFrom<Shape> for SharedMemory {
    type Error = &'static str;

    fn try_from(shape: Shape) -> Result<SharedMemory, &'static str> {
        match (shape.bandwidth, shape.arbitration, shape.memory_time) {
            (Some(bandwidth), arbitration, None) => {
                Ok(SharedMemory::new(bandwidth, arbitration.unwrap_or_default()))
            }
            (None, None, Some(time)) if time.variation_percent > MemoryTime::MAX_VARIATION => {
                Err("memory_time.variation_percent: expected at most 1000")
            }
            (None, None, Some(time)) => Ok(time.into()),
            (None, _, None) => Err("found no `bandwidth`, expected `bandwidth` or `memory_time`"),
            _ => Err("found `memory_time` with `bandwidth` or `arbitration`, expected `memory_time` alone"),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SharedMemory {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Shape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Shape::json_schema(generator)
    }
}

/// Assumption about the memory arbiter. It matters if partitions together request more bandwidth than the memory has.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Arbitration {
    /// Any work-conserving arbiter.
    #[default]
    Any,
    /// Max-min fair arbiter: if a partition does not receive all the bandwidth that it requests, no other partition
    /// receives more than this partition.
    MaxMin,
}

/// Reads a bandwidth that must be positive.
pub(super) fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bandwidth, D::Error> {
    let bandwidth = Bandwidth::deserialize(deserializer)?;
    match bandwidth.bytes_per_second() {
        0 => Err(serde::de::Error::custom("found 0, expected a positive bandwidth")),
        _ => Ok(bandwidth),
    }
}

fn optional_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bandwidth>, D::Error> {
    positive(deserializer).map(Some)
}
