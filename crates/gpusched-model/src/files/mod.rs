//! Files: strict reading of input files, atomic writing of output files, and text cells of CSV files.

pub mod artifact;
pub mod reader;
pub mod spreadsheet;
