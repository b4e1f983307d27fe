//! The TOML format of a study of cases.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::Claim;
use crate::measures::MEASURES;

/// A study of cases, which evaluates one metric for each experiment case.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CasesStudy")]
pub struct CasesShape {
    /// Kind of study: always `cases`.
    pub kind: CasesKind,
    /// Name of the study: 1 to 100 letters, digits, `.`, `-` and `_`; the first character is a
    /// letter or a digit. The names of the output files start with this name. The first column of
    /// the CSV contains this name.
    pub name: String,
    /// Title for display; one line.
    #[serde(default)]
    pub title: String,
    /// Published results that the study reproduces, such as `[Aghilinasab20] Tables I and II`.
    #[serde(default)]
    pub source: String,
    /// Seed of all random numbers of the study.
    #[serde(default = "one")]
    pub seed: u64,
    /// Experiment cases of the study; at least one.
    pub case: Vec<CaseTable>,
    /// Figure of the results. If the field is absent, gpusched draws no figure.
    pub figure: Option<CaseFigure>,
    /// Published statements. gpusched checks each statement against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// Kind of a study that evaluates metrics.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CasesKind {
    /// The study evaluates one metric for each experiment case.
    Cases,
}

/// An experiment case: its name (`name`), its metric (`measure`), and the parameters of the metric.
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

/// Figure of a study of cases: a line chart of selected rows of the results.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFigure {
    /// Name of the column on the horizontal axis.
    pub x: String,
    /// Name of the column on the vertical axis.
    #[serde(default = "value")]
    pub y: String,
    /// Title of the horizontal axis. Default: the name of the column.
    #[serde(default)]
    pub x_title: Option<String>,
    /// Title of the vertical axis. Default: the name of the column.
    #[serde(default)]
    pub y_title: Option<String>,
    /// Name of the column that distinguishes lines. The figure has one line for each value in this column.
    pub series: String,
    /// Name of the column that distinguishes panels. The figure has one panel for each value in this column. If absent, the
    /// figure has one panel.
    #[serde(default)]
    pub panel: Option<String>,
    /// Filter for the rows to draw: pairs of a column and a value. gpusched draws the rows that
    /// have the stated value in each of these columns. Default: all rows.
    #[serde(default, rename = "where")]
    pub selection: BTreeMap<String, String>,
}

fn value() -> String {
    "value".to_owned()
}
