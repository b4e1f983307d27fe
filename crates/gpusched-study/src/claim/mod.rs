//! Published claims as data: what a paper says, as a condition over the results of a study.
//!
//! ```toml
//! [[claim]]
//! id = "S21-05"
//! text = "n = 50: everything schedulable for U < 35, 1G included"
//! source = "[Singh21] Fig. 3.4"
//! holds = 'min(rate, utilization < 35) >= 0.99'
//! ```
//!
//! The language of `holds` is described at [`parser`].

mod columns;
mod evaluation;
mod expression;
pub mod parser;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::table::Table;
use evaluation::READING;
use gpusched_model::error::{Error, Refusal, Result};

/// The column of weighted schedulability, in a table of its own.
const WEIGHTED: &str = "weighted";

pub use evaluation::Evaluation;
pub use expression::Expression;
pub use gpusched_model::syntax::ParseError;

/// A published claim and the condition under which a study's results confirm it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A short name, unique in the study, such as `S21-05`.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// Where it is published, such as `[Singh21] Fig. 3.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The published figures, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Whether a study that does not confirm it has failed.
    #[serde(default)]
    pub must_hold: bool,
    /// The readings it is checked for, each by itself [default: all].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Vec<String>>,
    /// Whether it is about the readings together: checked once, over the rows of all of them.
    #[serde(default)]
    pub across_readings: bool,
    /// The columns in which two rows must agree to be the same point of a gap [default: those of point, utilization, tasks
    /// and reading that the table has].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_by: Option<Vec<String>>,
    /// The table it is about: `results`, `timing` where times are measured, or `weighted` where the study asks for it.
    #[serde(default = "results")]
    pub table: String,
    /// The condition.
    pub holds: Expression,
}

fn results() -> String {
    "results".to_owned()
}

/// What the results say about one claim, under one reading or all.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// The claim.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// Where it is published.
    pub source: Option<String>,
    /// The published figures, in words.
    pub published: Option<String>,
    /// Whether it is a failure if this is not reproduced.
    pub must_hold: bool,
    /// The reading, unless the claim is about all of them or the table has none.
    pub reading: Option<String>,
    /// The condition, on one line.
    pub holds: String,
    /// Whether the results confirm the claim.
    pub reproduced: bool,
    /// Our figures: every aggregate of the claim as text, and its value.
    pub figures: Vec<(String, f64)>,
}

impl Finding {
    /// Whether this fails the study: a claim that must hold and does not.
    pub fn is_failure(&self) -> bool {
        self.must_hold && !self.reproduced
    }

    /// Our figures for people: with as many digits as are of interest.
    pub fn figures_in_words(&self) -> Vec<(&str, String)> {
        let figures = self.figures.iter();
        figures
            .map(|(name, value)| (name.as_str(), rounded(*value)))
            .collect()
    }
}

/// Four decimals, or none from a thousand on.
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

/// Checks every claim, once per reading (or once, if it is about them together), in the order given; readings come in the order of the table.
///
/// `table` finds the tables by name.
///
/// # Errors
/// [`Error::Refused`] for two claims with one id or an unknown table; [`Error::Refused`] naming the claim if a table is empty
/// or lacks what the claim asks for.
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
                "weighted" => "`weighted = true` in the study, which makes it",
                _ => "a table of the study",
            };
            Error::parameter(field, found, expected)
        })?;
        for reading in readings(claim, table).map_err(|error| named(claim, error, None))? {
            let evaluation = claim
                .holds
                .evaluate_paired(table, reading, claim.pair_by.as_deref());
            let Evaluation { holds, figures } =
                evaluation.map_err(|error| named(claim, error, elsewhere(claim, table, lookup)))?;
            findings.push(Finding {
                id: claim.id.clone(),
                text: claim.text.clone(),
                source: claim.source.clone(),
                published: claim.published.clone(),
                must_hold: claim.must_hold,
                reading: reading.map(str::to_owned),
                holds: claim.holds.to_string(),
                reproduced: holds,
                figures,
            });
        }
    }
    Ok(findings)
}

/// The readings a claim is checked for; `None` stands for the whole of the table.
fn readings<'t>(claim: &Claim, table: &'t Table) -> Result<Vec<Option<&'t str>>> {
    let fail = |message| Err(table.error(None, Refusal::told(READING, message)));
    if table.is_empty() {
        return fail("the table has no rows".to_owned());
    }
    if claim.across_readings {
        return match &claim.readings {
            None => Ok(vec![None]),
            Some(_) => fail("found both `readings` and `across_readings`, expected one".to_owned()),
        };
    }
    let (known, wanted) = match (table.find(READING), &claim.readings) {
        (None, None) => return Ok(vec![None]),
        (None, Some(_)) => return Err(missing_column(table)),
        (Some(column), None) => return Ok(column.distinct().into_iter().map(Some).collect()),
        (Some(column), Some(wanted)) => (column.distinct(), wanted),
    };
    if wanted.is_empty() {
        return fail("`readings` is empty: nothing to check".to_owned());
    }
    if let Some(unknown) = wanted.iter().find(|reading| !known.contains(&reading.as_str())) {
        return fail(format!(
            "no reading \"{unknown}\"; there are {}",
            known.join(", ")
        ));
    }
    let wanted = known
        .into_iter()
        .filter(|&reading| wanted.iter().any(|item| item == reading));
    Ok(wanted.map(Some).collect())
}

fn missing_column(table: &Table) -> Error {
    table.error(
        None,
        Refusal::new(
            "",
            format!("no column `{READING}`"),
            "one, which the claim's `readings` need",
        ),
    )
}

/// Where a column is that `claim` needs and its `table` lacks, to follow the error; `None` where it is in none of the others.
fn elsewhere<'t>(claim: &Claim, table: &Table, lookup: impl Fn(&str) -> Option<&'t Table>) -> Option<String> {
    let lacks = |column: &&str| table.find(column).is_none();
    let column = claim.holds.columns().into_iter().find(lacks)?;
    let has = |name: &&str| lookup(name).is_some_and(|table| table.find(column).is_some());
    if let Some(name) = ["results", "timing", "weighted"].iter().find(|name| has(name)) {
        return Some(format!(
            "say `table = \"{name}\"` in the claim: that table has `{column}`"
        ));
    }
    let makes_weighted = "say `weighted = true` in a study of partitioning: it makes a table `weighted`, for claims with \
                          `table = \"weighted\"`";
    (lookup("weighted").is_none() && column == WEIGHTED).then(|| makes_weighted.to_owned())
}

/// The error with the claim it concerns, and a hint after it.
fn named(claim: &Claim, error: Error, hint: Option<String>) -> Error {
    error.map_refusal(|refusal| {
        let refusal = refusal.within(&format!("claim {}", claim.id));
        match hint {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })
}
