//! Distributions and curves fitted to measured times.
//!
//! * **Execution times of one cluster**: [`normal`] ([Aghilinasab20] Table I), and a WCET from extreme values by
//!   [`tail::estimate`]: [`gev`] fits block maxima, [`gpd`] excesses over a threshold, [`goodness`] and [`independence`]
//!   say whether to believe them.
//! * **Execution time against the number of SMs** ([Singh21] §3.3): [`points`] are the measurements, [`least_squares`]
//!   the regression a/m + b, [`envelope`] the functions that no measurement exceeds, [`saturation`] where more SMs stop helping,
//!   [`classification`] what the kernel mostly uses, [`scaling`] all of it together.
//!
//! Distributions are floats (through `libm`, the same on every machine): what they say is an estimate. Envelopes are
//! integers: what they bound is bounded.

mod curves;
mod distributions;

pub use curves::{classification, envelope, least_squares, points, saturation, scaling};
pub use distributions::{gev, goodness, gpd, independence, kolmogorov, normal, tail};

/// The significance level of [Aghilinasab20]'s Kolmogorov–Smirnov tests.
pub const ALPHA: f64 = 0.05;
