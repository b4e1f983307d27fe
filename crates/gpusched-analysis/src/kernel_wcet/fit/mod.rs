//! Distributions and curves that gpusched fits to measured times.
//!
//! * **Distribution of the execution times of one cluster**: [`normal`] fits a normal
//!   distribution ([Aghilinasab20] Table I). [`tail::estimate`] computes a WCET from extreme
//!   values. [`gev`] fits block maxima, and [`gpd`] fits excesses over a threshold. [`goodness`]
//!   and [`independence`] test whether a fit is trustworthy. [`trend`] tests whether the times rise or fall.
//! * **Execution time as a function of the number of SMs** ([Singh21] §3.3): [`points`] contains
//!   the measurements. [`least_squares`] computes the regression a/m + b. [`envelope`] computes
//!   functions that bound all measurements. [`saturation`] computes the number of SMs above which
//!   a kernel hardly becomes faster. [`classification`] determines which resource a kernel mostly
//!   uses. [`scaling`] combines all results.
//!
//! Distributions use floating-point numbers, and their results are estimates. gpusched computes
//! with `libm`, so the results are equal on every machine. Envelopes use integers, and they bound
//! all measurements.

mod curves;
mod distributions;

pub use curves::{classification, envelope, least_squares, points, saturation, scaling};
pub use distributions::{gev, goodness, gpd, independence, kolmogorov, normal, simplex, tail, trend};

/// Significance level of the Kolmogorov–Smirnov tests of [Aghilinasab20].
pub const ALPHA: f64 = 0.05;
