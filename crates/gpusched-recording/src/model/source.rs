//! The profiler that wrote a file.

use serde::Serialize;

/// A profiler.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Tool {
    /// NVIDIA Nsight Systems: an SQLite export, or reports of `nsys stats` in CSV.
    #[default]
    Nsys,
    /// NVIDIA Nsight Compute: the details page or the raw page in CSV.
    Ncu,
    /// Kineto, the profiler of PyTorch: a JSON trace, possibly compressed with gzip.
    Kineto,
    /// rocprof, rocprofv3 or Omniperf of AMD: CSV or JSON.
    Rocprof,
    /// trtexec of TensorRT: the JSON file of `--exportTimes`.
    Trtexec,
}

/// Origin of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Origin {
    /// Profiler that wrote the file.
    pub tool: Tool,
    /// Version of the profiler, or `null` if the file does not state it.
    pub version: Option<String>,
    /// Date when the recording started, in UTC: `YYYY-MM-DD`. Absent if the file does not state it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Version of the file format, or `null` if the file does not state it.
    pub schema: Option<String>,
    /// Kind of the file or report, for example `sqlite` or `cuda_gpu_trace`.
    pub report: &'static str,
}
