//! Summary of the results of a study, as text for the terminal.

use std::fmt::Write as _;

use crate::report::{Column, Palette, Table, clip};
use gpusched_model::error::{Error, Result};
use gpusched_study::{self as study, Study};

/// Maximum number of rows.
const SHOWN: usize = 20;

/// Utilization, task sets and schedulable task sets of a point.
type Point = (f64, f64, f64);

/// Returns the largest utilization up to which the rate of all `points` is at least `rate`, as text. The points are sorted by
/// utilization.
fn up_to(points: &[Point], rate: f64) -> String {
    let reach = points
        .iter()
        .take_while(|(_, sets, schedulable)| schedulable / sets >= rate);
    reach
        .last()
        .map_or("-".to_owned(), |(utilization, ..)| utilization.to_string())
}

/// Returns a table of the results of `study`, and the names of the files with the results and the figures.
///
/// # Errors
/// Fails if the results cannot be read.
pub fn summary(study: &Study, palette: &Palette) -> Result<String> {
    let file = study.folder.results();
    let results = study::Table::read(&file)?;
    let mut table = match study.spec.partitioning() {
        Some(_) => curves(&results)?,
        None => cases(&results)?,
    };
    let more = table.truncate(SHOWN);
    let mut text = format!("\n{}", table.render(palette.header));
    // Writing to a string never fails.
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more rows");
    }
    let _ = writeln!(text, "\nresults: {}", file.display());
    for figure in study.figures()? {
        let _ = writeln!(text, "figure: {}", figure.path.display());
    }
    Ok(text)
}

/// Returns a table with one row per analysis variant, algorithm and number of tasks.
fn curves(results: &study::Table) -> Result<Table> {
    let weighted = study::weighted(results)?;
    let keys = |table| -> Result<[study::table::Column<'_>; 3]> {
        let column = |name| study::Table::column(table, name);
        Ok([column("reading")?, column("algorithm")?, column("tasks")?])
    };
    let (of_row, of_curve) = (keys(results)?, keys(&weighted)?);
    let (utilization, sets) = (results.column("utilization")?, results.column("sets")?);
    let (schedulable, rate) = (results.column("schedulable")?, weighted.column("weighted")?);
    let mut table = Table::new([
        Column::Left("variant"),
        Column::Left("algorithm"),
        Column::Right("tasks"),
        Column::Right("all schedulable up to U"),
        Column::Right("half up to U"),
        Column::Right("weighted rate"),
    ]);
    let number = |cell: Result<Option<f64>>| Ok::<_, Error>(cell?.unwrap_or(f64::NAN));
    for curve in 0..weighted.len() {
        let [reading, algorithm, tasks] = of_curve.map(|column| column.text(curve));
        let rows = (0..results.len())
            .filter(|&row| of_row.map(|column| column.text(row)) == [reading, algorithm, tasks]);
        let point = |row| {
            let [sets, schedulable] = [sets, schedulable].map(|column| column.number(row));
            Ok((
                number(utilization.number(row))?,
                number(sets)?,
                number(schedulable)?,
            ))
        };
        let mut points = rows.map(point).collect::<Result<Vec<Point>>>()?;
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        table.row([
            clip(reading, 24),
            clip(algorithm, 24),
            tasks.to_owned(),
            up_to(&points, 1.0),
            up_to(&points, 0.5),
            format!("{:.3}", number(rate.number(curve))?),
        ]);
    }
    Ok(table)
}

fn cases(results: &study::Table) -> Result<Table> {
    let (case, quantity) = (results.column("case")?, results.column("quantity")?);
    let (value, unit) = (results.column("value")?, results.column("unit")?);
    let columns = results.columns().iter().map(String::as_str);
    let parameters = columns.filter(|column| !study::CASE_COLUMNS.contains(column));
    let parameters: Vec<_> = parameters.filter_map(|column| results.find(column)).collect();
    let mut table = Table::new([
        Column::Left("case"),
        Column::Left("parameters"),
        Column::Left("quantity"),
        Column::Right("value"),
        Column::Left("unit"),
    ]);
    for row in 0..results.len() {
        let cells = parameters.iter().filter(|column| !column.text(row).is_empty());
        let cells: Vec<String> = cells
            .map(|column| format!("{} {}", column.name(), column.text(row)))
            .collect();
        table.row([
            clip(case.text(row), 30),
            clip(&cells.join(", "), 40),
            clip(quantity.text(row), 24),
            value.text(row).to_owned(),
            clip(unit.text(row), 12),
        ]);
    }
    Ok(table)
}
