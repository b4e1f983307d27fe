//! The tables of a result, described once. Each table has a text form, a CSV form and a form on a page.
//!
//! * [`table`]: the columns, and the rows from which they take their cells;
//! * [`cell`]: a text for the reader, and the exact value;
//! * [`text`]: aligned text for the terminal;
//! * [`mod@csv`]: the CSV form, and rows without a table;
//!
//! `templates/parts.html` renders a table on a page.

pub mod cell;
pub mod csv;
pub mod table;
pub mod text;

pub use cell::{Cell, Tone};
pub use csv::Rows;
pub use table::{Draft, Table};
pub use text::{clip, wrap};
