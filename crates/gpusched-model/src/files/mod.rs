//! Files: strict reading of input files, atomic writing of output files, journals, and text cells of CSV files.

pub mod artifact;
pub mod journal;
pub mod reader;
pub mod spreadsheet;
