//! Execution time as a function of the number of SMs.

pub mod classification;
pub mod envelope;
pub mod least_squares;
pub mod points;
pub mod saturation;
pub mod scaling;
