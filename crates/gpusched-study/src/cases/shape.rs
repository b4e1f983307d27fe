//! The TOML format of a study of cases.

use serde::Deserialize;

use crate::claim::Claim;
use crate::definition::figures::Figures;

/// A study of cases, which evaluates one metric for each experiment case.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "CasesStudy"))]
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
    /// Figure of the results, or several figures. If the field is absent, gpusched draws no figure.
    pub figure: Option<Figures>,
    /// Published statements. gpusched checks each statement against the results.
    #[serde(default)]
    pub claim: Vec<Claim>,
}

fn one() -> u64 {
    1
}

/// Kind of a study that evaluates metrics.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CasesKind {
    /// The study evaluates one metric for each experiment case.
    Cases,
}

/// An experiment case: its name (`name`), its metric (`measure`), and the parameters of the metric.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct CaseTable(pub(super) toml::Table);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CaseTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Case".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let of = crate::measures::all().map(|measure| measure.schema(generator));
        schemars::json_schema!({
            "description": "An experiment case: its name, its metric (`measure`) and the parameters of the metric.",
            "anyOf": of.collect::<Vec<_>>()
        })
    }
}
