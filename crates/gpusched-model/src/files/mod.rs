//! Files: strict reading and atomic writing.

pub mod artifact;
pub mod reader;
