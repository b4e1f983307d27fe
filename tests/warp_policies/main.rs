//! Warp scheduling policies: the published figures, a slow twin of every policy, what holds in every run, and the command.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "cli")]
mod command;
mod driver;
#[cfg(feature = "cli")]
mod figures;
mod printed;
mod properties;
mod random;
#[cfg(feature = "cli")]
mod refusals;
mod scenarios;
mod slots;
mod slow;
