//! Files: read strictly, written whole.

pub mod artifact;
pub mod reader;
