//! GPUs and contexts that a recording describes.

use serde::Serialize;

/// A GPU of the recorded machine.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Gpu {
    /// Name as the profiler states it. The name may be empty.
    pub name: String,
    /// Number of SMs (NVIDIA) or compute units (AMD), or `null` if the file does not state it.
    pub sms: Option<u32>,
    /// Number of the GPU, as in the [streams](super::StreamKey) of its launches. `None` if the file does not link both.
    #[serde(skip)]
    pub device: Option<i64>,
    /// Identity of the GPU as the profiler states it. Absent if the file does not state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
}

/// A context on a GPU. CUDA green contexts reserve SMs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Number of the process, if the file states it.
    pub process: Option<i64>,
    /// Number of the GPU.
    pub device: i64,
    /// Number of the context, as in launches.
    pub id: i64,
    /// Number of the context that contains this green context.
    pub parent: Option<i64>,
    /// Whether this is a green context.
    pub green: bool,
    /// Number of SMs of a green context, or `None` if the file does not state it.
    pub sms: Option<u32>,
}
