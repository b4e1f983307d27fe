//! Files: strict reading of input files, and atomic writing of output files.

pub mod artifact;
pub mod reader;
