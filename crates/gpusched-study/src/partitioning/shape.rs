//! The TOML format of a study of partitioning.

use serde::{Deserialize, Serialize};

use super::program::{Metric, Population};
use crate::claim::Claim;
use crate::definition::axis::Values;
use crate::definition::figures::Figures;
use crate::definition::functions::WcetFunctions;
use gpusched_analysis::generation::{DRAWN_BANDWIDTH, Recipe};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::forbidden::Forbidden;
use gpusched_analysis::partitioning::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use gpusched_analysis::partitioning::{HeuristicKind, Objective, Traffic};
use gpusched_model::device::Granularity;
use gpusched_model::end_to_end::Idle;
use gpusched_model::time::Time;
use gpusched_model::{Arbitration, Bandwidth, Policy, SharedMemory};

/// A study of partitioning. It assigns the tasks of generated task sets to partitions, with several heuristics.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "PartitioningStudy"))]
pub struct PartitioningShape {
    /// Kind of study: always `partitioning`.
    #[serde(default)]
    pub kind: PartitioningKind,
    /// Name of the study: 1 to 100 letters, digits, `.`, `-` and `_`; the first character is a
    /// letter or a digit. The names of the output files start with this name. The first column of
    /// the CSV contains this name.
    pub name: String,
    /// Title for display; one line.
    #[serde(default)]
    pub title: String,
    /// Published results that the study reproduces, such as `[Singh21] Fig. 3.4`.
    #[serde(default)]
    pub source: String,
    /// Seed of all random numbers of the study.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of generated task sets per point; at least 1.
    pub sets: u64,
    /// Number of SMs M of the GPU. A study states exactly one of the fields `sms`, `platform` and `device`.
    pub sms: Option<u32>,
    /// Name of the platform preset that sets the number of SMs.
    pub platform: Option<String>,
    /// Name of the device that sets the number of SMs. With a device, each analysis variant states its `granularity`.
    pub device: Option<String>,
    /// Task sets that the study uses instead of generated task sets: the first `sets` task sets of a JSONL file, or task sets from a
    /// program of your own. Such a study has no `generator`, and its analysis variants state no `wcet`. With a file, its axes
    /// exclude `utilization` and `tasks`.
    pub population: Option<Population>,
    /// Points at which the study generates task sets.
    #[serde(default)]
    pub axis: Axis,
    /// Task set generator. Each analysis variant states the form of the WCET functions.
    #[serde(default)]
    pub generator: Recipe,
    /// Analysis variants: interpretations of the published experiment. All variants use the same generated task sets.
    #[serde(alias = "reading")]
    pub variant: Vec<Variant>,
    /// Heuristics that the study compares.
    pub algorithm: Vec<Algorithm>,
    /// Whether the results include a table of weighted schedulability. The table has one value for each number of
    /// tasks. This value covers all utilizations.
    #[serde(default)]
    pub weighted: bool,
    /// Whether the results include a table of pairs. The table compares each pair of algorithms on the same task sets,
    /// and states the p-value of McNemar's test. Default: false.
    #[serde(default)]
    pub paired: bool,
    /// Figure of the results, or several figures. Default: the schedulability ratio over the utilization.
    #[serde(default)]
    pub figure: Figures,
    /// Metrics of your own, which the results contain as further columns.
    #[serde(default)]
    pub metric: Vec<Metric>,
    /// Published statements. gpusched checks each statement against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// Kind of a study that partitions task sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PartitioningKind {
    /// The study partitions generated task sets at every point.
    #[default]
    Partitioning,
}

/// Points of a study: all combinations of the values on all axes. All axes except `utilization` and `tasks` replace a
/// field of the study, of `generator`, or of each analysis variant. Points that differ only in these axes use the same
/// random numbers.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = name_fields))]
pub struct Axis {
    /// Utilizations U of a whole task set on one SM; each > 0.
    pub utilization: Option<Values>,
    /// Numbers of tasks n in a task set.
    pub tasks: Option<Values>,
    /// Values of other fields. Each key is the name of a field.
    #[serde(flatten)]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, crate::definition::levels::Levels>")
    )]
    pub fields: toml::Table,
}

/// Fields that an axis can replace, in the order of the columns. The last axis varies fastest.
pub(super) const FIELDS: [&str; 21] = [
    "population",
    "platform",
    "device",
    "sms",
    "generator",
    "cap",
    "periods",
    "memory-share",
    "deadline",
    "jitter",
    "compute-serial",
    "memory-serial",
    "compute-conflict",
    "memory-conflict",
    "blocks",
    "saturation",
    "wcet",
    "policy",
    "interference",
    "arbitration",
    "granularity",
];

/// Lists the fields that an axis can replace.
#[cfg(feature = "schema")]
fn name_fields(schema: &mut schemars::Schema) {
    let levels = schema.remove("additionalProperties").unwrap_or(true.into());
    if let Some(properties) = schema
        .get_mut("properties")
        .and_then(|fields| fields.as_object_mut())
    {
        properties.extend(FIELDS.map(|field| (field.to_owned(), levels.clone())));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
}

/// An analysis variant: one interpretation of the published experiment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(transform = policy_on_an_axis))]
pub struct Variant {
    /// Name of the analysis variant in the CSV.
    pub name: String,
    /// WCET functions of the tasks: a form, or the measured functions of the tasks in a file. Required, except for task sets
    /// from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wcet: Option<WcetFunctions>,
    /// Scheduling policy, which determines the schedulability test of each partition. Required, either here or as an axis.
    pub policy: Policy,
    /// Interference model, which selects the contention that the analysis counts.
    #[serde(default)]
    pub interference: Interference,
    /// Percentage by which the work of a kernel may grow while other kernels of its partition run. Only under the policy
    /// `concurrent`. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = gpusched_model::MemoryTime::MAX_VARIATION)))]
    pub variation_percent: Option<u32>,
    /// Number of thread blocks of each kernel. If the field is present, its value replaces `blocks` of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = gpusched_analysis::generation::MAX_BLOCKS)))]
    pub blocks: Option<u32>,
    /// Arbitration rule of the shared memory. Only with an `interference` model that counts memory traffic. Such a
    /// model requires `saturation` in the generator. Default: `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<Arbitration>,
    /// Granularity of partitions on the `device` of the study. If absent, a partition can consist of any SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
}

/// Removes `policy` from the required fields, because an axis can state it.
#[cfg(feature = "schema")]
fn policy_on_an_axis(schema: &mut schemars::Schema) {
    if let Some(required) = schema
        .get_mut("required")
        .and_then(|required| required.as_array_mut())
    {
        required.retain(|field| field != "policy");
    }
}

/// Returns whether `gap` has its default value. Written files omit the default.
fn is_zero(gap: &u32) -> bool {
    *gap == 0
}

impl Variant {
    /// Returns the memory that partitions share, or `None` if the interference model ignores memory traffic.
    pub fn memory(&self) -> Option<SharedMemory> {
        self.interference.counts_memory().then(|| {
            SharedMemory::new(
                Bandwidth::new(DRAWN_BANDWIDTH).unwrap_or(Bandwidth::LIMIT),
                self.arbitration.unwrap_or_default(),
            )
        })
    }
}

/// A heuristic with a name and with options.
// The struct repeats the fields of `gpusched_analysis::partitioning::Options`, because serde cannot reject unknown fields
// in flattened structs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(transform = former_names))]
pub struct Algorithm {
    /// Name of the algorithm in the CSV.
    pub name: String,
    /// Heuristic that the algorithm uses. Exactly one of the fields `heuristic`, `time_slices`, `command` and `function` is
    /// required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<HeuristicKind>,
    /// Time slices on all SMs, in place of a heuristic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_slices: Option<SlicedGpu>,
    /// Program of your own, with its arguments. It answers each line with a task set by one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Name and version of a function of the calling program. gpusched writes this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Longest time for one task set. Only with `command`. Default: 60 s.
    // The results do not depend on the time limit, so it is no part of the identity of the experiment.
    #[serde(default, skip_serializing)]
    pub timeout: Option<Time>,
    /// Initial content of the list of forbidden pairs. Only with the heuristics SMS and BF.
    #[serde(default)]
    pub forbidden: Forbidden,
    /// Order of the list of partitions. Only with the heuristics SMS and BF.
    #[serde(default)]
    pub order: ListOrder,
    /// Merge that SMS selects among merges with equal numbers of SMs. Only with the heuristic SMS.
    #[serde(default, skip_serializing_if = "SmsTies::is_default")]
    pub sms_ties: SmsTies,
    /// Measure U that rates a possible merge. Only with the heuristic BF.
    #[serde(default)]
    pub bf_measure: BfMeasure,
    /// Whether BF prefers small or large values of the measure U. Only with the heuristic BF.
    #[serde(default)]
    pub bf_direction: BfDirection,
    /// Number of equal partitions. Default: the smallest number that passes. Only with the heuristics FFD and WFD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u32>,
    /// Objective of the search. Only with the heuristics `savings`, `matching`, `auto` and `optimal`, and with local
    /// search.
    #[serde(default, skip_serializing_if = "Objective::is_default")]
    pub objective: Objective,
    /// Whether a local search improves the plan of the heuristic. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub improve: bool,
    /// Search effort: the maximum number of tests. Only with the heuristics `auto` and `optimal`, and with local
    /// search. An alias of this field is `budget`.
    // The hash of a study uses the alias.
    #[serde(
        default,
        rename(serialize = "budget"),
        alias = "budget",
        skip_serializing_if = "Option::is_none"
    )]
    pub search_effort: Option<u64>,
    /// Accepted optimality gap in SMs. The search stops when its plan fits on the GPU and exceeds the lower bound by at
    /// most `gap` SMs. Only with `auto` and `optimal`. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gap: u32,
    /// How merges count the memory traffic of other partitions. Only if an analysis variant counts traffic.
    #[serde(default, skip_serializing_if = "Traffic::is_all")]
    pub traffic: Traffic,
}

/// Time slices on the whole GPU. Each task has its own context, and the contexts take turns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SlicedGpu {
    /// Time slices; each > 0. With several, gpusched chooses one for each context.
    pub slices: Vec<Time>,
    /// Longest time to switch to another context.
    pub switch: Time,
    /// Longest time for which a kernel exceeds a slice. Default: its longest thread block, or its WCET.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrun: Option<Time>,
    /// Turns of tasks without kernels.
    #[serde(default)]
    pub idle: Idle,
    /// Maximum number of turns of a context per round. gpusched chooses the numbers. Default: 1.
    #[serde(default = "one_turn")]
    pub turns: usize,
    /// Maximum number of contexts. gpusched chooses the tasks that share a context, and the `policy` of the analysis variant orders
    /// their kernels. If absent, each task has its own context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<usize>,
    /// Maximum number of tests for one task set. Default: 1000.
    #[serde(default = "thousand")]
    pub tests: u64,
}

const fn one_turn() -> usize {
    1
}

const fn thousand() -> u64 {
    1000
}

/// Adds `budget`, the alias of the search effort, to the schema.
#[cfg(feature = "schema")]
fn former_names(schema: &mut schemars::Schema) {
    let fields = schema
        .get_mut("properties")
        .and_then(|fields| fields.as_object_mut());
    if let Some(fields) = fields
        && let Some(effort) = fields.get("search_effort").cloned()
    {
        fields.insert("budget".to_owned(), effort);
    }
}
