//! Promise: of several kernels under one regulation each ends by its own nominal WCET, and in time if a test says so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[allow(dead_code, reason = "the tests of bounds need more of it")]
#[path = "../kernel_wcet/random.rs"]
mod random;
#[cfg(feature = "cli")]
#[path = "../support/mod.rs"]
mod support;

mod cases;
#[cfg(feature = "cli")]
mod commands;
mod identity;
mod lemma;
mod order;
#[cfg(feature = "cli")]
mod refusals;
mod twin;
#[cfg(feature = "cli")]
mod verdict;
