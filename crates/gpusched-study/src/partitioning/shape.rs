//! The TOML format of a study of partitioning.

use serde::{Deserialize, Serialize};

use crate::Claim;
use crate::definition::axis::Values;
use gpusched_analysis::generation::{DRAWN_BANDWIDTH, MAX_BLOCKS, Recipe, WcetModel};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::forbidden::Forbidden;
use gpusched_analysis::partitioning::order::{BfDirection, BfMeasure, ListOrder};
use gpusched_analysis::partitioning::{HeuristicKind, Objective, Traffic};
use gpusched_model::device::Granularity;
use gpusched_model::{Arbitration, Bandwidth, Policy, SharedMemory};

/// A study of partitioning: partitions generated task sets with several heuristics.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PartitioningStudy")]
pub struct PartitioningShape {
    /// Kind of study.
    #[serde(default)]
    pub kind: PartitioningKind,
    /// Name of the output files, and first column of the CSV: 1 to 100 letters, digits, `.`, `-` and `_`, the first a letter or digit.
    pub name: String,
    /// Title for display, one line.
    #[serde(default)]
    pub title: String,
    /// Published results that the study reproduces, such as `[Singh21] Fig. 3.4`.
    #[serde(default)]
    pub source: String,
    /// Seed of all random numbers.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of generated task sets per point; at least 1.
    pub sets: u64,
    /// Number of SMs M of the GPU. A study states exactly one of `sms`, `platform` and `device`.
    pub sms: Option<u32>,
    /// Platform preset that sets the number of SMs.
    pub platform: Option<String>,
    /// Name of the device that sets the number of SMs. Each analysis variant states its `granularity`.
    pub device: Option<String>,
    /// Points of the study.
    pub axis: Axis,
    /// Task set generator. The WCET form is stated in each analysis variant.
    #[serde(default)]
    pub generator: Recipe,
    /// Analysis variants: interpretations of the published experiment. All variants use the same generated task sets.
    pub reading: Vec<Reading>,
    /// Heuristics to compare.
    pub algorithm: Vec<Algorithm>,
    /// Whether to add a table of weighted schedulability: for each number of tasks, one number for all utilizations.
    #[serde(default)]
    pub weighted: bool,
    /// Figure of the results.
    #[serde(default)]
    pub figure: Figure,
    /// Published statements, which are checked against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// Kind of a study of partitioning.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartitioningKind {
    /// Partitions generated task sets: points × sets.
    #[default]
    Partitioning,
}

/// Points of a study: every number of tasks with every utilization.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Utilization U of a whole task set on one SM; each > 0.
    pub utilization: Values,
    /// Number of tasks n of a task set.
    pub tasks: Values,
}

/// An analysis variant: one interpretation of the published experiment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Name in the CSV.
    pub name: String,
    /// Form of the WCET functions.
    pub wcet: WcetModel,
    /// Schedulability test of each partition.
    pub policy: Policy,
    /// Interference model.
    #[serde(default)]
    pub interference: Interference,
    /// Number of thread blocks of each kernel. Replaces `blocks` of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_BLOCKS))]
    pub blocks: Option<u32>,
    /// Arbitration rule of the shared memory; the generator states its `saturation`. Only with an `interference` model that
    /// counts bandwidth. Default: `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<Arbitration>,
    /// Granularity of the partitions of the study's `device`. If absent, a partition consists of any SMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
}

/// Returns whether `gap` has its default, which files leave out.
fn is_zero(gap: &u32) -> bool {
    *gap == 0
}

impl Reading {
    /// Returns the memory that partitions share, if their traffic counts.
    pub fn memory(&self) -> Option<SharedMemory> {
        self.interference.counts_bandwidth().then(|| SharedMemory {
            bandwidth: Bandwidth::new(DRAWN_BANDWIDTH).unwrap_or(Bandwidth::LIMIT),
            arbitration: self.arbitration.unwrap_or_default(),
        })
    }
}

/// A heuristic with a name and options.
// It repeats the fields of `gpusched_analysis::partitioning::Options`, because serde cannot flatten strictly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = former_names)]
pub struct Algorithm {
    /// Name in the CSV.
    pub name: String,
    /// Heuristic.
    pub heuristic: HeuristicKind,
    /// SMS and BF: initial content of the list of forbidden pairs.
    #[serde(default)]
    pub forbidden: Forbidden,
    /// SMS and BF: order of the list of partitions.
    #[serde(default)]
    pub order: ListOrder,
    /// BF: measure U of a possible merge.
    #[serde(default)]
    pub bf_measure: BfMeasure,
    /// BF: preferred direction of U.
    #[serde(default)]
    pub bf_direction: BfDirection,
    /// FFD and WFD: number of equal partitions. If absent, the smallest number that accepts all tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u32>,
    /// Savings, matching, auto, optimal and local search: search objective.
    #[serde(default, skip_serializing_if = "Objective::is_default")]
    pub objective: Objective,
    /// Whether local search follows the heuristic. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub improve: bool,
    /// Auto, optimal and local search: search effort, the maximum number of tests. `budget` is a former name of this field.
    // The hash of a study uses the former name.
    #[serde(
        default,
        rename(serialize = "budget"),
        alias = "budget",
        skip_serializing_if = "Option::is_none"
    )]
    pub search_effort: Option<u64>,
    /// Auto and optimal: accepted optimality gap in SMs. The search ends when its plan fits and has at most `gap` SMs more
    /// than the lower bound. Default: 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gap: u32,
    /// How merges treat the memory traffic of other partitions. Only with analysis variants that count memory traffic.
    #[serde(default, skip_serializing_if = "Traffic::is_all")]
    pub traffic: Traffic,
}

/// Adds the former name `budget` of the search effort to the schema.
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

/// Figure of a study of partitioning.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Figure {
    /// Table that the figure shows: results, times or weighted schedulability.
    pub table: FigureTable,
    /// Column on the vertical axis.
    pub y: String,
    /// Whether panels show analysis variants and lines show algorithms, or the other way around.
    pub panel: FigurePanel,
}

/// What a panel of a figure shows.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FigurePanel {
    /// One panel per analysis variant, with one line per algorithm.
    #[default]
    Reading,
    /// One panel per algorithm, with one line per analysis variant.
    Algorithm,
}

impl FigurePanel {
    /// Returns the columns with one panel per value and one line per value.
    pub fn and_series(self) -> (&'static str, &'static str) {
        match self {
            FigurePanel::Reading => ("reading", "algorithm"),
            FigurePanel::Algorithm => ("algorithm", "reading"),
        }
    }
}

/// Tables of a study that a figure can show.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FigureTable {
    /// `NAME.csv`.
    #[default]
    Results,
    /// `NAME.timing.csv`.
    Timing,
    /// `NAME.weighted.csv`, over the number of tasks.
    Weighted,
}

impl Default for Figure {
    fn default() -> Figure {
        Figure {
            table: FigureTable::Results,
            y: "rate".to_owned(),
            panel: FigurePanel::default(),
        }
    }
}

impl Figure {
    /// Returns the possible columns for the vertical axis.
    pub fn columns(&self) -> &'static [&'static str] {
        match self.table {
            FigureTable::Results => &[
                "rate",
                "schedulable",
                "mean_sms",
                "mean_merges",
                "mean_prefill_merges",
            ],
            FigureTable::Timing => &["mean_search_ns", "mean_prefill_ns"],
            FigureTable::Weighted => &["weighted"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_analysis::partitioning::Options;

    /// Writing keeps all fields, and the hash input of the experiment stays unchanged.
    #[test]
    fn an_algorithm_has_the_fields_of_the_options() {
        let text = r#"{"name":"x","heuristic":"bf","forbidden":"act","order":"increasing","bf_measure":"demand",
            "bf_direction":"descending","split":3,"objective":"feasible","improve":true,"budget":7,"gap":2}"#;
        let fields: serde_json::Value = serde_json::from_str(text).unwrap();
        let algorithm: Algorithm = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(&algorithm).unwrap(), fields);
        let options: Options = serde_json::from_str(text).unwrap();
        let written = Options {
            improve: true,
            objective: Some(Objective::Feasible),
            search_effort: Some(7),
            forbidden: Some(Forbidden::Act),
            order: Some(ListOrder::Increasing),
            bf_measure: Some(BfMeasure::Demand),
            bf_direction: Some(BfDirection::Descending),
            split: Some(3),
            gap: Some(2),
            ..Options::default()
        };
        assert_eq!(options, written);
        // The hash uses the former names.
        let (former, names): (Algorithm, Algorithm) = (
            serde_json::from_str(r#"{"name":"x","heuristic":"sms","budget":7}"#).unwrap(),
            serde_json::from_str(r#"{"name":"x","heuristic":"fewest-sms","search_effort":7}"#).unwrap(),
        );
        assert_eq!(former, names);
        let hashed = serde_json::to_value(&names).unwrap();
        assert_eq!(
            (&hashed["heuristic"], &hashed["budget"]),
            (&"sms".into(), &7.into())
        );
        let plain: Algorithm = serde_json::from_str(r#"{"name":"x","heuristic":"bf"}"#).unwrap();
        assert_eq!(
            serde_json::to_string(&plain).unwrap(),
            r#"{"name":"x","heuristic":"bf","forbidden":"ina","order":"decreasing","bf_measure":"utilization","bf_direction":"ascending"}"#
        );
    }
}
