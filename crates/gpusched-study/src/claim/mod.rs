//! Published claims as data. A claim is a statement of a paper, written as a condition about the results of a study.
//!
//! ```toml
//! [[claim]]
//! id = "S21-05"
//! text = "n = 50: everything schedulable for U < 35, 1G included"
//! source = "[Singh21] Fig. 3.4"
//! holds = 'min(rate, utilization < 35) >= 0.99'
//! ```
//!
//! The module [`parser`] defines the language of `holds`.

mod columns;
mod evaluation;
mod expression;
pub mod parser;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::table::Table;
use evaluation::VARIANT;
use gpusched_model::error::{Error, Refusal, Result};

/// The column of weighted schedulability. Only the table `weighted` has this column.
const WEIGHTED: &str = "weighted";

pub use evaluation::Evaluation;
pub use expression::Expression;
pub use gpusched_model::syntax::ParseError;

/// A published claim, with the condition under which the results of a study confirm the claim.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Short name of the claim, unique in the study, such as `S21-05`.
    pub id: String,
    /// Statement of the claim, as text.
    pub text: String,
    /// Paper and place of the claim, such as `[Singh21] Fig. 3.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Numbers that the paper publishes, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Whether the study fails if its results do not confirm the claim. Default: false.
    #[serde(default)]
    pub must_hold: bool,
    /// Analysis variants for which gpusched checks the claim, separately for each variant. Default:
    /// all variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(alias = "readings")]
    pub variants: Option<Vec<String>>,
    /// Whether the claim compares analysis variants. If true, gpusched checks the claim once, over
    /// the rows of all variants. Default: false.
    #[serde(default)]
    #[serde(alias = "across_readings")]
    pub across_variants: bool,
    /// Columns that identify a point for a gap function, such as `min_gap`. Two rows with equal cells in all of these
    /// columns belong to one point. Default: `point`, `utilization`, `tasks` and `variant`, if the table has these
    /// columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_by: Option<Vec<String>>,
    /// Table that the claim is about. The table `timing` exists only if the study measures times.
    /// The tables `weighted` and `paired` exist only if the study requests them.
    #[serde(default = "results")]
    pub table: String,
    /// Condition about the table. The results confirm the claim if the condition is true.
    pub holds: Expression,
}

fn results() -> String {
    "results".to_owned()
}

/// The result of checking one claim, for one analysis variant or for all variants together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Id of the checked claim.
    pub id: String,
    /// Statement of the claim, as text.
    pub text: String,
    /// Paper and place of the claim.
    pub source: Option<String>,
    /// Numbers that the paper publishes, as text.
    pub published: Option<String>,
    /// Whether the study fails if its results do not confirm the claim.
    pub must_hold: bool,
    /// Analysis variant for which the claim was checked. Absent if the claim is about all variants
    /// together, or if the table has no column for variants.
    pub variant: Option<String>,
    /// Condition of the claim, on one line.
    pub holds: String,
    /// Whether the results confirm the claim.
    pub reproduced: bool,
    /// Computed values: text and value of each aggregate in the condition.
    pub figures: Vec<(String, f64)>,
}

impl Finding {
    /// Returns whether this finding makes the study fail. The study fails if a claim that must hold is not confirmed.
    pub fn is_failure(&self) -> bool {
        self.must_hold && !self.reproduced
    }

    /// Returns the text and the rounded value of each aggregate in the condition.
    pub fn figures_in_words(&self) -> Vec<(&str, String)> {
        let figures = self.figures.iter();
        figures
            .map(|(name, value)| (name.as_str(), rounded(*value)))
            .collect()
    }
}

/// Formats a number with at most four decimals. A number of 1000 or more has no decimals.
fn rounded(value: f64) -> String {
    let digits = if value.abs() >= 1000.0 { 0 } else { 4 };
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// Checks the claims in the given order. Checks a claim about all analysis variants together only once. Every other
/// claim is checked once for each variant, in the order of the variants in the table.
///
/// The function `table` returns the table with a given name.
///
/// # Errors
/// Fails with [`Error::Refused`] if two claims have the same id or if a table is unknown. Also fails if a table is
/// empty or lacks data that a claim uses; in this case, the error names the claim.
pub fn check<'t>(claims: &[Claim], table: impl Fn(&str) -> Option<&'t Table>) -> Result<Vec<Finding>> {
    let mut ids = HashSet::new();
    let mut findings = Vec::new();
    for claim in claims {
        if !ids.insert(&claim.id) {
            return Err(Error::parameter(
                "claim",
                format!("two claims with the id {}", claim.id),
                "different ids",
            ));
        }
        let lookup = &table;
        let table = lookup(&claim.table).ok_or_else(|| {
            let field = format!("claim {}", claim.id);
            let found = format!("no table `{}`", claim.table);
            let expected = match claim.table.as_str() {
                "weighted" => "`weighted = true` in the study, which creates this table",
                _ => "a table of the study",
            };
            Error::parameter(field, found, expected)
        })?;
        for variant in variants(claim, table).map_err(|error| named(claim, error, None))? {
            let evaluation = claim
                .holds
                .evaluate_paired(table, variant, claim.pair_by.as_deref());
            let Evaluation { holds, figures } =
                evaluation.map_err(|error| named(claim, error, elsewhere(claim, table, lookup)))?;
            findings.push(Finding {
                id: claim.id.clone(),
                text: claim.text.clone(),
                source: claim.source.clone(),
                published: claim.published.clone(),
                must_hold: claim.must_hold,
                variant: variant.map(str::to_owned),
                holds: claim.holds.to_string(),
                reproduced: holds,
                figures,
            });
        }
    }
    Ok(findings)
}

/// Returns the analysis variants for which `claim` is checked. The value `None` means one check over the rows of all
/// variants.
fn variants<'t>(claim: &Claim, table: &'t Table) -> Result<Vec<Option<&'t str>>> {
    let fail = |message| Err(table.error(None, Refusal::told(VARIANT, message)));
    if table.is_empty() {
        return fail("the table has no rows".to_owned());
    }
    if claim.across_variants {
        return match &claim.variants {
            None => Ok(vec![None]),
            Some(_) => fail(
                "found both `variants` and `across_variants`, expected only one of these fields".to_owned(),
            ),
        };
    }
    let (known, wanted) = match (table.find(VARIANT), &claim.variants) {
        (None, None) => return Ok(vec![None]),
        (None, Some(_)) => return Err(missing_column(table)),
        (Some(column), None) => return Ok(column.distinct().into_iter().map(Some).collect()),
        (Some(column), Some(wanted)) => (column.distinct(), wanted),
    };
    if wanted.is_empty() {
        return fail("`variants` is empty, expected at least one analysis variant".to_owned());
    }
    if let Some(unknown) = wanted.iter().find(|variant| !known.contains(&variant.as_str())) {
        return fail(format!(
            "no analysis variant \"{unknown}\", expected one of {}",
            known.join(", ")
        ));
    }
    let wanted = known
        .into_iter()
        .filter(|&variant| wanted.iter().any(|item| item == variant));
    Ok(wanted.map(Some).collect())
}

fn missing_column(table: &Table) -> Error {
    table.error(
        None,
        Refusal::new(
            "",
            format!("no column `{VARIANT}`"),
            "a table with this column, because the claim has `variants`",
        ),
    )
}

/// If `claim` uses a column that `table` lacks, returns a hint that names another table with this column. Returns
/// `None` if no table has the column.
fn elsewhere<'t>(claim: &Claim, table: &Table, lookup: impl Fn(&str) -> Option<&'t Table>) -> Option<String> {
    let lacks = |column: &&str| table.find(column).is_none();
    let column = claim.holds.columns().into_iter().find(lacks)?;
    let has = |name: &&str| lookup(name).is_some_and(|table| table.find(column).is_some());
    if let Some(name) = ["results", "timing", "weighted", "paired"]
        .iter()
        .find(|name| has(name))
    {
        return Some(format!(
            "set `table = \"{name}\"` in the claim, because that table has `{column}`"
        ));
    }
    let makes_weighted = "set `weighted = true` in a study of partitioning to create a table `weighted` for claims with \
                          `table = \"weighted\"`";
    (lookup("weighted").is_none() && column == WEIGHTED).then(|| makes_weighted.to_owned())
}

/// Adds the name of the claim and the hint to the error.
fn named(claim: &Claim, error: Error, hint: Option<String>) -> Error {
    error.map_refusal(|refusal| {
        let refusal = refusal.within(&format!("claim {}", claim.id));
        match hint {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })
}
