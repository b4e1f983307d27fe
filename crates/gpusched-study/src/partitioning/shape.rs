//! The shape of the TOML file of a study of partitioning.

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

/// A study of partitioning in the shape of the file.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PartitioningStudy")]
pub struct PartitioningShape {
    /// The kind of experiment; this is the default.
    #[serde(default)]
    pub kind: PartitioningKind,
    /// Names the study's files and fills the first column of its CSV: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// What is reproduced, such as `[Singh21] Fig. 3.4`.
    #[serde(default)]
    pub source: String,
    /// The seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// Task sets per point.
    pub sets: u64,
    /// M, the number of SMs; or `platform`, or `device`.
    pub sms: Option<u32>,
    /// The platform whose SMs are partitioned; or `sms`, or `device`.
    pub platform: Option<String>,
    /// The device whose SMs are partitioned, by name; or `sms`, or `platform`. Readings say how it is divided.
    pub device: Option<String>,
    /// Where task sets are drawn.
    pub axis: Axis,
    /// How task sets are drawn; the WCET form is up to each reading.
    #[serde(default)]
    pub generator: Recipe,
    /// Ways to understand the published experiment; all see the same draws.
    pub reading: Vec<Reading>,
    /// The heuristics compared.
    pub algorithm: Vec<Algorithm>,
    /// Whether there is a table of weighted schedulability as well: for each number of tasks one number for all utilizations.
    #[serde(default)]
    pub weighted: bool,
    /// What the figure shows.
    #[serde(default)]
    pub figure: Figure,
    /// Published statements, checked against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// The kind of experiment that this shape is of.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartitioningKind {
    /// Random task sets are partitioned: points × sets.
    #[default]
    Partitioning,
}

/// The points of a study: every number of tasks with every utilization.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// U, the utilization of a whole task set on one SM.
    pub utilization: Values,
    /// n, the number of tasks.
    pub tasks: Values,
}

/// One way to understand the published experiment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// The name in the CSV.
    pub name: String,
    /// The form of the WCET functions.
    pub wcet: WcetModel,
    /// The test inside one partition.
    pub policy: Policy,
    /// How company stretches a WCET.
    #[serde(default)]
    pub interference: Interference,
    /// The number of thread blocks of each kernel, in place of the generator's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_BLOCKS))]
    pub blocks: Option<u32>,
    /// With an `interference` that counts bandwidth: how partitions share the memory of the generator's `saturation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<Arbitration>,
    /// What a partition of the study's `device` consists of; any SMs if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
}

/// Whether `gap` is the default, which files leave out.
fn is_zero(gap: &u32) -> bool {
    *gap == 0
}

impl Reading {
    /// The memory that partitions share, if their traffic counts.
    pub fn memory(&self) -> Option<SharedMemory> {
        self.interference.counts_bandwidth().then(|| SharedMemory {
            bandwidth: Bandwidth::new(DRAWN_BANDWIDTH).unwrap_or(Bandwidth::LIMIT),
            arbitration: self.arbitration.unwrap_or_default(),
        })
    }
}

/// A heuristic under a name. The fields are those of [`Options`](gpusched_analysis::partitioning::Options) (serde cannot flatten strictly).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = former_names)]
pub struct Algorithm {
    /// The name in the CSV.
    pub name: String,
    /// Which heuristic.
    pub heuristic: HeuristicKind,
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
    /// Auto, optimal, and local search: the most tests of the search. Older files call it `budget`.
    // The hash of a study is made of that name.
    #[serde(
        default,
        rename(serialize = "budget"),
        alias = "budget",
        skip_serializing_if = "Option::is_none"
    )]
    pub search_effort: Option<u64>,
    /// Auto and optimal: the search ends as soon as its plan fits and has at most so many SMs more than the lower bound.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gap: u32,
    /// How merges look at the traffic of other partitions; of effect in readings that count it.
    #[serde(default, skip_serializing_if = "Traffic::is_all")]
    pub traffic: Traffic,
}

/// Files may call the search effort `budget`, as former versions did.
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

/// What the figure of a study shows.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Figure {
    /// Whether it shows the results, the times or weighted schedulability.
    pub table: FigureTable,
    /// The column along its vertical axis.
    pub y: String,
    /// What a panel is for; the lines are of the other.
    pub panel: FigurePanel,
}

/// What a figure has a panel for each of.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FigurePanel {
    /// Each reading; a line per algorithm.
    #[default]
    Reading,
    /// Each algorithm; a line per reading.
    Algorithm,
}

impl FigurePanel {
    /// The columns with one panel, and one line, per value.
    pub fn and_series(self) -> (&'static str, &'static str) {
        match self {
            FigurePanel::Reading => ("reading", "algorithm"),
            FigurePanel::Algorithm => ("algorithm", "reading"),
        }
    }
}

/// The tables of a study that a figure can show.
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
    /// The columns that can be along the vertical axis.
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

    /// Nothing that is written is lost on the way, and what the experiment's hash is of stays as it is.
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
        // The hash is of the former names.
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
