//! Comparison of two tables of results, row by row.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::{Serialize, Serializer};

use super::Table;
use super::is_of_axis;
use super::wilson;
use gpusched_model::error::{self, Refusal};

/// Columns that identify a row in a study of partitioning, together with the columns of its further axes.
const KEYS: [&str; 4] = ["utilization", "tasks", "variant", "algorithm"];

/// Columns that identify a row only if they are axes.
const MAYBE_AXES: [&str; 3] = ["policy", "interference", "sms"];

/// Columns that do not identify a row in a study of cases.
const OF_CASES: [&str; 5] = ["study", "value", "unit", "published", "deviation"];

/// A row that occurs in two tables of results, with its value in each table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Columns that identify the row, with their cells.
    #[serde(serialize_with = "as_object")]
    pub row: Vec<(String, String)>,
    /// Value in the first table. It is the schedulability ratio, or the value of a case.
    pub before: f64,
    /// Value in the second table.
    pub after: f64,
    /// 95 % confidence interval of the difference; only for schedulability ratios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

impl Compared {
    /// Returns the second value minus the first value.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }

    /// With a confidence interval, returns whether 0 is outside this interval, so that chance does not explain the
    /// difference. Without an interval, returns whether the values differ.
    pub fn is_clear(&self) -> bool {
        match self.interval {
            Some((low, high)) => low > 0.0 || high < 0.0,
            None => self.before.to_bits() != self.after.to_bits(),
        }
    }
}

fn as_object<S: Serializer>(row: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(row.iter().map(|(column, cell)| (column, cell)))
}

/// Comparison of two tables of results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Rows of both tables, in the order of the first table.
    pub rows: Vec<Compared>,
    /// Number of rows with a value that only the first table has.
    pub only_before: usize,
    /// Number of rows with a value that only the second table has.
    pub only_after: usize,
}

/// Compares `before` and `after`, the tables of results of two studies of the same kind.
///
/// In studies of partitioning, two rows belong together if their utilization, number of tasks, analysis variant,
/// algorithm and values on further axes are equal. The value is the schedulability ratio, with the interval of Newcombe
/// (Statistics in Medicine 17, 1998, method 10) for independent samples. In studies of cases, two rows belong together
/// if their cells are equal in all columns that both tables have, except for the columns `study`, `value`, `unit`,
/// `published` and `deviation`. The value is the column `value`, without an interval. The comparison omits a row if its
/// value is missing in one of the tables.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if a table has no results of a study, if the tables
/// are of different kinds, if they have no row in common, or if a cell is not a number.
pub fn compare(before: &Table, after: &Table) -> error::Result<Comparison> {
    let is_partitioning = |table: &Table| table.find("schedulable").is_some() && table.find("sets").is_some();
    let kind = is_partitioning(before);
    for table in [before, after] {
        if !is_partitioning(table) {
            table.column("value")?;
        }
    }
    if kind != is_partitioning(after) {
        let found = "results of another kind of study";
        let expected = format!("results of the same kind as {}", before.file());
        return Err(after.error(None, Refusal::new("", found, expected)));
    }
    let is_key = |column: &str| match kind {
        true => KEYS.contains(&column) || is_of_axis(column),
        false => !OF_CASES.contains(&column),
    };
    let columns = before.columns().iter().map(String::as_str);
    let mut keys: Vec<&str> = columns
        .filter(|column| is_key(column) && after.find(column).is_some())
        .collect();
    let of_row = |keys: &[&str], table: &Table, row: usize| -> Vec<String> {
        let cells = keys.iter().filter_map(|column| table.find(column));
        cells.map(|column| column.text(row).to_owned()).collect()
    };
    for column in MAYBE_AXES.into_iter().filter(|_| kind) {
        let count = |keys: &[&str], table: &Table| {
            let rows = (0..table.len()).map(|row| of_row(keys, table, row));
            rows.collect::<HashSet<_>>().len()
        };
        let more = [keys.as_slice(), &[column]].concat();
        if [before, after]
            .iter()
            .all(|table| count(&more, table) > count(&keys, table))
        {
            keys = more;
        }
    }
    let key = |table: &Table, row: usize| of_row(&keys, table, row);
    let cell = if kind { share } else { value };
    let values = |table: &Table| -> error::Result<Vec<(Vec<String>, Value)>> {
        let cells = (0..table.len()).map(|row| Ok(cell(table, row)?.map(|value| (key(table, row), value))));
        cells.filter_map(error::Result::transpose).collect()
    };
    let (before_values, after_values) = (values(before)?, values(after)?);
    let (one_count, other_count) = (before_values.len(), after_values.len());
    // Rows with equal keys belong together in their order.
    let mut partners: HashMap<Vec<String>, VecDeque<Value>> = HashMap::new();
    for (key, value) in after_values {
        partners.entry(key).or_default().push_back(value);
    }
    let mut rows = Vec::new();
    for (key, one) in before_values {
        let Some(other) = partners.get_mut(&key).and_then(VecDeque::pop_front) else {
            continue;
        };
        rows.push(Compared {
            row: keys.iter().map(|column| (*column).to_owned()).zip(key).collect(),
            before: one.value,
            after: other.value,
            interval: one
                .counts
                .zip(other.counts)
                .map(|(one, other)| wilson::difference(one, other)),
        });
    }
    if rows.is_empty() {
        let found = format!(
            "no row with the {} of a row of {}",
            keys.join(", "),
            before.file()
        );
        return Err(after.error(None, Refusal::new("", found, "results with a common point")));
    }
    Ok(Comparison {
        only_before: one_count - rows.len(),
        only_after: other_count - rows.len(),
        rows,
    })
}

/// A value. For a share, also the numbers of successes and trials.
struct Value {
    value: f64,
    counts: Option<(u64, u64)>,
}

fn share(table: &Table, row: usize) -> error::Result<Option<Value>> {
    let number = |name: &str| table.column(name)?.number(row);
    let (Some(schedulable), Some(sets)) = (number("schedulable")?, number("sets")?) else {
        return Ok(None);
    };
    if !(schedulable >= 0.0 && schedulable <= sets && sets >= 1.0) {
        let refusal = Refusal::new("schedulable", schedulable, format!("a number from 0 to {sets}"));
        return Err(table.error(Some(row), refusal));
    }
    Ok(Some(Value {
        value: schedulable / sets,
        counts: Some((schedulable as u64, sets as u64)),
    }))
}

fn value(table: &Table, row: usize) -> error::Result<Option<Value>> {
    let value = table.column("value")?.number(row)?;
    Ok(value.map(|value| Value { value, counts: None }))
}
