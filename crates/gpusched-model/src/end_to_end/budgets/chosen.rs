//! Budgets that a search chose for a system, with their certificates.

use serde::{Deserialize, Serialize};

use super::super::{Answer, Draft};
use super::Grouping;
use crate::time::Time;
use crate::{Factor, Identity};

/// Memory bandwidth budgets under which a system has its WCETs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetEvidence {
    /// T: regulation period [ns].
    pub regulation_period_ns: Time,
    /// For each task, its segments. Wake-ups of dispatchers are left out.
    pub segments: Vec<Vec<BudgetedSegment>>,
}

/// Budget of a segment, and its WCET under this budget.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetedSegment {
    /// b = ⌈Q·T⌉: memory time of best-effort cores per regulation period while the segment is in progress [ns].
    pub memory_time_ns: Time,
    /// G: WCET of the segment under the budget [ns], without overheads of dispatchers.
    pub wcet_ns: Time,
    /// ω: length of the interval that contains the segment from its start to its end [ns]. Null if the WCET does not depend on the
    /// table of bounds, or if the segment has no bound.
    pub window_ns: Option<Time>,
}

/// Result of `budget nominal --deadlines`: budgets that maximize the bandwidth of best-effort cores, weighted by time, while the
/// analysis proves all deadlines and limits of the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChosenBudgets {
    /// Segments with equal budgets.
    pub per: Grouping,
    /// T: regulation period [ns].
    pub regulation_period_ns: Time,
    /// Groups of segments, each with its budget.
    pub groups: Vec<ChosenGroup>,
    /// Σ `weight_ppb`·`memory_time_ns` over the groups: the objective of the search.
    pub value: u64,
    /// Upper bound on the objective for all budgets with which the system passes the test.
    pub upper_bound: u64,
    /// Whether no budgets with a larger objective pass the test.
    pub optimal: bool,
    /// Number of end-to-end tests that the search executed.
    pub tests: u64,
    /// The system with the chosen budgets.
    pub system: Draft,
    /// Verdict on the system with the chosen budgets. If the system fails without best-effort accesses, this verdict is negative, and
    /// all budgets are 0.
    pub verdict: Answer,
    /// Inputs, options and version that led to the result. Absent in results of older versions and of programs that use the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

/// A group of segments, with the chosen budget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChosenGroup {
    /// Name of the group: `all`, `cpu`, `copy`, `kernel`, or the name of a task.
    pub name: String,
    /// b: memory time of best-effort cores per regulation period while a segment of the group is in progress [ns].
    pub memory_time_ns: Time,
    /// Q: the budget b/T, rounded down to nine decimals. ⌈Q·T⌉ is b.
    pub q: Factor,
    /// Share of time for which segments of the group execute in isolation [10⁻⁹].
    pub weight_ppb: u64,
    /// Next larger budget of this group, and the reason why it fails. Absent if b = T, or if the system fails without best-effort accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextBudget>,
}

/// A budget that is 1 ns per regulation period above the chosen budget. The system fails with it if all other groups keep their
/// budgets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NextBudget {
    /// b + 1 ns.
    pub memory_time_ns: Time,
    /// Positions of the tasks without proof for their deadlines. If this list and the list of chains are empty, the WCETs are invalid.
    pub late_tasks: Vec<usize>,
    /// Positions of the chains that exceed their limits.
    pub late_chains: Vec<usize>,
}
