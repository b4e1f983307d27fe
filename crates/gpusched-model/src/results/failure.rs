//! Reasons for a missing plan, and a lower bound on the SMs of every plan.

use serde::{Deserialize, Serialize};

use crate::policy::Strength;

/// Reason why a heuristic found no plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Failure {
    /// The total minimum work of all tasks exceeds the capacity of the GPU ([Singh21] Lemma 1). No plan exists.
    WorkExceedsGpu,
    /// One task misses its deadline even if it runs alone on all SMs ([Singh21] Lemma 2). No plan
    /// exists.
    TaskDoesNotFit {
        /// Position of the task in the task set.
        task: usize,
    },
    /// The WCET of one task is unknown even on the largest possible partition, because its WCET
    /// table starts at a larger number of SMs. No test accepts the task, so no plan exists.
    WcetUnknown {
        /// Position of the task in the task set.
        task: usize,
    },
    /// According to the lower bound, every plan needs more SMs than the GPU has. No plan exists.
    BoundExceedsGpu,
    /// The heuristic found no plan. A plan may still exist.
    HeuristicFailed,
}

/// Dual price of one SM. The unit of [`LowerBound::prices`] is a millionth of an SM.
pub const UNITS_PER_SM: u64 = 1_000_000;

/// Lower bound on the number of SMs of every plan, for the given tasks and test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LowerBound {
    /// Lower bound: every plan has at least this number of SMs.
    pub sms: u32,
    /// Proof of the lower bound.
    pub proof: Proof,
    /// Dual prices: one price per task, in millionths of an SM. If a candidate partition passes the test on m SMs, the
    /// sum of the prices of its tasks is at most m SMs. The sum of all prices, rounded up to a possible number of SMs,
    /// is a lower bound on the SMs of every plan.
    pub prices: Vec<u64>,
}

/// Proof of a lower bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// The dual prices are the proof. `verify` can check this proof.
    Prices,
    /// The dual prices prove a part of the bound, and a complete search proves the remaining
    /// part. The search leaves no evidence, so `verify` cannot check the remaining part.
    Search,
}

impl Failure {
    /// Whether a plan may still exist: the heuristic failed, or all plans fail a test whose strength `strength` is only
    /// sufficient.
    pub fn is_open(&self, strength: Strength) -> bool {
        match self {
            Failure::HeuristicFailed => true,
            Failure::TaskDoesNotFit { .. } | Failure::BoundExceedsGpu => strength == Strength::Sufficient,
            Failure::WorkExceedsGpu | Failure::WcetUnknown { .. } => false,
        }
    }

    /// Returns the name of this reason in files.
    pub fn reason(&self) -> &'static str {
        self.into()
    }

    /// Returns the position of the task that causes the failure. Returns `None` if no single task causes the failure.
    pub fn task(&self) -> Option<usize> {
        match self {
            Failure::TaskDoesNotFit { task } | Failure::WcetUnknown { task } => Some(*task),
            Failure::WorkExceedsGpu | Failure::BoundExceedsGpu | Failure::HeuristicFailed => None,
        }
    }
}

impl std::fmt::Display for Failure {
    /// Writes the reason in one line for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::WorkExceedsGpu => write!(
                f,
                "the minimum work of the tasks exceeds the capacity of the GPU (Lemma 1): no plan exists"
            ),
            Failure::TaskDoesNotFit { task } => write!(
                f,
                "task #{task} misses its deadline even in isolation on all SMs (Lemma 2): no plan exists"
            ),
            Failure::WcetUnknown { task } => write!(
                f,
                "the WCET table of task #{task} starts above the largest partition, so its WCET is unknown: no plan exists"
            ),
            Failure::BoundExceedsGpu => write!(
                f,
                "the lower bound on the SMs of every plan exceeds the number of SMs of the GPU: no plan exists"
            ),
            Failure::HeuristicFailed => {
                write!(f, "the heuristic found no plan; a plan may still exist")
            }
        }
    }
}
