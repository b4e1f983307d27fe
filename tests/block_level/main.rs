//! The block-level simulator: published placements, and cases that can be computed by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

mod hand;
mod placement;
mod scenario;
