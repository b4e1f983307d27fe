//! Promise: fits to measured times are those of the literature, find what was planted, and no envelope is below a measurement.
#![cfg(feature = "cli")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[path = "../support/mod.rs"]
mod support;

mod command;
mod data;
mod envelope;
mod estimates;
mod normal;
mod planted;
mod published;
mod saturation;
mod streams;
