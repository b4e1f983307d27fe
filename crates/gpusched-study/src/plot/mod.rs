//! Figures of results tables.
//!
//! A figure is a row of panels with common axes. By default, each panel shows one analysis variant and each line shows one
//! algorithm. Lines have a confidence band if the table has a confidence interval. A figure is an SVG text. Each byte
//! of this text depends only on the tables and the options.
//!
//! Lines differ in color (a palette for color-blind readers, Okabe & Ito 2008), in dashes and in markers. Therefore lines
//! can be distinguished in black and white.
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

/// Draws the rows of all tables as one figure, and returns the figure as SVG text.
///
/// # Errors
/// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if there are no values, or if there are too many
/// lines or panels. Also fails if a column is missing, if a cell is not a number, or if a point of a line has two values.
/// On a logarithmic axis, a value that is not positive is an error. These errors state the file and the line.
pub fn line_chart(tables: &[Table], options: &Options) -> Result<String> {
    let chart = data::Chart::new(tables, options)?;
    draw::svg(&chart)
}
