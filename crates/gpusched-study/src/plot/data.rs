//! Conversion of the rows of tables to panels, lines and points.

use super::axis::Axis;
use super::options::{Options, Selection};
use crate::Table;
use crate::table::Column;
use gpusched_model::error::{Error, Refusal, Result};

/// Maximum number of lines in a figure. The reader of a figure cannot distinguish more lines.
const MAX_SERIES: usize = 24;

/// Maximum number of panels in a figure. More panels do not fit on a page.
const MAX_PANELS: usize = 48;

/// Largest absolute value that an axis can show.
const MAX_VALUE: f64 = 1e15;

/// The data of a figure, ready for drawing.
#[derive(Debug)]
pub(super) struct Chart {
    pub title: Option<String>,
    pub panels: Vec<Panel>,
    /// Names of the lines, in the order of their first occurrence in the tables.
    pub series: Vec<String>,
    pub x: Axis,
    pub y: Axis,
}

impl Chart {
    /// Returns whether at least one line has a confidence band.
    pub fn has_bands(&self) -> bool {
        let mut points = self.panels.iter().flat_map(|panel| panel.lines.iter().flatten());
        points.any(|point| point.band.is_some())
    }
}

#[derive(Debug)]
pub(super) struct Panel {
    pub title: Option<String>,
    /// Lines of the panel, one per series. The points of a line are in ascending order of x. A line is empty if the panel
    /// has no row of the series.
    pub lines: Vec<Vec<Point>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Point {
    pub x: f64,
    /// Value on the vertical axis. `None` if the cell is empty; in this case, the line has a gap.
    pub y: Option<f64>,
    /// Confidence interval of y. Absent if the table has no interval.
    pub band: Option<(f64, f64)>,
}

/// A point, with the row of the table that contains it.
struct Sourced<'t> {
    point: Point,
    table: &'t Table,
    row: usize,
}

impl Chart {
    pub fn new(tables: &[Table], options: &Options) -> Result<Chart> {
        let panel_column = panel_column(tables, options);
        check_selections(tables, &options.selections)?;

        let mut series: Vec<String> = Vec::new();
        let mut titles: Vec<Option<String>> = Vec::new();
        let mut studies: Vec<&str> = Vec::new();
        let mut lines: Vec<Vec<Vec<Sourced<'_>>>> = Vec::new(); // Indices are panel and series.
        for table in tables {
            let columns = Columns::find(table, options, panel_column)?;
            for row in columns.rows(&options.selections)? {
                let title = columns
                    .panel
                    .map(|column| format!("{}: {}", column.name(), column.text(row)));
                let panel = index_of(&mut titles, title);
                let line = index_of(&mut series, columns.series.text(row).to_owned());
                check_count(series.len(), MAX_SERIES, "lines", &options.series)?;
                check_count(
                    titles.len(),
                    MAX_PANELS,
                    "panels",
                    panel_column.unwrap_or_default(),
                )?;
                if let Some(study) = columns.study.map(|column| column.text(row)) {
                    index_of(&mut studies, study);
                }
                let point = columns.point(table, row, options)?;
                slot(slot(&mut lines, panel), line).push(Sourced { point, table, row });
            }
        }

        let mut panels = Vec::with_capacity(titles.len());
        for (title, lines) in titles.into_iter().zip(lines) {
            let named = lines.into_iter().zip(&series);
            let mut lines: Vec<Vec<Point>> = named
                .map(|(line, name)| ordered(line, name, title.as_deref(), options))
                .collect::<Result<_>>()?;
            lines.resize(series.len(), Vec::new());
            panels.push(Panel { title, lines });
        }

        let points = || panels.iter().flat_map(|panel| panel.lines.iter().flatten());
        let xs: Vec<f64> = points().map(|point| point.x).collect();
        let ys = points().filter_map(|point| point.y);
        let mut ys: Vec<f64> = ys.collect();
        if ys.is_empty() {
            let found = match xs.is_empty() {
                true => "no rows",
                false => "only empty cells",
            };
            return Err(Error::parameter(&options.y, found, "values to draw"));
        }
        let ends = points()
            .filter_map(|point| point.band)
            .flat_map(|(low, high)| [low, high]);
        ys.extend(ends.filter(|&end| end > 0.0 || !options.log_y));
        let mut x = Axis::linear(&options.x, &xs);
        let mut y = if options.log_y {
            Axis::logarithmic(&options.y, &ys)
        } else {
            Axis::linear(&options.y, &ys)
        };
        for (axis, title) in [(&mut x, &options.x_title), (&mut y, &options.y_title)] {
            if let Some(title) = title {
                axis.title.clone_from(title);
            }
        }
        Ok(Chart {
            title: options
                .title
                .clone()
                .or_else(|| (!studies.is_empty()).then(|| studies.join(", "))),
            x,
            y,
            panels,
            series,
        })
    }
}

fn panel_column<'o>(tables: &[Table], options: &'o Options) -> Option<&'o str> {
    let reading = || {
        tables
            .iter()
            .any(|table| table.find("reading").is_some())
            .then_some("reading")
    };
    options.panel.as_deref().or_else(reading)
}

/// Rejects a selection whose value occurs in no table, because it would select no row.
fn check_selections(tables: &[Table], selections: &[Selection]) -> Result<()> {
    for selection in selections {
        let columns = tables.iter().map(|table| table.column(&selection.column));
        let columns: Vec<Column<'_>> = columns.collect::<Result<_>>()?;
        let mut cells = columns.iter().flat_map(Column::distinct);
        if !cells.any(|cell| selection.accepts(cell)) {
            let known: Vec<String> = columns.iter().map(Column::examples).collect();
            let Selection { column, value } = selection;
            let expected = format!("one of {}", known.join(", "));
            return Err(Error::parameter(
                column,
                format!("no row with {column} = {value}"),
                expected,
            ));
        }
    }
    Ok(())
}

fn check_count(count: usize, limit: usize, what: &str, column: &str) -> Result<()> {
    if count > limit {
        let refusal = Refusal::new(
            column,
            format!("more than {limit} {what}"),
            format!("at most {limit}"),
        );
        let hint = format!("select rows by the value of `{column}`");
        return Err(refusal.hint(hint).into());
    }
    Ok(())
}

/// The columns of one table that a figure uses.
struct Columns<'t> {
    table: &'t Table,
    x: Column<'t>,
    y: Column<'t>,
    series: Column<'t>,
    panel: Option<Column<'t>>,
    study: Option<Column<'t>>,
    /// Columns with the lower end and the upper end of the confidence interval of y.
    band: Option<(Column<'t>, Column<'t>)>,
}

impl<'t> Columns<'t> {
    fn find(table: &'t Table, options: &Options, panel: Option<&str>) -> Result<Columns<'t>> {
        // Studies write the confidence interval of `rate` into columns whose names start with `ci`.
        let stem = if options.y == "rate" { "ci" } else { &options.y };
        Ok(Columns {
            table,
            x: table.column(&options.x)?,
            y: table.column(&options.y)?,
            series: table.column(&options.series)?,
            panel: panel.map(|name| table.column(name)).transpose()?,
            study: table.find("study"),
            band: table
                .find(&format!("{stem}_low"))
                .zip(table.find(&format!("{stem}_high"))),
        })
    }

    /// Returns the rows that pass all selections. If several selections are about one column, a row needs only one of
    /// the values in these selections.
    fn rows(&self, selections: &[Selection]) -> Result<Vec<usize>> {
        let mut rows: Vec<usize> = (0..self.table.len()).collect();
        for selection in selections {
            let column = self.table.column(&selection.column)?;
            let same_column = || selections.iter().filter(|other| other.column == selection.column);
            rows.retain(|&row| same_column().any(|selection| selection.accepts(column.text(row))));
        }
        Ok(rows)
    }

    fn point(&self, table: &Table, row: usize, options: &Options) -> Result<Point> {
        let number = |column: Column<'_>| match column.number(row)? {
            Some(value) if value.abs() > MAX_VALUE => Err(table.error(
                Some(row),
                Refusal::new(
                    column.name(),
                    value,
                    format!("a number within ±{MAX_VALUE:e}, the range of an axis"),
                ),
            )),
            value => Ok(value),
        };
        let x = number(self.x)?;
        let x = x.ok_or_else(|| {
            table.error(
                Some(row),
                Refusal::new(self.x.name(), "an empty cell", "a number for the horizontal axis"),
            )
        })?;
        let y = number(self.y)?;
        if let Some(y) = y.filter(|&y| options.log_y && y <= 0.0) {
            return Err(table.error(
                Some(row),
                Refusal::new(
                    self.y.name(),
                    y,
                    "a positive number, because the vertical axis is logarithmic",
                ),
            ));
        }
        let band = match self.band {
            Some((low, high)) => number(low)?.zip(number(high)?),
            None => None,
        };
        Ok(Point { x, y, band })
    }
}

/// Returns the points of a line in ascending order of x.
fn ordered(
    mut line: Vec<Sourced<'_>>,
    name: &str,
    panel: Option<&str>,
    options: &Options,
) -> Result<Vec<Point>> {
    line.sort_by(|a, b| a.point.x.total_cmp(&b.point.x));
    for pair in line.windows(2) {
        let [first, second] = pair else { continue };
        if first.point.x == second.point.x {
            let place = |sourced: &Sourced<'_>| {
                format!(
                    "{}:{}",
                    sourced.table.file(),
                    sourced.table.line(sourced.row).unwrap_or(0)
                )
            };
            let panel = panel.map(|panel| format!(", {panel}")).unwrap_or_default();
            let Options { x, y, series, .. } = options;
            let (here, there) = (place(first), place(second));
            let expected = format!(
                "one value for {series} = {name} at {x} = {}{panel}",
                first.point.x
            );
            let refusal = Refusal::new(y, format!("two values, at {here} and {there}"), expected);
            let hint = "select rows by the value of a column, or choose another column for lines or panels";
            return Err(refusal.hint(hint).into());
        }
    }
    Ok(line.into_iter().map(|sourced| sourced.point).collect())
}

/// Returns the index of `item` in `items`. If `items` lacks the item, appends it.
fn index_of<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|known| *known == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

/// Returns the list at `index`. If `index` is just beyond the end, appends an empty list.
fn slot<T>(lists: &mut Vec<Vec<T>>, index: usize) -> &mut Vec<T> {
    if lists.len() <= index {
        lists.resize_with(index + 1, Vec::new);
    }
    &mut lists[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: &str = "\
study,utilization,tasks,reading,algorithm,rate,ci_low,ci_high,mean_sms
s,4,50,a,SMS,0.5,0.4,0.6,
s,2,50,a,SMS,1,0.9,1,10
s,2,50,a,1G,0.25,0.2,0.3,20
s,2,50,b,1G,0.75,,,30
";

    fn chart(csv: &str, change: impl FnOnce(&mut Options)) -> Result<Chart> {
        let mut options = Options::default();
        change(&mut options);
        Chart::new(&[Table::from_reader("t.csv", csv.as_bytes())?], &options)
    }

    fn message(csv: &str, change: impl FnOnce(&mut Options)) -> String {
        chart(csv, change).unwrap_err().to_string()
    }

    #[test]
    fn rows_become_points_of_lines_in_panels() {
        let chart = chart(CSV, |_| {}).unwrap();
        assert_eq!(chart.title.as_deref(), Some("s"));
        assert_eq!(chart.series, ["SMS", "1G"]);
        let titles: Vec<_> = chart.panels.iter().map(|panel| panel.title.as_deref()).collect();
        assert_eq!(titles, [Some("reading: a"), Some("reading: b")]);
        let point = |x, y, band| Point { x, y: Some(y), band };
        let in_order = [
            point(2.0, 1.0, Some((0.9, 1.0))),
            point(4.0, 0.5, Some((0.4, 0.6))),
        ];
        assert_eq!(chart.panels[0].lines[0], in_order);
        assert_eq!(chart.panels[1].lines, [vec![], vec![point(2.0, 0.75, None)]]);
    }

    #[test]
    fn another_column_has_gaps_and_no_band() {
        let chart = chart(CSV, |options| {
            options.y = "mean_sms".to_owned();
            (options.x_title, options.y_title) = (Some("load".to_owned()), Some("SMs".to_owned()));
            options.selections = vec!["algorithm=SMS".parse().unwrap(), "tasks=50.0".parse().unwrap()];
        })
        .unwrap();
        assert!(!chart.has_bands());
        assert_eq!((chart.x.title.as_str(), chart.y.title.as_str()), ("load", "SMs"));
        assert_eq!(chart.series, ["SMS"]);
        let ys: Vec<_> = chart.panels[0].lines[0].iter().map(|point| point.y).collect();
        assert_eq!(ys, [Some(10.0), None]);
    }

    #[test]
    fn several_tables_are_one() {
        let table = |csv: &str| Table::from_reader("t.csv", csv.as_bytes()).unwrap();
        let tables = [
            table("utilization,algorithm,rate\n2,SMS,1\n"),
            table("rate,more,utilization,algorithm\n0.5,x,4,SMS\n"),
        ];
        let chart = Chart::new(&tables, &Options::default()).unwrap();
        assert_eq!((chart.panels.len(), chart.panels[0].lines[0].len()), (1, 2));
        assert_eq!((chart.title, &chart.panels[0].title), (None, &None));
    }

    #[test]
    fn bad_input_is_named() {
        let set = |value: &str| value.to_owned();
        for (message, expected) in [
            (
                message(CSV, |options| options.y = set("speed")),
                "t.csv: found no column `speed`",
            ),
            (
                message(CSV, |options| options.x = set("study")),
                "t.csv:2: at study: found \"s\", expected",
            ),
            (
                message(CSV, |options| options.x = set("mean_sms")),
                "t.csv:2: at mean_sms: found an empty cell",
            ),
            (
                message(CSV, |options| options.panel = set("speed").into()),
                "no column `speed`",
            ),
            (
                message(CSV, |options| options.panel = set("study").into()),
                "rate: found two values, at t.csv:4 and t.csv:5, expected one value for algorithm = 1G at utilization = 2, study: s",
            ),
            (
                message(CSV, |options| {
                    options.selections = vec!["reading=c".parse().unwrap()]
                }),
                "reading: found no row with reading = c, expected one of \"a\", \"b\"",
            ),
            (
                message(CSV, |options| {
                    options.selections = vec!["reading=b".parse().unwrap(), "algorithm=SMS".parse().unwrap()];
                }),
                "found no rows, expected values to draw",
            ),
            (
                message("utilization,algorithm,rate\n", |_| {}),
                "found no rows, expected values to draw",
            ),
            (
                message("utilization,algorithm,rate\n2,A,\n", |_| {}),
                "rate: found only empty cells",
            ),
            (
                message("utilization,algorithm,rate\n2,A,1e300\n", |_| {}),
                "t.csv:2: at rate: found 1",
            ),
            (
                message("utilization,algorithm,rate\n2,A,0\n", |options| {
                    options.log_y = true
                }),
                "t.csv:2: at rate: found 0, expected a positive number",
            ),
        ] {
            assert!(message.contains(expected), "{message}");
        }
        let many: String = (0..25).map(|index| format!("2,A{index},1\n")).collect();
        let message = message(&format!("utilization,algorithm,rate\n{many}"), |_| {});
        assert!(message.contains("found more than 24 lines"), "{message}");
    }
}
