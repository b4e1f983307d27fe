//! Studies: identical output bytes in every run, claims, and figures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[allow(dead_code, reason = "each binary uses some of it")]
#[path = "../study_support/mod.rs"]
mod study_support;
#[allow(dead_code, reason = "each binary uses some of it")]
#[path = "../support/mod.rs"]
mod support;

mod claims;
mod collection;
mod committed_figures;
mod committed_results;
mod definitions;
mod figures;
mod library_examples;
mod own_commands;
mod own_generators;
mod own_studies;
mod plot;
mod study_axes;
mod study_cases;
mod study_claims;
mod study_determinism;
mod study_resume;
mod study_specs;
mod tables;
mod time_slices;
