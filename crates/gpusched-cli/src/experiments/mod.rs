//! Experiments and their figures.

pub mod plot;
pub mod study;

use super::{Format, Global, Outcome};
