//! The shape of the TOML file of a study of cases.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::Claim;
use crate::measures::MEASURES;

/// A study of cases in the shape of the file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CasesStudy")]
pub struct CasesShape {
    /// The kind of experiment.
    pub kind: CasesKind,
    /// Names the study's files and fills the first column of its CSV: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// What is reproduced, such as `[Aghilinasab20] Tables I and II`.
    #[serde(default)]
    pub source: String,
    /// The seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// What is measured.
    pub case: Vec<CaseTable>,
    /// What the figure shows; without it, none is drawn.
    pub figure: Option<CaseFigure>,
    /// Published statements, checked against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// The kind of experiment that this shape is of.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CasesKind {
    /// Quantities are measured, case by case.
    Cases,
}

/// A case as it stands in the file: `name`, `measure`, and the parameters of that measure.
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
            "description": "What is measured: a name, a measure, and its parameters.",
            "anyOf": of.collect::<Vec<_>>()
        })
    }
}

/// What the figure of a study of cases shows: a line chart of rows of its results.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFigure {
    /// The column along its horizontal axis.
    pub x: String,
    /// The column along its vertical axis.
    #[serde(default = "value")]
    pub y: String,
    /// What stands along its horizontal axis; the column's name by default.
    #[serde(default)]
    pub x_title: Option<String>,
    /// What stands along its vertical axis; the column's name by default.
    #[serde(default)]
    pub y_title: Option<String>,
    /// The column with a line per value.
    pub series: String,
    /// The column with a panel per value.
    #[serde(default)]
    pub panel: Option<String>,
    /// The rows that are drawn, as column = value; all by default.
    #[serde(default, rename = "where")]
    pub selection: BTreeMap<String, String>,
}

fn value() -> String {
    "value".to_owned()
}
