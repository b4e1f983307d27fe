//! Summary of the results of a study, as text for the terminal.

use std::fmt::Write as _;

use crate::report::{Column, Palette, Table, clip};
use gpusched_model::error::{Error, Result};
use gpusched_study::{self as study, Study};

/// Maximum number of rows.
const SHOWN: usize = 20;

/// A curve of a study of partitioning: the rates of one analysis variant, one algorithm and one number of tasks.
struct Curve {
    reading: String,
    algorithm: String,
    tasks: String,
    /// Utilization, task sets and schedulable task sets of each point, in ascending order of the utilization.
    points: Vec<(f64, f64, f64)>,
}

impl Curve {
    /// Returns the weighted schedulability, Σ U·schedulable / Σ U·sets.
    fn weighted(&self) -> f64 {
        let sum = |of: fn(&(f64, f64, f64)) -> f64| self.points.iter().map(of).sum::<f64>();
        sum(|(utilization, _, schedulable)| utilization * schedulable)
            / sum(|(utilization, sets, _)| utilization * sets)
    }

    /// Returns the largest utilization up to which the rate of all points is at least `rate`, as text.
    fn up_to(&self, rate: f64) -> String {
        let reach = self
            .points
            .iter()
            .take_while(|(_, sets, schedulable)| schedulable / sets >= rate);
        reach
            .last()
            .map_or("-".to_owned(), |(utilization, ..)| utilization.to_string())
    }
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

fn curves(results: &study::Table) -> Result<Table> {
    let mut curves: Vec<Curve> = Vec::new();
    let column = |name| results.column(name);
    let (readings, algorithms, tasks) = (column("reading")?, column("algorithm")?, column("tasks")?);
    let (utilizations, sets, schedulable) = (column("utilization")?, column("sets")?, column("schedulable")?);
    for row in 0..results.len() {
        let number =
            |column: &study::table::Column<'_>| Ok::<_, Error>(column.number(row)?.unwrap_or(f64::NAN));
        let point = (number(&utilizations)?, number(&sets)?, number(&schedulable)?);
        let [reading, algorithm, tasks] = [&readings, &algorithms, &tasks].map(|column| column.text(row));
        let same = |curve: &&mut Curve| {
            (
                curve.reading.as_str(),
                curve.algorithm.as_str(),
                curve.tasks.as_str(),
            ) == (reading, algorithm, tasks)
        };
        match curves.iter_mut().find(same) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve {
                reading: reading.to_owned(),
                algorithm: algorithm.to_owned(),
                tasks: tasks.to_owned(),
                points: vec![point],
            }),
        }
    }
    let mut table = Table::new([
        Column::Left("variant"),
        Column::Left("algorithm"),
        Column::Right("tasks"),
        Column::Right("all schedulable up to U"),
        Column::Right("half up to U"),
        Column::Right("weighted rate"),
    ]);
    for curve in &mut curves {
        curve.points.sort_by(|one, other| one.0.total_cmp(&other.0));
        table.row([
            clip(&curve.reading, 24),
            clip(&curve.algorithm, 24),
            curve.tasks.clone(),
            curve.up_to(1.0),
            curve.up_to(0.5),
            format!("{:.3}", curve.weighted()),
        ]);
    }
    Ok(table)
}

fn cases(results: &study::Table) -> Result<Table> {
    let (case, quantity) = (results.column("case")?, results.column("quantity")?);
    let (value, unit) = (results.column("value")?, results.column("unit")?);
    let own = [
        "study",
        "case",
        "measure",
        "quantity",
        "value",
        "unit",
        "published",
        "deviation",
    ];
    let parameters: Vec<_> = results.columns().iter().map(String::as_str).collect();
    let parameters = parameters.into_iter().filter(|column| !own.contains(column));
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
