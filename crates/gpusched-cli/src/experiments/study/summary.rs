//! Summary of the results of a study, as text for the terminal.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::report::{Palette, Table, clip};
use gpusched_model::error::{Error, Result};
use gpusched_study::{self as study, Study};

/// Maximum number of rows.
const SHOWN: usize = 20;

/// Utilization, number of task sets and number of schedulable task sets of a point.
type Point = (f64, f64, f64);

/// Returns, as text, the largest utilization up to which all `points` have a schedulability ratio of at least `rate`.
/// The points are sorted by utilization.
fn up_to(points: &[Point], rate: f64) -> String {
    let reach = points
        .iter()
        .take_while(|(_, sets, schedulable)| schedulable / sets >= rate);
    reach
        .last()
        .map_or("-".to_owned(), |(utilization, ..)| utilization.to_string())
}

/// Returns a table of the results of `study`. Also returns the names of the files that contain results and figures.
///
/// # Errors
/// Fails if the results cannot be read.
pub fn summary(study: &Study, palette: &Palette) -> Result<String> {
    let file = study.folder.results();
    let results = study::Table::read(&file)?;
    let mut table = match study.spec.partitioning() {
        Some(of) => curves(&results, &of.axes())?,
        None => cases(&results)?,
    };
    let more = table.truncate(SHOWN);
    let mut text = format!("\n{}", table.render(palette.header));
    // Writing to a string never fails.
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more rows");
    }
    let _ = writeln!(text, "\nresults: {}", file.display());
    if study.spec.partitioning().is_some_and(|of| of.paired()) {
        let _ = writeln!(text, "pairs: {}", study.folder.paired().display());
    }
    for figure in study.figures()? {
        let _ = writeln!(text, "figure: {}", figure.path.display());
    }
    Ok(text)
}

/// Returns a table with one row for each combination of analysis variant, algorithm, number of tasks, and values on the
/// further axes. If the utilization varies, each row shows up to which utilization all sets and half of the sets are
/// schedulable. Otherwise, the rows show the schedulability ratios.
fn curves(results: &study::Table, axes: &[&'static str]) -> Result<Table> {
    let (utilization, sets) = (results.column("utilization")?, results.column("sets")?);
    let (schedulable, rate) = (results.column("schedulable")?, results.column("rate")?);
    let sms = results.column("mean_sms")?;
    let first = (!results.is_empty()).then(|| utilization.text(0));
    let varies = (0..results.len()).any(|row| Some(utilization.text(row)) != first);
    let names = ["tasks"].iter().chain(axes).copied();
    let names = names.filter(|name| {
        results
            .find(name)
            .is_some_and(|column| !column.text(0).is_empty())
    });
    let names: Vec<&str> = ["variant", "algorithm"].into_iter().chain(names).collect();
    let keys = names
        .iter()
        .map(|name| results.column(name))
        .collect::<Result<Vec<_>>>()?;
    let key = |row: usize| -> Vec<&str> { keys.iter().map(|column| column.text(row)).collect() };
    let number = |cell: Result<Option<f64>>| Ok::<_, Error>(cell?.unwrap_or(f64::NAN));
    let mut curves: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
    let mut known = HashMap::new();
    for row in 0..results.len() {
        let position = *known.entry(key(row)).or_insert(curves.len());
        match curves.get_mut(position) {
            Some((_, rows)) => rows.push(row),
            None => curves.push((key(row), vec![row])),
        }
    }
    // The rows of this table are the curves in the same order.
    let weighted = varies.then(|| study::weighted(results)).transpose()?;
    let mut rows = Vec::new();
    for (curve, (key, of)) in curves.into_iter().enumerate() {
        let cells = if let Some(weighted) = &weighted {
            let point = |&row: &usize| {
                let [sets, schedulable] = [sets, schedulable].map(|column| column.number(row));
                let utilization = number(utilization.number(row))?;
                Ok((utilization, number(sets)?, number(schedulable)?))
            };
            let mut points = of.iter().map(point).collect::<Result<Vec<Point>>>()?;
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let rate = number(weighted.column("weighted")?.number(curve))?;
            [up_to(&points, 1.0), up_to(&points, 0.5), format!("{rate:.3}")]
        } else {
            let Some(&row) = of.last() else { continue };
            let rate = number(rate.number(row))?;
            [
                sets.text(row).to_owned(),
                format!("{rate:.3}"),
                sms.text(row).to_owned(),
            ]
        };
        rows.push((key, cells));
    }
    let titles = match varies {
        true => ["all schedulable up to U", "half up to U", "weighted rate"],
        false => ["sets", "rate", "mean SMs"],
    };
    let table = Table::of(&rows).each(names.iter().enumerate(), |table, (index, name)| match index {
        0 | 1 => table.text(*name, |(key, _)| key.get(index).map(|cell| clip(cell, 24))),
        _ => table.number(*name, |(key, _)| key.get(index).map(|cell| clip(cell, 24))),
    });
    let table = table.each(titles.iter().enumerate(), |table, (index, title)| {
        table.number(*title, |(_, cells)| cells.get(index))
    });
    Ok(table.done())
}

fn cases(results: &study::Table) -> Result<Table> {
    let (case, quantity) = (results.column("case")?, results.column("quantity")?);
    let (value, unit) = (results.column("value")?, results.column("unit")?);
    let columns = results.columns().iter().map(String::as_str);
    let parameters = columns.filter(|column| !study::CASE_COLUMNS.contains(column));
    let parameters: Vec<_> = parameters.filter_map(|column| results.find(column)).collect();
    let table = Table::of(0..results.len())
        .text("case", |row| clip(case.text(*row), 30))
        .text("parameters", |row| {
            let cells = parameters.iter().filter(|column| !column.text(*row).is_empty());
            let cells = cells.map(|column| format!("{} {}", column.name(), column.text(*row)));
            clip(&cells.collect::<Vec<String>>().join(", "), 40)
        })
        .text("quantity", |row| clip(quantity.text(*row), 24))
        .number("value", |row| value.text(*row))
        .text("unit", |row| clip(unit.text(*row), 12));
    Ok(table.done())
}
