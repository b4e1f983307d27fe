//! Commands that describe gpusched itself: its built-in GPUs, file formats, options and help.

pub mod completions;
pub mod gpus;
pub mod help;
pub mod man;
pub mod schema;
pub mod tree;
