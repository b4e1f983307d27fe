//! Resources of an end-to-end system: CPU cores, copy engines and GPU partitions.
//!
//! * `partition`: GPU partitions and their policies;
//! * `time_slices`: partitions whose contexts take turns.

mod partition;
mod time_slices;

pub use partition::{DraftPolicy, Partition, PartitionDraft, PartitionPolicy};
pub use time_slices::{Context, ContextDraft, Idle, TimeSlices};

use serde::{Deserialize, Serialize};

use crate::Bandwidth;

/// Scheduling rule of a CPU core. Both rules are preemptive.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum CorePolicy {
    /// Fixed priorities.
    Fp,
    /// Earliest deadline first. The deadline of a job is its arrival plus the relative deadline of the task.
    Edf,
}

/// Scheduling rule of a copy engine. A copy that has started runs to its end.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum EnginePolicy {
    /// First in, first out.
    Fifo,
    /// Fixed priorities (`gpu_priority`).
    NpFp,
}

/// A CPU core.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a core: an object with \"name\" and \"policy\""
)]
pub struct Core {
    /// Name of the core. The names of all resources differ.
    pub name: String,
    /// Type of the core, for display.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Scheduling rule of the core.
    pub policy: CorePolicy,
}

/// A copy engine, which moves data between host and device memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a copy engine: an object with \"name\" and \"policy\""
)]
pub struct CopyEngine {
    /// Name of the engine. The names of all resources differ.
    pub name: String,
    /// Scheduling rule of the engine.
    pub policy: EnginePolicy,
    /// Minimum bandwidth of each copy on this engine. If a copy states `bytes` and no `wcet`, its WCET is `bytes`
    /// divided by this bandwidth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Bandwidth>,
    /// Minimum bandwidth of each copy while best-effort cores access memory all the time. It determines `e1` of a copy with
    /// `bytes`. Only in a system with `budgets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contended_bandwidth: Option<Bandwidth>,
}

/// A resource of a system, identified by its kind and by its position in the list of this kind, from 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Resource {
    /// CPU core.
    Core(usize),
    /// Copy engine.
    Engine(usize),
    /// GPU partition.
    Partition(usize),
}

impl Resource {
    /// Returns whether the resource is a CPU core.
    pub const fn is_core(self) -> bool {
        matches!(self, Resource::Core(_))
    }
}
