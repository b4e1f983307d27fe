//! The TOML format of a study of cases.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::Claim;
use crate::measures::MEASURES;

/// A study of cases: evaluates metrics, case by case.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CasesStudy")]
pub struct CasesShape {
    /// Kind of study: `cases`.
    pub kind: CasesKind,
    /// Name of the output files, and first column of the CSV: 1 to 100 letters, digits, `.`, `-` and `_`, the first a letter or digit.
    pub name: String,
    /// Title for display, one line.
    #[serde(default)]
    pub title: String,
    /// Published results that the study reproduces, such as `[Aghilinasab20] Tables I and II`.
    #[serde(default)]
    pub source: String,
    /// Seed of all random numbers.
    #[serde(default = "one")]
    pub seed: u64,
    /// Experiment cases; at least one.
    pub case: Vec<CaseTable>,
    /// Figure of the results. If absent, no figure is drawn.
    pub figure: Option<CaseFigure>,
    /// Published statements, which are checked against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// Kind of a study of cases.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CasesKind {
    /// Evaluates metrics, case by case.
    Cases,
}

/// An experiment case: `name`, `measure`, and the parameters of this metric.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct CaseTable(pub(super) toml::Table);

impl JsonSchema for CaseTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Case".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let of = MEASURES.iter().map(|measure| measure.schema(generator));
        json_schema!({
            "description": "An experiment case: its name, its metric (`measure`) and the parameters of the metric.",
            "anyOf": of.collect::<Vec<_>>()
        })
    }
}

/// Figure of a study of cases: a line chart of rows of its results.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFigure {
    /// Column on the horizontal axis.
    pub x: String,
    /// Column on the vertical axis.
    #[serde(default = "value")]
    pub y: String,
    /// Title of the horizontal axis. Default: the name of the column.
    #[serde(default)]
    pub x_title: Option<String>,
    /// Title of the vertical axis. Default: the name of the column.
    #[serde(default)]
    pub y_title: Option<String>,
    /// Column with one line per value.
    pub series: String,
    /// Column with one panel per value. If absent, there is one panel.
    #[serde(default)]
    pub panel: Option<String>,
    /// Rows to draw, as column = value. Default: all rows.
    #[serde(default, rename = "where")]
    pub selection: BTreeMap<String, String>,
}

fn value() -> String {
    "value".to_owned()
}
