//! Conversion of the rows of tables to panels, series and points.

mod choice;
mod normalize;
mod rows;
mod selection;

use std::collections::{BTreeMap, HashSet};

use self::choice::Choice;
use self::rows::{Row, Rows};
use super::axis::{self, Axis, Wanted};
use super::options::{AxisScale, FigureKind, Options};
use super::values::{MAX_VALUE, Reference, Size};
use crate::table::Table;
use gpusched_model::error::{Error, Refusal, Result};

/// Maximum number of series in a figure. The reader of a figure cannot distinguish more series.
const MAX_SERIES: usize = 24;

/// Maximum number of panels in a figure. More panels do not fit on a page.
const MAX_PANELS: usize = 48;

/// Maximum number of categories on an axis.
const MAX_CATEGORIES: usize = 200;

/// The data of a figure, ready for drawing.
#[derive(Debug)]
pub struct Chart {
    /// Kind of the figure.
    pub kind: FigureKind,
    /// Title of the figure.
    pub title: Option<String>,
    /// Panels of the figure, in the order of drawing.
    pub panels: Vec<Panel>,
    /// Names of the series, in the order of their first occurrence in the tables.
    pub series: Vec<String>,
    /// Lines at fixed values.
    pub references: Vec<Reference>,
    /// Axis of the colors of a heat map.
    pub colors: Option<Axis>,
    /// Whether all panels have the same axes.
    pub shared: bool,
    /// Whether an option states the ends of an axis. If so, values can be outside the axis.
    pub limited: bool,
    /// Size of the figure; `None` for the default size.
    pub size: Option<Size>,
}

/// One panel of a figure.
#[derive(Debug)]
pub struct Panel {
    /// Title of the panel; may be empty.
    pub title: String,
    /// Points of the panel, one list per series. The points are in ascending order of x. If the panel has no row of a
    /// series, the list of this series is empty.
    pub lines: Vec<Vec<Point>>,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
}

/// A point of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Value on the horizontal axis, or the index of the category.
    pub x: f64,
    /// Value. `None` if the cell is empty; in this case, a line has a gap.
    pub y: Option<f64>,
    /// Confidence interval of y. Absent if the table has no interval.
    pub band: Option<(f64, f64)>,
}

/// Checks that the columns, the rows and the series that `options` name exist in the tables. The check ignores the
/// values.
pub(super) fn check(tables: &[Table], options: &Options) -> Result<()> {
    let selected = selection::select(tables, &options.selection)?;
    let choice = Choice::new(&selected, options)?;
    let rows = rows::read(&selected, &choice, most_series(options))?;
    normalize::reference(&rows.series, options).map(drop)
}

/// Checks that each series has at most one value at each place. Omits this check if the kind of figure can show several
/// values at one place.
pub(super) fn check_places(tables: &[Table], options: &Options) -> Result<()> {
    let selected = selection::select(tables, &options.selection)?;
    let choice = Choice::new(&selected, options)?;
    let rows = rows::read(&selected, &choice, most_series(options))?;
    let is_numeric = choice.x.is_some() && rows.rows.iter().all(|row| row.number.is_some());
    match kind(options, is_numeric, &rows).has_samples() {
        true => Ok(()),
        false => check_single(&rows, &choice),
    }
}

impl Chart {
    /// Converts the rows of `tables` to the data of a figure.
    ///
    /// # Errors
    /// Fails in the same cases as [`svg`](super::svg).
    pub fn new(tables: &[Table], options: &Options) -> Result<Chart> {
        let selected = selection::select(tables, &options.selection)?;
        let choice = Choice::new(&selected, options)?;
        let mut rows = rows::read(&selected, &choice, most_series(options))?;
        let is_numeric = choice.x.is_some() && rows.rows.iter().all(|row| row.number.is_some());
        let kind = kind(options, is_numeric, &rows);
        check_references(&options.reference)?;
        if !kind.has_samples() {
            check_single(&rows, &choice)?;
        }
        normalize::apply(&mut rows, options)?;
        let shared = match options.scale {
            Some(scale) => scale == AxisScale::Shared,
            None => !choice.panel.iter().any(|column| column == "quantity"),
        };
        let builder = Builder {
            options,
            choice: &choice,
            kind,
            has_categories: choice.x.is_some() && (kind.has_categories() || !is_numeric),
        };
        builder.check()?;
        builder.check_signs(&rows)?;
        let colors = match kind {
            FigureKind::Heat => Some(builder.value_axis(&rows.rows.iter().collect::<Vec<_>>())),
            _ => None,
        };
        let studies = rows.studies.join(", ");
        Ok(Chart {
            kind,
            title: match &options.title {
                Some(title) => Some(title.clone()).filter(|title| !title.is_empty()),
                None => Some(studies).filter(|studies| !studies.is_empty()),
            },
            panels: builder.panels(&rows, shared)?,
            series: legend(rows.series, &choice.series, kind),
            references: options.reference.clone(),
            colors,
            shared,
            limited: options.x_range.is_some() || options.y_range.is_some(),
            size: options.size,
        })
    }

    /// Returns whether the figure has a visible confidence band or interval.
    pub fn has_bands(&self) -> bool {
        let with_bands = matches!(self.kind, FigureKind::Line | FigureKind::Bar | FigureKind::Point);
        let mut points = self.panels.iter().flat_map(|panel| panel.lines.iter().flatten());
        with_bands && points.any(|point| point.band.is_some_and(|(low, high)| low < high))
    }

    /// Returns whether the figure needs a legend. It needs one if its series have names that no axis shows.
    pub fn has_legend(&self) -> bool {
        self.kind != FigureKind::Heat && self.series.iter().any(|name| !name.is_empty())
    }
}

/// Converts the rows of a figure to points.
struct Builder<'o> {
    options: &'o Options,
    choice: &'o Choice,
    kind: FigureKind,
    /// Whether the horizontal axis shows categories.
    has_categories: bool,
}

impl Builder<'_> {
    /// Checks that the options suit the axes.
    fn check(&self) -> Result<()> {
        let options = self.options;
        for (name, stated) in [("log_x", options.log_x), ("x_range", options.x_range.is_some())] {
            if stated && self.has_categories {
                let found = format!(
                    "categories on the horizontal axis of a figure of kind `{}`",
                    self.kind
                );
                return Err(Error::parameter(
                    name,
                    found,
                    "numbers, as the kind `line` shows them",
                ));
            }
        }
        if options.log_y && self.kind == FigureKind::Cdf {
            let expected = "a linear axis for the shares; `log_x` makes the axis of the values logarithmic";
            return Err(Error::parameter("log_y", "a figure of kind `cdf`", expected));
        }
        for (name, span, logarithmic) in [
            ("x_range", options.x_range, options.log_x),
            ("y_range", options.y_range, options.log_y),
        ] {
            if let Some(span) = span.filter(|span| logarithmic && span.low <= 0.0) {
                let expected = "a range above 0, because the axis is logarithmic";
                return Err(Error::parameter(
                    name,
                    format!("{}..{}", span.low, span.high),
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// Checks that all values on a logarithmic axis are positive.
    fn check_signs(&self, rows: &Rows<'_>) -> Result<()> {
        let is_cdf = self.kind == FigureKind::Cdf;
        let (log_y, log_x) = match is_cdf {
            true => (self.options.log_x, false),
            false => (self.options.log_y, self.options.log_x),
        };
        let which = if is_cdf { "horizontal" } else { "vertical" };
        let column_of_x = self.choice.x.as_deref().unwrap_or_default();
        for row in &rows.rows {
            for (name, value, logarithmic, which) in [
                (self.choice.y.as_str(), row.y, log_y, which),
                (column_of_x, row.number, log_x, "horizontal"),
            ] {
                if let Some(value) = value.filter(|&value| logarithmic && value <= 0.0) {
                    let expected = format!("a positive number, because the {which} axis is logarithmic");
                    return Err(row.error(Refusal::new(name, value, expected)));
                }
            }
        }
        Ok(())
    }

    fn panels(&self, rows: &Rows<'_>, shared: bool) -> Result<Vec<Panel>> {
        let all: Vec<&Row<'_>> = rows.rows.iter().collect();
        let common = self.axes(&all, &rows.series)?;
        let panels = rows.panels.iter().enumerate().map(|(index, title)| {
            let own: Vec<&Row<'_>> = rows.rows.iter().filter(|row| row.panel == index).collect();
            let (categories, x, y) = match shared {
                true => common.clone(),
                false => self.axes(&own, &rows.series)?,
            };
            let lines = (0..rows.series.len()).map(|series| {
                let own = own.iter().filter(|row| row.series == series);
                self.line(own.copied(), &categories)
            });
            Ok(Panel {
                title: title.clone(),
                lines: lines.collect(),
                x,
                y,
            })
        });
        panels.collect()
    }

    /// Returns the categories of the horizontal axis, the horizontal axis, and the vertical axis for `rows`.
    fn axes(&self, rows: &[&Row<'_>], series: &[String]) -> Result<(Vec<String>, Axis, Axis)> {
        let options = self.options;
        let column = self.choice.x.as_deref().unwrap_or_default();
        if self.kind == FigureKind::Cdf {
            let share = Wanted {
                column: "share",
                title: Some(options.y_title.as_deref().unwrap_or("Share of values")),
                logarithmic: false,
                range: options.y_range,
                from_zero: false,
            };
            return Ok((Vec::new(), self.value_axis(rows), Axis::new(share, &[0.0, 1.0])));
        }
        let title = |title: &Option<String>, column: &str| match title {
            Some(title) => title.clone(),
            None => axis::title(column),
        };
        let categories = match self.has_categories {
            true => categories(rows),
            false => Vec::new(),
        };
        let x = match self.has_categories {
            true => {
                if categories.len() > MAX_CATEGORIES {
                    let found = format!("more than {MAX_CATEGORIES} categories");
                    return Err(Error::parameter(
                        column,
                        found,
                        format!("at most {MAX_CATEGORIES}"),
                    ));
                }
                Axis::categories(title(&options.x_title, column), &categories)
            }
            false => {
                let wanted = Wanted {
                    column,
                    title: options.x_title.as_deref(),
                    logarithmic: options.log_x,
                    range: options.x_range,
                    from_zero: false,
                };
                let values: Vec<f64> = rows.iter().filter_map(|row| row.number).collect();
                Axis::new(wanted, &values)
            }
        };
        let y = match self.kind {
            FigureKind::Heat => {
                // The first series is the top row.
                let names: Vec<String> = series.iter().rev().cloned().collect();
                Axis::categories(title(&options.y_title, &self.choice.series.join(", ")), &names)
            }
            _ => self.value_axis(rows),
        };
        Ok((categories, x, y))
    }

    /// Returns the axis of the values of `rows`: the vertical axis, the horizontal axis of a figure of kind `cdf`, or the
    /// axis of the colors.
    fn value_axis(&self, rows: &[&Row<'_>]) -> Axis {
        let options = self.options;
        let (title, logarithmic, range) = match self.kind {
            FigureKind::Cdf => (&options.x_title, options.log_x, options.x_range),
            FigureKind::Heat => (&options.color_title, options.log_y, options.y_range),
            _ => (&options.y_title, options.log_y, options.y_range),
        };
        let with_bands = matches!(self.kind, FigureKind::Line | FigureKind::Bar | FigureKind::Point);
        let bands = rows.iter().filter(|_| with_bands).filter_map(|row| row.band);
        let mut values: Vec<f64> = rows.iter().filter_map(|row| row.y).collect();
        values.extend(bands.flat_map(|(low, high)| [low, high]));
        values.extend(options.reference.iter().map(|reference| reference.value));
        values.retain(|&value| value > 0.0 || !logarithmic);
        let normalized = options.normalize.as_ref();
        let title_of = normalized.map(|name| format!("{} / {name}", axis::title(&self.choice.y)));
        // A quotient has no unit, but the name of its column may state a unit.
        let column = if normalized.is_some() {
            "quotient"
        } else {
            &self.choice.y
        };
        let wanted = Wanted {
            column,
            title: title.as_deref().or(title_of.as_deref()),
            logarithmic,
            range,
            from_zero: self.kind == FigureKind::Bar,
        };
        Axis::new(wanted, &values)
    }

    /// Returns the points of one series in a panel.
    fn line<'r, 't: 'r>(&self, rows: impl Iterator<Item = &'r Row<'t>>, categories: &[String]) -> Vec<Point> {
        let place = |row: &Row<'_>| match self.has_categories {
            true => categories
                .iter()
                .position(|name| same(name, row.x))
                .map(|at| at as f64),
            false => row.number,
        };
        if self.kind == FigureKind::Cdf {
            let mut values: Vec<f64> = rows.filter_map(|row| row.y).collect();
            values.sort_by(f64::total_cmp);
            let count = values.len() as f64;
            let steps = values.iter().enumerate();
            return steps
                .map(|(index, &x)| Point {
                    x,
                    y: Some((index + 1) as f64 / count),
                    band: None,
                })
                .collect();
        }
        let points = rows.filter_map(|row| {
            Some(Point {
                x: place(row)?,
                y: row.y,
                band: row.band,
            })
        });
        let mut points: Vec<Point> = points.collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    }
}

/// Returns the names of the series in the legend. If the names are numbers, the name of their column precedes each
/// number.
fn legend(names: Vec<String>, columns: &[String], kind: FigureKind) -> Vec<String> {
    match columns {
        [column] if kind != FigureKind::Heat && names.iter().all(|name| name.parse::<f64>().is_ok()) => {
            names.iter().map(|name| format!("{column} = {name}")).collect()
        }
        _ => names,
    }
}

/// Returns the maximum number of series. A heat map may have more series than other figures, because a row of cells
/// needs no line style.
fn most_series(options: &Options) -> usize {
    match options.kind {
        Some(FigureKind::Heat) => MAX_CATEGORIES,
        _ => MAX_SERIES,
    }
}

/// Returns the categories of `rows` with values: numbers in ascending order, or texts in the order of the rows.
fn categories(rows: &[&Row<'_>]) -> Vec<String> {
    let mut names: Vec<(&str, Option<f64>)> = Vec::new();
    for row in rows.iter().filter(|row| row.y.is_some()) {
        if !names.iter().any(|(name, _)| same(name, row.x)) {
            names.push((row.x, row.number));
        }
        if names.len() > MAX_CATEGORIES {
            break; // too many for a figure
        }
    }
    if names.iter().all(|(_, number)| number.is_some()) {
        names.sort_by(|(_, a), (_, b)| a.unwrap_or(0.0).total_cmp(&b.unwrap_or(0.0)));
    }
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Returns whether two cells show the same category.
fn same(a: &str, b: &str) -> bool {
    super::values::accepts(a, b)
}

fn check_references(references: &[Reference]) -> Result<()> {
    match references
        .iter()
        .find(|reference| !(-MAX_VALUE..=MAX_VALUE).contains(&reference.value))
    {
        Some(reference) => Err(Error::parameter(
            "reference",
            reference.value,
            format!("a number within ±{MAX_VALUE:e}, the range of an axis"),
        )),
        None => Ok(()),
    }
}

/// Checks that each series has at most one value at each place.
fn check_single(rows: &Rows<'_>, choice: &Choice) -> Result<()> {
    let mut seen: BTreeMap<(usize, usize, u64, &str), &Row<'_>> = BTreeMap::new();
    for row in &rows.rows {
        let (bits, text) = match row.number {
            Some(number) => ((number + 0.0).to_bits(), ""),
            None => (0, row.x),
        };
        let Some(first) = seen.insert((row.panel, row.series, bits, text), row) else {
            continue;
        };
        let named = |columns: &[String], names: &[String], index: usize| {
            let name = names.get(index).map(String::as_str).unwrap_or_default();
            match columns.is_empty() {
                true => String::new(),
                false => format!("{} = {name}", columns.join(", ")),
            }
        };
        let panel = rows.panels.get(row.panel).filter(|title| !title.is_empty());
        let parts = [
            named(&choice.series, &rows.series, row.series),
            format!("{} = {}", choice.x.as_deref().unwrap_or_default(), row.x),
            panel.cloned().unwrap_or_default(),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let found = format!("two values, at {} and {}", first.place(), row.place());
        let expected = format!("one value for {}", parts.join(", "));
        let hint = "select rows by the value of a column, or choose other columns for series or panels";
        return Err(Refusal::new(&choice.y, found, expected).hint(hint).into());
    }
    Ok(())
}

/// Returns the index of `item` in `items`. If `items` lacks the item, appends it.
fn index_of<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|known| *known == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

/// Returns the kind of a figure. `is_numeric` states whether the horizontal axis can show numbers.
fn kind(options: &Options, is_numeric: bool, rows: &Rows<'_>) -> FigureKind {
    options.kind.unwrap_or_else(|| {
        let mut seen = HashSet::new();
        let mut places = rows.rows.iter().map(|row| (row.panel, row.series, row.x));
        match is_numeric {
            true => FigureKind::Line,
            false if places.all(|place| seen.insert(place)) => FigureKind::Bar,
            false => FigureKind::Box,
        }
    })
}
