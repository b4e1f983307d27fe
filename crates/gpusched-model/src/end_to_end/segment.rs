//! Segments: the parts of a job, each on one resource.

use serde::{Deserialize, Serialize, Serializer};

use super::{Profile, Resource};
use crate::time::Time;
use crate::wcet::Form;
use crate::{Bandwidth, Bytes, Factor, Kind, WcetFunction};

/// A segment as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a segment: an object with \"on\" and \"wcet\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Segment"))]
pub struct SegmentDraft {
    /// Name of the core, copy engine or partition that executes the segment.
    pub on: String,
    /// WCET of the segment. On a partition, the WCET may be a function of the number of SMs. A copy may state `bytes`
    /// instead of `wcet`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::wcet::Written>"))]
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "written")]
    pub wcet: Option<WcetFunction>,
    /// BCET: minimum execution time of the segment; at most the WCET. The default is 0, which is safe.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub bcet: Option<Time>,
    /// Amount of data that a copy moves. Without `wcet`, the copy takes `bytes` divided by the bandwidth of its engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// Length of the longest thread block of a kernel; > 0. The default is the WCET. Only policies with preemption at
    /// thread-block boundaries (`lp-`) and time slices use this field. It has no effect under a positive budget.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub block: Option<Time>,
    /// Resource that a kernel mostly uses. If the field is absent, gpusched makes the safe assumption that the kernel
    /// contends with every kernel of its partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// V: maximum amount of data that one execution of the segment moves to and from memory. The default for a copy
    /// with `bytes` is twice `bytes`, because a copy reads and writes each byte. For all other segments, gpusched
    /// assumes the peak bandwidth during the whole WCET, which is safe. Only `--interference bandwidth` and
    /// `conflict+bandwidth` use this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// d: maximum memory bandwidth that the segment uses at any time, on any number of SMs. The default is the whole
    /// memory bandwidth, which is safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// e¹: WCET while best-effort cores access memory all the time; at least the WCET in isolation, which is `wcet`. Only in a
    /// system with `budgets`. A segment that never waits for memory states its WCET.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub e1: Option<Time>,
    /// σ: longest delay per nanosecond of memory accesses of best-effort cores; above 0, at most 1. The default is 1, which is
    /// safe. Only with `e1` or `contended_bandwidth`.
    #[serde(
        default,
        deserialize_with = "crate::numbers::factor::optional_share",
        skip_serializing_if = "Option::is_none"
    )]
    pub delay_rate: Option<Factor>,
    /// Thread blocks of a kernel, instead of `wcet`. Only in a system with `budgets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// Writes a constant WCET as one time, and any other WCET function as its form.
fn written<S: Serializer>(wcet: &Option<WcetFunction>, serializer: S) -> Result<S::Ok, S::Error> {
    match wcet.as_ref().map(WcetFunction::form) {
        Some(Form::Affine(pair)) if pair.isolated.a == Time::ZERO && pair.conflict.is_none() => {
            pair.isolated.b.serialize(serializer)
        }
        form => form.serialize(serializer),
    }
}

/// A segment whose resource and times are known. All times are in whole nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Resource that executes the segment.
    pub on: Resource,
    /// c: WCET [ns]; > 0.
    pub wcet: Time,
    /// c_min: BCET [ns]; at most the WCET.
    pub bcet: Time,
    /// Maximum time during which the segment cannot be preempted under an `lp-` policy [ns]; from 1 ns to the WCET.
    pub block: Time,
    /// V: maximum amount of data that one execution moves to and from memory; `None` if it is unknown.
    pub traffic: Option<Bytes>,
    /// d: maximum memory bandwidth that the segment uses at any time; `None` if it is unknown.
    pub bandwidth: Option<Bandwidth>,
}
