//! Figures from results tables.
//!
//! A figure is a row of panels with common axes: a panel per analysis variant, a line per algorithm, and a confidence band if
//! the table has one. It is an SVG text that depends, byte by byte, only on tables and options.
//!
//! Lines differ in color (a palette for color-blind readers, Okabe & Ito 2008), in dashes and in markers. Therefore
//! black-and-white printers can reproduce a figure.
//!
//! ```
//! use gpusched_study::plot::{Options, line_chart};
//! use gpusched_study::Table;
//!
//! let csv = "utilization,algorithm,rate\n2,SMS-INA,1\n34,SMS-INA,0.99\n2,1G,1\n34,1G,0.73\n";
//! let table = Table::from_reader("results.csv", csv.as_bytes())?;
//! let svg = line_chart(&[table], &Options::default())?;
//! assert!(svg.starts_with("<svg ") && svg.contains("SMS-INA"));
//! # Ok::<(), gpusched_model::error::Error>(())
//! ```

mod axis;
mod data;
mod draw;
pub mod gantt;
mod layout;
mod options;
mod style;

pub use options::{Options, Selection};

use crate::Table;
use gpusched_model::error::Result;

/// Draws the rows of all tables together as one figure. Returns SVG text.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if there are no values, or too many lines or panels
/// to distinguish. Fails too, with file and line, if a column is missing, if a cell is not a number, or if a point of a line
/// has two values. The same holds for values that a logarithmic axis cannot show.
pub fn line_chart(tables: &[Table], options: &Options) -> Result<String> {
    let chart = data::Chart::new(tables, options)?;
    draw::svg(&chart)
}
