//! Figures of results tables.
//!
//! A figure shows a column of numbers in one or several panels. The [kind](FigureKind) of the figure is lines, bars,
//! points, boxes, distributions or a heat map. If the options do not state the columns or the kind, gpusched chooses
//! them from the table. A figure is an SVG text. Each byte of this text depends only on the tables and the options.
//!
//! Lines differ in color (a palette for color-blind readers, Okabe & Ito 2008), in dashes and in markers. Therefore lines
//! can be distinguished in black and white.
//!
//! ```
//! use gpusched_study::plot::{Options, svg};
//! use gpusched_study::Table;
//!
//! let csv = "utilization,algorithm,rate\n2,SMS-INA,1\n34,SMS-INA,0.99\n2,1G,1\n34,1G,0.73\n";
//! let table = Table::from_reader("results.csv", csv.as_bytes())?;
//! let svg = svg(&[table], &Options::default())?;
//! assert!(svg.starts_with("<svg ") && svg.contains("SMS-INA"));
//! # Ok::<(), gpusched_model::error::Error>(())
//! ```

pub mod axis;
pub mod data;
mod draw;
pub mod fill;
pub mod gantt;
mod layout;
mod options;
pub mod statistics;
pub mod style;
mod svg;
mod values;

pub use options::{AxisScale, FigureKind, FigureTable, MAX_ROWS, Options};
pub(crate) use values::accepts;
pub use values::{Names, Reference, Selection, Size, Span};

use crate::table::Table;
use gpusched_model::error::Result;

/// Draws the rows of all tables as one figure, and returns the figure as SVG text.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if there are no values, or if there are too
/// many rows, series, panels or categories. Also fails if a column is missing, if a cell is not a number, or if a series has
/// two values at a place that allows only one. On a logarithmic axis, a value that is not positive is an error. These
/// errors state the file and the line. An option that does not suit the table or the kind of figure is an error too.
pub fn svg(tables: &[Table], options: &Options) -> Result<String> {
    draw::svg(&data::Chart::new(tables, options)?)
}

/// Checks that the columns, the cells and the series that `options` name exist in the tables, without drawing the figure.
///
/// # Errors
/// Fails in the same cases as [`svg`], except for errors about values.
pub fn check(tables: &[Table], options: &Options) -> Result<()> {
    data::check(tables, options)
}

/// Checks that a series of the figure has at most one value at each place, without drawing the figure.
///
/// # Errors
/// Fails in the same cases as [`check`], and if a series has two values at a place that allows only one.
pub(crate) fn check_places(tables: &[Table], options: &Options) -> Result<()> {
    data::check_places(tables, options)
}
