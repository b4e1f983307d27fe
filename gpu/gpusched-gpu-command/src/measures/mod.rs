//! Metrics of studies that simulate a GPU at the level of warps.

pub mod beside;
mod budgets;
pub mod co_runs;
pub mod concurrent;
pub mod shared_sms;
pub mod warps;

use gpusched_study::measures::{Files, Labels, Measure, Parameters, Row};
