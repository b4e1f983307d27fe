//! The files of other tools: profilers, simulators and compilers.

pub mod import;
pub mod recording;
