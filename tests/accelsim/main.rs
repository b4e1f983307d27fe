//! Promise: traces of Accel-Sim are read as they were written, in every form the format has, and what is no trace is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "cli")]
mod command;
mod fuzz;
mod kernels;
mod model;
mod reading;
mod refusals;
mod streams;
