//! Weighted schedulability: Σ U·schedulable / Σ U over all task sets. Weighted schedulability is one number for all
//! utilizations together.
//!
//! Source: A. Bastoni, B. B. Brandenburg and J. H. Anderson, *Cache-related preemption and migration delays: empirical
//! approximation and impact on schedulability*, OSPERT 2010.

use std::collections::HashMap;

use super::csv_of;
use super::{Column, Table, is_of_axis};
use gpusched_model::Factor;
use gpusched_model::error::Result;

/// Columns of the table of weighted schedulability. The table has one row for each combination of: number of tasks,
/// values on the further axes, analysis variant, and algorithm. The columns of the further axes follow the column
/// `tasks`.
pub const WEIGHTED_COLUMNS: [&str; 10] = [
    "study",
    "tasks",
    "variant",
    "algorithm",
    "policy",
    "interference",
    "sms",
    "utilizations",
    "sets",
    "weighted",
];

/// Number of columns in [`WEIGHTED_COLUMNS`] before the columns of the axes.
const BEFORE_AXES: usize = 2;

/// Number of those columns in [`WEIGHTED_COLUMNS`] that gpusched copies from the table of results. They identify a row.
const COPIED: usize = 7;

/// The two sums in the definition of weighted schedulability. Their unit is a billionth of utilization 1.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Weighted {
    schedulable: u128,
    all: u128,
}

impl Weighted {
    /// Adds `sets` task sets with utilization U = `utilization` [10⁻⁹] each. Among them,
    /// `schedulable` task sets are schedulable.
    pub fn add(&mut self, utilization: u128, schedulable: u64, sets: u64) {
        self.schedulable += utilization * u128::from(schedulable);
        self.all += utilization * u128::from(sets);
    }

    /// Returns the weighted schedulability with six decimals, rounded half up. If there are no task sets, the result is 0.
    pub fn share(&self) -> String {
        const UNIT: u128 = 1_000_000;
        let all = self.all.max(1);
        let millionths = (2 * self.schedulable * UNIT + all) / (2 * all);
        format!("{}.{:06}", millionths / UNIT, millionths % UNIT)
    }
}

/// One row of the table.
struct Line {
    copied: Vec<String>,
    utilizations: u64,
    sets: u64,
    weighted: Weighted,
}

/// Computes the table of weighted schedulability from `results`, the table of results of a study of partitioning. The
/// table has the columns [`WEIGHTED_COLUMNS`].
///
/// # Errors
/// Fails if `results` lacks a column that a study of partitioning writes.
pub fn weighted(results: &Table) -> Result<Table> {
    let axes: Vec<&str> = results
        .columns()
        .iter()
        .map(String::as_str)
        .filter(|name| is_of_axis(name))
        .collect();
    Table::from_reader(results.file(), table(results.file(), results, &axes)?.as_slice())
}

/// Computes the table of weighted schedulability from `results`, the table of results of the study called `name`. `axes` contains
/// the columns of further axes.
///
/// # Errors
/// Fails if `results` lacks a column that a study of partitioning writes.
pub(crate) fn table(name: &str, results: &Table, axes: &[&str]) -> Result<Vec<u8>> {
    let (before, after) = WEIGHTED_COLUMNS.split_at(BEFORE_AXES);
    let columns = [before, axes, after].concat();
    let copied = columns
        .iter()
        .take(COPIED + axes.len())
        .map(|column| results.column(column))
        .collect::<Result<Vec<_>>>()?;
    let [utilization, sets, schedulable] =
        ["utilization", "sets", "schedulable"].map(|column| results.column(column));
    let (utilization, sets, schedulable) = (utilization?, sets?, schedulable?);
    let mut lines: Vec<Line> = Vec::new();
    let mut known = HashMap::new();
    for row in 0..results.len() {
        let texts: Vec<String> = copied.iter().map(|column| column.text(row).to_owned()).collect();
        let position = *known.entry(texts.clone()).or_insert(lines.len());
        if position == lines.len() {
            lines.push(Line {
                copied: texts,
                utilizations: 0,
                sets: 0,
                weighted: Weighted::default(),
            });
        }
        let utilization = value(utilization, row, |text| {
            text.parse().ok().and_then(Factor::from_f64)
        })?;
        let sets = value(sets, row, |text| text.parse().ok())?;
        let schedulable = value(schedulable, row, |text| text.parse().ok())?;
        if let Some(line) = lines.get_mut(position) {
            line.utilizations += 1;
            line.sets += sets;
            line.weighted.add(billionths(utilization), schedulable, sets);
        }
    }
    let rows = lines.into_iter().map(|line| {
        let mut row = line.copied;
        row.extend([
            line.utilizations.to_string(),
            line.sets.to_string(),
            line.weighted.share(),
        ]);
        row
    });
    csv_of(name, &columns, rows)
}

/// Parses the cell of `column` in `row` with the function `parse`.
fn value<T>(column: Column<'_>, row: usize, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    parse(column.text(row)).ok_or_else(|| column.error(row, "a number"))
}

/// Converts `factor` to billionths. A factor has at most nine decimals.
fn billionths(factor: Factor) -> u128 {
    let (numerator, denominator) = factor.ratio();
    u128::from(numerator) * 1_000_000_000 / u128::from(denominator)
}
