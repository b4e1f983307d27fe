//! GPU partitions and their policies.

use serde::{Deserialize, Serialize};

use super::{ContextDraft, Idle};
use crate::time::Time;

/// Scheduling rule for the kernels of a GPU partition. A partition executes one kernel at a time.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum PartitionPolicy {
    /// First in, first out, without preemption.
    NpFifo,
    /// Fixed priorities (`gpu_priority`), without preemption.
    NpFp,
    /// Fixed priorities (`gpu_priority`), with immediate preemption.
    Fp,
    /// Fixed priorities (`gpu_priority`), with preemption at the boundaries of thread blocks.
    LpFp,
    /// Earliest deadline first, with immediate preemption.
    Edf,
    /// Earliest deadline first, without preemption.
    NpEdf,
    /// Earliest deadline first, with preemption at the boundaries of thread blocks.
    LpEdf,
}

/// Scheduling rule of a GPU partition in a file.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum DraftPolicy {
    /// First in, first out, without preemption.
    NpFifo,
    /// Fixed priorities (`gpu_priority`), without preemption.
    NpFp,
    /// Fixed priorities (`gpu_priority`), with immediate preemption.
    Fp,
    /// Fixed priorities (`gpu_priority`), with preemption at the boundaries of thread blocks.
    LpFp,
    /// Earliest deadline first, with immediate preemption.
    Edf,
    /// Earliest deadline first, without preemption.
    NpEdf,
    /// Earliest deadline first, with preemption at the boundaries of thread blocks.
    LpEdf,
    /// The `contexts` of the partition take turns. Each context has a policy for its kernels.
    TimeSliced,
}

impl DraftPolicy {
    /// Returns the rule for the kernels of the partition; `None` if its contexts take turns.
    pub const fn of_kernels(self) -> Option<PartitionPolicy> {
        Some(match self {
            DraftPolicy::NpFifo => PartitionPolicy::NpFifo,
            DraftPolicy::NpFp => PartitionPolicy::NpFp,
            DraftPolicy::Fp => PartitionPolicy::Fp,
            DraftPolicy::LpFp => PartitionPolicy::LpFp,
            DraftPolicy::Edf => PartitionPolicy::Edf,
            DraftPolicy::NpEdf => PartitionPolicy::NpEdf,
            DraftPolicy::LpEdf => PartitionPolicy::LpEdf,
            DraftPolicy::TimeSliced => return None,
        })
    }
}

impl From<PartitionPolicy> for DraftPolicy {
    fn from(policy: PartitionPolicy) -> DraftPolicy {
        match policy {
            PartitionPolicy::NpFifo => DraftPolicy::NpFifo,
            PartitionPolicy::NpFp => DraftPolicy::NpFp,
            PartitionPolicy::Fp => DraftPolicy::Fp,
            PartitionPolicy::LpFp => DraftPolicy::LpFp,
            PartitionPolicy::Edf => DraftPolicy::Edf,
            PartitionPolicy::NpEdf => DraftPolicy::NpEdf,
            PartitionPolicy::LpEdf => DraftPolicy::LpEdf,
        }
    }
}

/// A GPU partition as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a partition: an object with \"name\", \"sms\" and \"policy\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "SystemPartition"))]
pub struct PartitionDraft {
    /// Name of the partition. The names of all resources differ.
    pub name: String,
    /// Number of SMs; at least 1. If the field is absent, `gpusched partition` chooses the number of SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<u32>,
    /// Scheduling rule of the partition.
    pub policy: DraftPolicy,
    /// θ: time to switch to another context [ns]. Required with the policy `time-sliced`.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub switch: Option<Time>,
    /// Contexts that take turns; only with the policy `time-sliced`. Segments name a context, not the partition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<ContextDraft>,
    /// Names of contexts in the order of their turns; the order of `contexts` by default. A name may occur several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runlist: Option<Vec<String>>,
    /// Turns of contexts without kernels; `skip` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
}

impl PartitionDraft {
    /// Creates a partition without time slices.
    pub fn new(name: impl Into<String>, sms: Option<u32>, policy: PartitionPolicy) -> PartitionDraft {
        PartitionDraft {
            name: name.into(),
            sms,
            policy: policy.into(),
            switch: None,
            contexts: Vec::new(),
            runlist: None,
            idle: None,
        }
    }
}

/// A GPU partition: SMs that execute one kernel at a time. A context of a time-sliced partition is also a partition. It
/// executes only during its turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// Name of the partition.
    pub name: String,
    /// Number of SMs; at least 1. The contexts of a time-sliced partition share these SMs.
    pub sms: u32,
    /// Scheduling rule of the partition.
    pub policy: PartitionPolicy,
}
