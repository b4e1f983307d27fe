//! Partition plans: the SMs and tasks of each partition, with its verdict.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::assumptions::Assumption;
pub use super::margin::{LARGEST_SCALING, Margin};
use super::verdict::Verdict;
use crate::Interference;
use crate::device::{Hardware, Place};
use crate::traffic::SharedMemory;
use crate::wcet::MAX_SMS;

/// Result of a partitioning heuristic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whether the partitions fit on the GPU and each partition is schedulable (Lemma 3).
    pub schedulable: bool,
    /// M: number of SMs of the GPU; 1 to 65536.
    #[serde(deserialize_with = "gpu_sms")]
    #[schemars(range(min = 1, max = MAX_SMS))]
    pub gpu_sms: u32,
    /// Device and granularity of the plan; absent if the request states no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
    /// Interference model of the verdicts; `null` for a model without a name in files.
    pub interference: Option<Interference>,
    /// Memory that partitions share; present if its traffic counts. Then the verdicts depend on each other: each verdict
    /// assumes the deadlines of the other partitions. If one partition fails its test, all verdicts are void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<SharedMemory>,
    /// Sum of the SMs of all partitions. It is above `gpu_sms` if the heuristic found no plan.
    pub sms_used: u32,
    /// Partitions by decreasing size, then by their first task.
    pub partitions: Vec<Partition>,
    /// Assumptions of the verdicts that gpusched does not check. `verify` compares the names with its own list. Absent in plans
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
    /// Reason why there is no plan; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Lower bound on the SMs of every plan, with its proof; absent if the heuristic computes no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
    /// WCET margin; present if the objective of the search was the largest margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// Effort of the search.
    pub stats: SearchStats,
    /// Sensitivity of the plan, if requested. Like `stats`, it is not part of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
}

/// Reads M as on the command line. Above [`MAX_SMS`] all WCETs are unknown.
fn gpu_sms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let sms = u32::deserialize(deserializer)?;
    match (1..=MAX_SMS).contains(&sms) {
        true => Ok(sms),
        false => Err(de::Error::custom(format_args!(
            "found {sms}, expected 1 to {MAX_SMS}"
        ))),
    }
}

/// A number of SMs, and the tasks that run on them. One kernel of the partition runs at a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// |P|: number of SMs.
    pub sms: u32,
    /// Positions of the tasks in the task set, ascending.
    pub tasks: Vec<usize>,
    /// Placement on the device, in a plan that fits on a device. Absent if the driver chooses the placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Verdict of the test for these tasks on these SMs.
    pub verdict: Verdict,
}

/// Reason why a heuristic found no plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Failure {
    /// Lemma 1: the least work of the tasks exceeds the GPU. No plan exists.
    WorkExceedsGpu,
    /// Lemma 2: this task misses its deadline even alone on all SMs. No plan exists.
    TaskDoesNotFit {
        /// Position of the task in the task set.
        task: usize,
    },
    /// The WCET of this task is unknown even on the largest possible partition, because its table starts at more SMs. No test
    /// accepts the task, so no plan exists.
    WcetUnknown {
        /// Position of the task in the task set.
        task: usize,
    },
    /// The lower bound on the SMs of every plan exceeds the GPU. No plan exists.
    BoundExceedsGpu,
    /// The heuristic found no plan. Another heuristic may find one.
    HeuristicFailed,
}

/// Price of one SM in the units of [`LowerBound::prices`].
pub const UNITS_PER_SM: u64 = 1_000_000;

/// Lower bound on the SMs of every plan for the tasks under the given test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LowerBound {
    /// Lower bound: every plan has at least this number of SMs.
    pub sms: u32,
    /// Proof of the lower bound.
    pub proof: Proof,
    /// Dual prices: one price per task, in millionths of an SM. No candidate partition that passes the test on m SMs has prices
    /// above m SMs in total. The sum of all prices, rounded up to a possible number of SMs, is a lower bound for every plan.
    pub prices: Vec<u64>,
    /// Lower bound by HiGHS, if requested and larger than `sms`. It is not checked, because HiGHS computes with floating point.
    /// No other result depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highs: Option<u32>,
}

/// Proof of a lower bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The dual prices, which can be checked.
    Prices,
    /// The dual prices, and a complete search for the rest. The search leaves no evidence to check.
    Search,
}

impl Failure {
    /// Returns the name of this kind of failure in files.
    pub fn reason(&self) -> &'static str {
        self.into()
    }

    /// Returns the task that decided, if there is one.
    pub fn task(&self) -> Option<usize> {
        match self {
            Failure::TaskDoesNotFit { task } | Failure::WcetUnknown { task } => Some(*task),
            Failure::WorkExceedsGpu | Failure::BoundExceedsGpu | Failure::HeuristicFailed => None,
        }
    }
}

impl std::fmt::Display for Failure {
    /// Writes one line for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::WorkExceedsGpu => write!(
                f,
                "the least work of the tasks exceeds the GPU (Lemma 1): no partitioning exists"
            ),
            Failure::TaskDoesNotFit { task } => write!(
                f,
                "task #{task} misses its deadline even alone on all SMs (Lemma 2): no partitioning exists"
            ),
            Failure::WcetUnknown { task } => write!(
                f,
                "task #{task} has no known WCET even on all SMs (its table starts at more): no partitioning exists"
            ),
            Failure::BoundExceedsGpu => write!(
                f,
                "every plan needs more SMs than the GPU has (lower bound): no partitioning exists"
            ),
            Failure::HeuristicFailed => {
                write!(f, "the heuristic found no plan; a plan may still exist")
            }
        }
    }
}

/// Effort of a search. The times are wall-clock times and vary. All other fields are deterministic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchStats {
    /// Number of merges that the search tried (calls of Algorithm 2).
    pub merges_tested: u64,
    /// Number of merges that filled the forbidden list before the search (ACT, offline).
    pub prefill_merges: u64,
    /// Other work that the search effort counts, such as linear programs, as the number of merges that take as long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_work: u64,
    /// Reason why the search stopped before its end; absent if the search is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// Time of the search without the pre-fill [ns].
    pub search_ns: u64,
    /// Time of the pre-fill [ns].
    pub prefill_ns: u64,
}

/// Reason why a search stops before its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum EndedBy {
    /// The limit of the search effort is reached. More effort may give a better plan or bound.
    Budget,
    /// The time limit is reached. The result depends on the speed of the machine.
    Time,
    /// There are more candidate partitions, or ways to choose them, than the search examines. More effort does not help.
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
    /// Returns the sum of both efforts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_of_the_files() {
        for failure in [
            Failure::WorkExceedsGpu,
            Failure::TaskDoesNotFit { task: 0 },
            Failure::WcetUnknown { task: 0 },
            Failure::BoundExceedsGpu,
            Failure::HeuristicFailed,
        ] {
            assert_eq!(
                serde_json::to_value(&failure).unwrap()["reason"],
                failure.reason()
            );
        }
        for by in [EndedBy::Budget, EndedBy::Time, EndedBy::Choices] {
            assert_eq!(serde_json::to_value(by).unwrap(), by.name());
        }
    }
}

/// Sensitivity of a plan: changes that do not make it fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// SMs of the GPU that are in no partition.
    pub free_sms: u32,
    /// WCET margin: largest factor by which all WCETs and longest blocks may grow together, in thousandths; 1000000 stands for
    /// more.
    pub wcet_scaling_permille: u64,
    /// Sensitivity of each partition, in the order of the plan's partitions.
    pub partitions: Vec<PartitionSlack>,
}

/// Sensitivity of one partition. Each value is for one change alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartitionSlack {
    /// Number of SMs that the partition can lose.
    pub spare_sms: u32,
    /// Sensitivity of each task, in the order of the partition's tasks.
    pub tasks: Vec<TaskSlack>,
}

/// Sensitivity of one task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskSlack {
    /// Position of the task in the task set.
    pub task: usize,
    /// WCET margin: largest factor by which its WCET and longest block may grow, in thousandths; 1000000 stands for more.
    pub wcet_scaling_permille: u64,
}
