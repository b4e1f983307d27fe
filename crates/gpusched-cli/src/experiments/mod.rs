//! Experiments and their figures.

pub mod plot;
pub mod study;
