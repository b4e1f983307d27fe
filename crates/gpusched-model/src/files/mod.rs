//! Files: strict reading of input files, atomic writing of output files, journals, task sets as CSV tables, and text cells
//! of CSV files.

pub mod artifact;
pub mod journal;
pub mod reader;
pub mod spreadsheet;
pub mod task_table;
