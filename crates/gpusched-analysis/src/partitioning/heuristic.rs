//! The heuristics and their options, as data: one shape for the command line and for studies.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Problem;
use super::budgets::default_budget;
use super::forbidden::Forbidden;
use super::objective::{Aim, Budget, Objective};
use super::order::{BfDirection, BfMeasure, ListOrder};

/// A heuristic with all its options.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heuristic {
    /// Which heuristic.
    #[serde(rename = "heuristic")]
    pub kind: HeuristicKind,
    /// SMS and BF: how the list of forbidden pairs is filled.
    #[serde(default)]
    pub forbidden: Forbidden,
    /// SMS and BF: how the list of partitions is kept.
    #[serde(default)]
    pub order: ListOrder,
    /// BF: what U of a prospective merge means.
    #[serde(default)]
    pub bf_measure: BfMeasure,
    /// BF: which U is preferred.
    #[serde(default)]
    pub bf_direction: BfDirection,
    /// Equal split: the number of partitions; if absent, the smallest that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u32>,
    /// Savings, matching, auto, optimal, and local search: what they aim for.
    #[serde(default, skip_serializing_if = "Objective::is_default")]
    pub objective: Objective,
    /// Whether local search follows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub improve: bool,
    /// Auto, optimal, and local search: how many groups of tasks are tested at most; if absent, a number that takes a fraction of
    /// a second (optimal: some seconds) for 50 tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The same: after how much time they stop [ms], if that is earlier. Answers then depend on the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// Auto and optimal: the search ends as soon as its plan fits and has at most so many SMs more than the lower bound.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gap: u32,
    /// Optimal: what chooses among known groups.
    #[serde(default, skip_serializing_if = "Solver::is_exact")]
    pub solver: Solver,
    /// Where the memory traffic of partitions counts: what the search makes of it.
    #[serde(default, skip_serializing_if = "Traffic::is_all")]
    pub traffic: Traffic,
}

/// Whether `gap` is the default, which files leave out.
pub fn is_zero(gap: &u32) -> bool {
    *gap == 0
}

impl Heuristic {
    /// When it may end on a GPU of `sms` SMs.
    pub(super) fn aim(&self, sms: u32) -> Aim {
        Aim {
            objective: self.objective,
            sms,
            gap: self.gap,
        }
    }

    /// What may be spent on `problem`.
    pub(super) fn budget(&self, problem: &Problem<'_>) -> Budget {
        let (tasks, beside_memory) = (problem.tasks().len(), problem.memory().is_some());
        Budget::new(
            self.budget
                .unwrap_or_else(|| default_budget(self.kind, tasks, beside_memory)),
            self.time_limit_ms.map(Duration::from_millis),
        )
    }
}

/// What chooses the fewest SMs among known groups.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Branch and bound, whose conclusions rest on integers.
    #[default]
    Exact,
    /// HiGHS first, for plans. That it sees none is stated as a claim ([`LowerBound::highs`](gpusched_model::plan::LowerBound::highs));
    /// what remains of the budget goes into the proof.
    #[cfg(feature = "highs")]
    Highs,
}

impl Solver {
    /// Whether this is the default, which files leave out.
    pub fn is_exact(&self) -> bool {
        *self == Solver::Exact
    }
}

/// What a search makes of memory traffic. Whatever it is, verdicts count all of it.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// The others, in this order, until one of them leads to a schedulable plan.
    #[default]
    All,
    /// Every test of the search counts the traffic of all tasks that are not in the partition.
    Heed,
    /// Tasks that draw much go together until no more can be drawn at once than there is. sms, bf; others ignore traffic then.
    Gather,
    /// The search is that without traffic.
    Ignore,
}

impl Traffic {
    /// Whether this is the default, which files leave out.
    pub fn is_all(&self) -> bool {
        *self == Traffic::All
    }
}

/// The heuristics by name.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum HeuristicKind {
    /// Algorithm 1 with the relation ≫: the merge with the fewest SMs.
    #[default]
    Sms,
    /// Algorithm 1 with the relation >: the first merge that works, in order of utilization.
    Bf,
    /// One partition of all SMs.
    #[serde(rename = "1g")]
    #[strum(to_string = "1g")]
    OneGpu,
    /// One partition per task, each of the smallest size (Lemma 2).
    OnePerPartition,
    /// First-fit decreasing on an equal split.
    Ffd,
    /// Worst-fit decreasing on an equal split.
    Wfd,
    /// Of all pairs of partitions the one whose merge saves the most SMs is merged, until none saves any.
    Savings,
    /// Partitions are paired so that the pairs save the most SMs together, until no pair saves any.
    Matching,
    /// The best of savings, matching and sms, improved by local search.
    Auto,
    /// The fewest SMs, by column generation and branch and bound, and a lower bound with its proof.
    Optimal,
}

impl From<HeuristicKind> for Heuristic {
    fn from(kind: HeuristicKind) -> Heuristic {
        Heuristic {
            kind,
            ..Heuristic::default()
        }
    }
}
