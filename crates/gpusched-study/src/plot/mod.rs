//! Figures from results tables.
//!
//! A figure is a row of panels with one axis for all: a panel per reading, a line per algorithm, a confidence band where
//! the table has one. It is an SVG text that depends on tables and options alone, byte by byte.
//!
//! Every line differs from the others in color (a palette that color-blind readers can tell apart, Okabe & Ito 2008), in
//! its dashes and in its markers, so that a figure survives a black-and-white printer.
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

/// Draws the rows of all tables together as one figure, as SVG text.
///
/// # Errors
/// [`Error::Refused`](gpusched_model::error::Error::Refused) if there is nothing to draw or too much to tell apart;
/// [`Error::Refused`](gpusched_model::error::Error::Refused) naming file and line for a missing column, a cell that is not a number,
/// two values for one point of a line, or a value that a logarithmic axis cannot show.
pub fn line_chart(tables: &[Table], options: &Options) -> Result<String> {
    let chart = data::Chart::new(tables, options)?;
    draw::svg(&chart)
}
