//! `gpusched study diff`: compares the results of two studies.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::report::{Output, Palette, Report, Table, clip, json_document};
use crate::{Global, Outcome, Run};
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_study::table::{self, Compared, Comparison};

/// Arguments of `gpusched study diff`. The command compares two results row by row.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// First results to compare: the folder of one study, or a table of results (CSV)
    #[arg(value_name = "A")]
    before: PathBuf,
    /// Second results
    #[arg(value_name = "B")]
    after: PathBuf,
}

const EXAMPLE: &str = "\
Two rows belong together if they have the same utilization, number of tasks, analysis variant and algorithm. In studies of
cases, they have the same case, parameters and quantity. `before` is the value in A, and `after` the value in B. The interval of
a difference of schedulability ratios has a confidence of 95 %, for independent task sets. If A and B use the same task sets,
the interval is too wide, which is safe.

Exit code 1: a ratio differs by more than chance (0 is outside the interval), another value differs, or a row has no partner.
Exit code 2: no row has a partner.

Example:
  gpusched study run analysis/smoke.toml -o a && gpusched study run analysis/smoke.toml --seed 2 -o b && gpusched study diff a b";

/// Maximum number of rows in the text result.
const SHOWN: usize = 20;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let read = |path: &Path| table::Table::read(results(path)?);
        let found = table::compare(&read(&self.before)?, &read(&self.after)?)?;
        let differs = found.rows.iter().any(Compared::is_clear);
        let differs = differs || found.only_before + found.only_after > 0;
        Output::open(global)?.last(&Difference(found))?;
        Ok((!differs).into())
    }
}

/// Returns the table of results at `path`. The path is a table, or a folder with the results of one study.
fn results(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut studies = gpusched_study::studies(path)?;
    studies.retain(|study| study.folder.results().is_file());
    match studies.as_slice() {
        [study] => Ok(study.folder.results()),
        [] => Err(Error::file(
            path,
            "no results of a study",
            "the folder of `study run`",
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|study| study.spec.name()).collect();
            let found = format!("the results of {}", names.join(", "));
            Err(Error::file(
                path,
                found,
                "one study, or the CSV file of one of them",
            ))
        }
    }
}

/// The differences between two results.
#[derive(Serialize)]
#[serde(transparent)]
struct Difference(Comparison);

/// Returns the cells that identify `row`, as text. Empty cells and a column `measure` are left out.
fn name(row: &Compared) -> String {
    let cells = row
        .row
        .iter()
        .filter(|(column, cell)| !cell.is_empty() && column != "measure");
    let text = cells.map(|(column, cell)| match column.as_str() {
        "variant" | "algorithm" | "case" | "quantity" => cell.clone(),
        column => format!("{column} {cell}"),
    });
    text.collect::<Vec<_>>().join(", ")
}

impl Report for Difference {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let number = |value: f64| format!("{value:.6}");
        let table = Table::of(&self.0.rows)
            .exact("row", |row| name(row))
            .exact("before", |row| number(row.before))
            .exact("after", |row| number(row.after))
            .exact("difference", |row| number(row.difference()))
            .exact("low", |row| row.interval.map(|(low, _)| number(low)))
            .exact("high", |row| row.interval.map(|(_, high)| number(high)))
            .exact("clear", |row| row.is_clear());
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let Comparison {
            rows,
            only_before,
            only_after,
        } = &self.0;
        let mut differing: Vec<&Compared> = rows.iter().filter(|row| row.difference() != 0.0).collect();
        let clear = differing.iter().filter(|row| row.is_clear()).count();
        let header = palette.header;
        let mut text = format!(
            "{header}{} of {} differ{header:#}",
            differing.len(),
            counted(rows.len() as u64, "value")
        );
        let has_intervals = rows.iter().any(|row| row.interval.is_some());
        // Writing to a string never fails.
        if has_intervals {
            let _ = write!(text, ", {clear} of them by more than chance (95 %)");
        }
        text.push('\n');
        for (count, of) in [(only_before, "before"), (only_after, "after")] {
            if *count > 0 {
                let _ = writeln!(text, "only {of}: {}", counted(*count as u64, "row"));
            }
        }
        if differing.is_empty() {
            return Ok(text);
        }
        let size = |row: &Compared| row.difference().abs();
        differing.sort_by(|one, other| size(other).total_cmp(&size(one)));
        let table = Table::of(differing.iter().take(SHOWN))
            .text("row", |row| clip(&name(row), 60))
            .number("before", |row| format!("{:.3}", row.before))
            .number("after", |row| format!("{:.3}", row.after))
            .number("difference", |row| format!("{:+.3}", row.difference()))
            .when(has_intervals, |table| {
                table
                    .number("95 % interval", |row| {
                        row.interval.map(|(low, high)| format!("{low:+.3} … {high:+.3}"))
                    })
                    .text("by chance?", |row| if row.is_clear() { "no" } else { "possible" })
            });
        let _ = write!(text, "\n{}", table.done().render(palette.header));
        if differing.len() > SHOWN {
            let _ = writeln!(text, "… and {} more (--format csv)", differing.len() - SHOWN);
        }
        Ok(text)
    }
}
