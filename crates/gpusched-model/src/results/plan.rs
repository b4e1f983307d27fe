//! Partition plans. A plan states the SMs, the tasks and the verdict of each partition.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::assumptions::Assumption;
pub use super::failure::{Failure, LowerBound, Proof, UNITS_PER_SM};
use super::identity::Identity;
pub use super::margin::{LARGEST_SCALING, Margin};
use super::verdict::Verdict;
use crate::device::{Hardware, Place, PortLevel};
use crate::traffic::SharedMemory;
use crate::wcet::MAX_SMS;
use crate::{Interference, Overheads, OverheadsOrigin};

/// Result of a partitioning heuristic: a plan, or the reason why the heuristic found no plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whether the partitions fit on the GPU ([Singh21] Lemma 3) and each partition is
    /// schedulable.
    pub schedulable: bool,
    /// M: number of SMs of the GPU; 1 to 65536.
    #[serde(deserialize_with = "gpu_sms")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub gpu_sms: u32,
    /// Device and granularity of the plan. Absent if the request states no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
    /// Interference model that the verdicts assume. The value is `null` for an interference model that has no name in
    /// files.
    pub interference: Option<Interference>,
    /// Memory that partitions share. Present if the interference model counts the memory traffic
    /// of other partitions. With shared memory, the verdict of each partition assumes that all
    /// other partitions meet their deadlines. So if one partition fails its test, the verdicts of
    /// all partitions are void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<SharedMemory>,
    /// Bounds on the overheads of the dispatcher, which the verdicts count beside the WCETs of the task set. Absent if the
    /// WCETs include the overheads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overheads: Option<Overheads>,
    /// Origin of `overheads`. Absent without overheads, and in plans of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overheads_origin: Option<OverheadsOrigin>,
    /// Percentage by which the work of a kernel may grow while other kernels of its partition run. The verdicts add it to
    /// the WCETs of the task set. Present under the policy `concurrent` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = crate::MemoryTime::MAX_VARIATION)))]
    pub variation_percent: Option<u32>,
    /// Total number of SMs of all partitions. If the heuristic found no plan, the number is larger than `gpu_sms`.
    pub sms_used: u32,
    /// Partitions, sorted by decreasing number of SMs. Partitions of equal size are sorted by their first task.
    pub partitions: Vec<Partition>,
    /// Ports of TPCs and GPCs that several partitions share, by level and number. Absent if no port is shared, if the
    /// placement is unknown, and in plans of older versions. `verify` compares the list with its own list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_ports: Option<Vec<SharedPort>>,
    /// Assumptions of the verdicts. gpusched does not check these assumptions. `verify` compares the list with its own
    /// list. Absent in plans of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
    /// Reason why the heuristic found no plan. Absent if it found a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Lower bound on the number of SMs of every plan, with its proof. Absent if the heuristic computes no lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
    /// WCET margin of the plan. Present if the search maximized the margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// Effort of the search for the plan.
    pub stats: SearchStats,
    /// Sensitivity of the plan. Present if the user requested the sensitivity. Like `stats`, the sensitivity is not
    /// part of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
    /// Inputs, options and version that led to the plan. Absent in plans of older versions and of programs that use the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// Reads M, the number of SMs, from 1 to [`MAX_SMS`]. Above this limit, all WCETs are unknown.
fn gpu_sms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let sms = u32::deserialize(deserializer)?;
    match (1..=MAX_SMS).contains(&sms) {
        true => Ok(sms),
        false => Err(de::Error::custom(format_args!(
            "found {sms}, expected 1 to {MAX_SMS}"
        ))),
    }
}

/// A port that several partitions share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SharedPort {
    /// Level of the port: `tpc` or `gpc`.
    pub level: PortLevel,
    /// Number of the TPC or GPC.
    pub number: u32,
    /// Partitions with SMs at the port, as ascending positions in `partitions`; at least two.
    pub partitions: Vec<usize>,
}

/// A partition: a number of SMs, and the tasks that run on the SMs. At any time, at most one kernel of the partition
/// runs. Only under the policy `concurrent`, kernels of a partition run together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// |P|: number of SMs of the partition.
    pub sms: u32,
    /// Tasks of the partition, as ascending positions in the task set.
    pub tasks: Vec<usize>,
    /// Placement of the partition on the device. Absent if the plan states no device, if the plan does not fit, or if
    /// the driver chooses the placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Verdict of the schedulability test for the tasks of the partition on its SMs.
    pub verdict: Verdict,
}

impl Plan {
    /// Returns the largest total number of SMs of all partitions.
    pub fn capacity(&self) -> u32 {
        self.hardware.as_ref().map_or(self.gpu_sms, Hardware::capacity)
    }

    /// Whether the lower bound comes from a complete search for partitions that share a memory.
    pub fn is_bound_with_traffic(&self) -> bool {
        let bound = self.bound.as_ref().filter(|_| self.memory.is_some());
        bound.is_some_and(|bound| bound.proof == Proof::Search)
    }
}

/// Effort of a search. The times are wall-clock times and vary from run to run. All other fields are deterministic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchStats {
    /// Number of merges that the search tested (calls of Algorithm 2).
    pub merges_tested: u64,
    /// Number of merges that gpusched tested to fill the forbidden list before the search (heuristic ACT, offline).
    pub prefill_merges: u64,
    /// Other work of the search, such as linear programs. The value is the number of merge tests that would take the
    /// same time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_work: u64,
    /// Reason why the search stopped early. Absent if the search is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// Wall-clock time of the search without the pre-fill [ns].
    pub search_ns: u64,
    /// Wall-clock time of the pre-fill [ns]. The pre-fill fills the forbidden list before the search.
    pub prefill_ns: u64,
}

/// Reason why a search stopped early.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum EndedBy {
    /// The search reached its limit of search effort. With more effort, the plan or the bound may become better.
    Budget,
    /// The search reached its time limit. The result depends on the speed of the computer.
    Time,
    /// The user interrupted the search.
    Interrupt,
    /// The search cannot examine all candidate partitions, or all combinations of candidate
    /// partitions. More search effort does not help.
    Choices,
}

impl EndedBy {
    /// Returns the name of the reason in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn is_zero(work: &u64) -> bool {
    *work == 0
}

impl SearchStats {
    /// Returns the sum of this effort and the effort `other`.
    pub fn plus(&self, other: &SearchStats) -> SearchStats {
        SearchStats {
            merges_tested: self.merges_tested.saturating_add(other.merges_tested),
            prefill_merges: self.prefill_merges.saturating_add(other.prefill_merges),
            other_work: self.other_work.saturating_add(other.other_work),
            ended_by: self.ended_by.or(other.ended_by),
            search_ns: self.search_ns.saturating_add(other.search_ns),
            prefill_ns: self.prefill_ns.saturating_add(other.prefill_ns),
        }
    }
}

/// Sensitivity of a plan: changes after which the plan is still schedulable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// Number of SMs of the GPU that belong to no partition.
    pub free_sms: u32,
    /// WCET margin: largest factor by which all WCETs and longest thread blocks may grow together, in thousandths. The
    /// value 1000000 means that the factor is 1000 or larger.
    pub wcet_scaling_permille: u64,
    /// Sensitivity of each partition, in the same order as the partitions of the plan.
    pub partitions: Vec<PartitionSlack>,
}

/// Sensitivity of one partition. Each value assumes that the rest of the plan stays the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartitionSlack {
    /// Number of SMs by which the partition may shrink.
    pub spare_sms: u32,
    /// Sensitivity of each task, in the same order as the tasks of the partition.
    pub tasks: Vec<TaskSlack>,
}

/// Sensitivity of one task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskSlack {
    /// Position of the task in the task set.
    pub task: usize,
    /// WCET margin: largest factor by which the WCET and the longest thread block of this task may grow, in
    /// thousandths. The value 1000000 means that the factor is 1000 or larger.
    pub wcet_scaling_permille: u64,
}
