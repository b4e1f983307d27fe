//! The block-level simulator: published placements, cases that can be computed by hand, real traces, and the command.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

mod budgets;
#[cfg(feature = "cli")]
mod command;
mod hand;
#[cfg(feature = "cli")]
mod logs;
mod measured;
mod placement;
#[cfg(feature = "cli")]
mod refusals;
mod scenario;
