//! Promise: bounds on kernels are those of [Aghilinasab20] §IV, exactly, and no schedule of the blocks exceeds them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[path = "../support/mod.rs"]
mod support;

mod algorithm;
mod commands;
mod golden;
mod program;
mod random;
mod simulation;
mod verification;
