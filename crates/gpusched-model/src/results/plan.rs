//! A partition plan: which tasks run on how many SMs, and the verdict of each partition.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::assumptions::Assumption;
pub use super::margin::{LARGEST_SCALING, Margin};
use super::verdict::Verdict;
use crate::Interference;
use crate::device::{Hardware, Place};
use crate::traffic::SharedMemory;
use crate::wcet::MAX_SMS;

/// The answer of a partitioning heuristic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whether the partitions fit on the GPU and each is schedulable (Lemma 3).
    pub schedulable: bool,
    /// M, the SMs of the GPU that the plan is for.
    #[serde(deserialize_with = "gpu_sms")]
    #[schemars(range(min = 1, max = MAX_SMS))]
    pub gpu_sms: u32,
    /// The device and how it is divided, where that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
    /// How company stretches the WCETs of the verdicts; `null` for a model that files have no name for.
    pub interference: Option<Interference>,
    /// The memory that partitions share, where their traffic counts. Then verdicts hold together, or not at all: each rests on
    /// the deadlines of the other partitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<SharedMemory>,
    /// Σ of the partitions' SMs; above the GPU's where the heuristic gave up.
    pub sms_used: u32,
    /// The partitions, in decreasing size, then by their first task.
    pub partitions: Vec<Partition>,
    /// What the verdicts assume and gpusched does not check. `verify` compares the names with a list of its own; absent in plans
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
    /// Why there is no plan; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// No plan has fewer SMs than this, and why; absent where the heuristic looks for no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<LowerBound>,
    /// The factor by which all WCETs may grow together, where the search aimed for the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Margin>,
    /// What the search cost.
    pub stats: SearchStats,
    /// How far the plan is from the edge, if that was asked for. Like the cost, it is no part of the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
}

/// M as on the command line: beyond [`MAX_SMS`] no WCET is known.
fn gpu_sms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let sms = u32::deserialize(deserializer)?;
    match (1..=MAX_SMS).contains(&sms) {
        true => Ok(sms),
        false => Err(de::Error::custom(format_args!(
            "found {sms}, expected 1 to {MAX_SMS}"
        ))),
    }
}

/// Some SMs and the tasks that run on them, one kernel at a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// |P|, the number of SMs.
    pub sms: u32,
    /// Positions in the task set, ascending.
    pub tasks: Vec<usize>,
    /// Where on the device it is, in a plan that fits on one; absent where the driver chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The test's answer for these tasks on these SMs.
    pub verdict: Verdict,
}

/// Why a heuristic found no plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Failure {
    /// Lemma 1: the least work exceeds the GPU, so no plan exists under any heuristic.
    WorkExceedsGpu,
    /// Lemma 2: this task misses its deadline even alone on all SMs, so no plan exists.
    TaskDoesNotFit {
        /// The task.
        task: usize,
    },
    /// The WCET of this task is not known even alone on the largest partition there is: its table starts at more SMs. No test
    /// accepts it, so no plan exists.
    WcetUnknown {
        /// The task.
        task: usize,
    },
    /// The lower bound on the SMs of any plan exceeds the GPU, so no plan exists under any heuristic.
    BoundExceedsGpu,
    /// The heuristic ran out of moves; another one may succeed.
    HeuristicFailed,
}

/// The price of one SM, in the units of [`LowerBound::prices`].
pub const UNITS_PER_SM: u64 = 1_000_000;

/// A lower bound on the SMs of any plan for the tasks, as far as the test inside partitions goes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LowerBound {
    /// No plan has fewer SMs.
    pub sms: u32,
    /// What that follows from.
    pub proof: Proof,
    /// A price for each task, in millionths of an SM, such that no group of tasks that passes the test on m SMs is worth more
    /// than m. Their sum, rounded up to what partitions can have together, bounds every plan.
    pub prices: Vec<u64>,
    /// What HiGHS says beyond that, if it was asked and says more: no plan has fewer SMs. It computes with floats, so this is a claim
    /// that nothing else rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highs: Option<u32>,
}

/// What a lower bound follows from.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The prices, which can be checked.
    Prices,
    /// The prices, and a complete search where they leave a gap. That search leaves no trace to check.
    Search,
}

impl Failure {
    /// The name of this kind of failure, as in files.
    pub fn reason(&self) -> &'static str {
        self.into()
    }

    /// The one task that decided, if there is one.
    pub fn task(&self) -> Option<usize> {
        match self {
            Failure::TaskDoesNotFit { task } | Failure::WcetUnknown { task } => Some(*task),
            Failure::WorkExceedsGpu | Failure::BoundExceedsGpu | Failure::HeuristicFailed => None,
        }
    }
}

impl std::fmt::Display for Failure {
    /// One line for people.
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

/// What a search cost. The times are wall-clock and vary; all else is deterministic.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchStats {
    /// Merges tried by the search (calls of Algorithm 2).
    pub merges_tested: u64,
    /// Merges tried to pre-fill the forbidden list (ACT, off-line).
    pub prefill_merges: u64,
    /// Other work of the search that its budget counts, such as linear programs: as many merges take as long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_work: u64,
    /// What ended the search before it was through; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EndedBy>,
    /// Time of the search without the pre-fill [ns].
    pub search_ns: u64,
    /// Time of the pre-fill [ns].
    pub prefill_ns: u64,
}

/// What ends a search before it is through.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum EndedBy {
    /// Its budget of tests: more may lead to a better plan or bound.
    Budget,
    /// Its time limit: how far it got depends on the machine.
    Time,
    /// There are more groups of tasks, or ways to choose among them, than it looks at: more budget does not help.
    Choices,
}

impl EndedBy {
    /// The name of what ends a search, as in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn is_zero(work: &u64) -> bool {
    *work == 0
}

impl SearchStats {
    /// What both cost together.
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

/// What may still change before a plan fails.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sensitivity {
    /// SMs of the GPU that no partition has.
    pub free_sms: u32,
    /// The largest factor by which all WCETs and longest blocks may grow together, in thousandths; 1000000 stands for more.
    pub wcet_scaling_permille: u64,
    /// In the order of the plan's partitions.
    pub partitions: Vec<PartitionSlack>,
}

/// What may still change in one partition, one thing at a time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartitionSlack {
    /// SMs that could be taken away.
    pub spare_sms: u32,
    /// In the order of the partition's tasks.
    pub tasks: Vec<TaskSlack>,
}

/// How much longer one task may take.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskSlack {
    /// The task's position in the task set.
    pub task: usize,
    /// The largest factor by which its WCET and longest block may grow, in thousandths; 1000000 stands for more.
    pub wcet_scaling_permille: u64,
}
