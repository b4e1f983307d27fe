//! Simulations, and their comparison with the analysis.

pub mod simulate;
pub mod validate;
