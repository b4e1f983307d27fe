//! The machine of the warp level: presets and what follows from them, and configurations of GPGPU-Sim.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

mod addresses;
#[cfg(feature = "cli")]
mod command;
mod files;
mod garbage;
mod import;
mod occupancy;
mod presets;
mod published;
mod refusals;
