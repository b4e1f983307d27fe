//! The tables that a study of partitioning writes.

use super::Partitioning;
use super::pairs;
use super::setting::Setting;
use super::shape::{Algorithm, Variant};
use crate::definition::tables::Tables;
use crate::table::csv_of;
use crate::table::wilson;
use crate::table::{COLUMNS, TIMING_COLUMNS, Table, weighted_table};
use crate::work::Point;
use crate::work::collection::Collection;
use crate::work::tally::Tally;
use gpusched_model::error::Result;

/// Returns the tables of results of a completed study.
pub(crate) fn tables(name: &str, study: &Partitioning, collection: &Collection) -> Result<Tables> {
    let tallies = |point| collection.point(point).to_vec();
    both(name, study, study.sets(), tallies)
}

/// Returns the tables of `study` with synthetic numbers. All numbers are positive and differ from row to row.
pub(crate) fn made_up(name: &str, study: &Partitioning) -> Result<Tables> {
    const SETS: u64 = 1_000_003;
    let cells = study.tallies();
    let tallies = |point: usize| -> Vec<Tally> {
        let numbers = (1..=cells).map(|cell| (point * cells + cell) as u64);
        let tally = |n: u64| {
            Tally::from([
                n % SETS + 1,
                (n % SETS + 1) * n,
                n * SETS,
                n * SETS,
                n * SETS,
                n * SETS,
            ])
        };
        numbers.map(tally).collect()
    };
    both(name, study, SETS, tallies)
}

fn both(
    name: &str,
    study: &Partitioning,
    sets: u64,
    tallies: impl Fn(usize) -> Vec<Tally>,
) -> Result<Tables> {
    let of_metrics = study.metric_columns();
    let mut columns = with_axes(study, &COLUMNS);
    columns.extend(of_metrics.iter().map(String::as_str));
    let results = csv(name, &columns, study, sets, &tallies, row)?;
    let timing = csv(
        name,
        &with_axes(study, &TIMING_COLUMNS),
        study,
        sets,
        &tallies,
        timing_row,
    )?;
    let axes: Vec<&str> = axes(study).collect();
    let paired = study
        .paired()
        .then(|| pairs::table(name, study, &axes, sets, &tallies));
    Ok(Tables {
        weighted: weighted(name, study, &results)?,
        timing: Some(timing),
        paired: paired.transpose()?,
        results,
    })
}

/// Returns the axes with columns of their own.
fn axes(study: &Partitioning) -> impl Iterator<Item = &'static str> {
    study.axes().into_iter().filter(|name| !COLUMNS.contains(name))
}

/// Inserts the columns of the axes into `columns`, after the column `tasks`.
fn with_axes<'a>(study: &Partitioning, columns: &[&'static str]) -> Vec<&'a str> {
    let (keys, values) = columns.split_at(KEYS);
    keys.iter()
        .copied()
        .chain(axes(study))
        .chain(values.iter().copied())
        .collect()
}

/// Number of columns before the columns of the axes.
const KEYS: usize = 4;

/// Computes the table of weighted schedulability from the table `results`. Returns `None` if the study does not request it.
pub(crate) fn weighted(name: &str, study: &Partitioning, results: &[u8]) -> Result<Option<Vec<u8>>> {
    let asked = study.weighted();
    asked
        .then(|| {
            weighted_table(
                name,
                &Table::from_reader(name, results)?,
                &axes(study).collect::<Vec<_>>(),
            )
        })
        .transpose()
}

/// The values of one row of a table.
struct Cell<'a> {
    name: &'a str,
    study: &'a Partitioning,
    point: &'a Point,
    setting: &'a Setting,
    variant: &'a Variant,
    algorithm: &'a Algorithm,
    sets: u64,
    tally: Tally,
    /// Sums of the metrics.
    metrics: &'a [Tally],
}

fn csv(
    name: &str,
    columns: &[&str],
    study: &Partitioning,
    sets: u64,
    tallies: impl Fn(usize) -> Vec<Tally>,
    row: impl Fn(&Cell<'_>) -> Vec<String>,
) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    for point in study.points() {
        let Some(setting) = study.setting(point) else {
            continue;
        };
        let variants = setting.variants.iter();
        let cells = variants.flat_map(|variant| {
            study
                .algorithms()
                .iter()
                .map(move |algorithm| (variant, algorithm))
        });
        let tallies = tallies(point.index);
        let count = study.metrics.len();
        for (index, ((variant, algorithm), &tally)) in cells.zip(&tallies).enumerate() {
            let first = study.before_metrics() + index * count;
            let metrics = tallies.get(first..first + count).unwrap_or_default();
            rows.push(row(&Cell {
                metrics,
                name,
                study,
                point,
                setting,
                variant,
                algorithm,
                sets,
                tally,
            }));
        }
    }
    csv_of(name, columns, rows)
}

fn row(cell: &Cell<'_>) -> Vec<String> {
    let Cell { sets, tally, .. } = *cell;
    let (low, high) = wilson::interval(tally.schedulable, sets);
    let mut row = key(cell);
    row.extend([
        cell.variant.policy.to_string(),
        cell.variant.interference.to_string(),
        cell.setting.sms.to_string(),
        sets.to_string(),
        tally.schedulable.to_string(),
        decimal(tally.schedulable, sets, 6),
        format!("{low:.6}"),
        format!("{high:.6}"),
        // A command may answer without partitions.
        match tally.sms_used {
            0 => String::new(),
            used => decimal(used, tally.schedulable, 3),
        },
        decimal(tally.merges, sets, 3),
        decimal(tally.prefill_merges, sets, 3),
    ]);
    row.extend(cell.metrics.iter().map(mean));
    row
}

fn timing_row(cell: &Cell<'_>) -> Vec<String> {
    let sets = cell.sets;
    let mut row = key(cell);
    row.extend([
        sets.to_string(),
        decimal(cell.tally.search_ns, sets, 0),
        decimal(cell.tally.prefill_ns, sets, 0),
    ]);
    row
}

/// Returns the mean of a metric with 6 decimals, rounded half up. The text is empty without a value.
fn mean(metric: &Tally) -> String {
    let count = u128::from(metric.schedulable);
    match (2 * metric.millionths() + count).checked_div(2 * count) {
        Some(millionths) => format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000),
        None => String::new(),
    }
}

/// Returns the first columns of a row, which identify the row. Both tables have these columns.
fn key(cell: &Cell<'_>) -> Vec<String> {
    let Point {
        utilization, tasks, ..
    } = cell.point;
    let mut key = vec![
        cell.name.to_owned(),
        cell.point.index.to_string(),
        utilization
            .map(|utilization| utilization.to_string())
            .unwrap_or_default(),
        tasks.map(|tasks| tasks.to_string()).unwrap_or_default(),
    ];
    let levels = cell.study.levels(cell.point).iter();
    key.extend(
        levels
            .filter(|(name, _)| !COLUMNS.contains(name))
            .map(|(_, level)| level.to_string()),
    );
    key.extend([cell.variant.name.clone(), cell.algorithm.name.clone()]);
    key
}

/// Returns numerator / denominator as text with `decimals` decimals. The computation uses integers and rounds half up. The
/// text is empty if the denominator is 0.
pub fn decimal(numerator: u64, denominator: u64, decimals: u32) -> String {
    if denominator == 0 {
        return String::new();
    }
    let unit = 10u128.pow(decimals);
    let (numerator, denominator) = (u128::from(numerator) * unit, u128::from(denominator));
    let rounded = (2 * numerator + denominator) / (2 * denominator);
    let (whole, fraction) = (rounded / unit, rounded % unit);
    match decimals {
        0 => whole.to_string(),
        _ => format!("{whole}.{fraction:0width$}", width = decimals as usize),
    }
}
