//! Promise: the simulator of jobs does what the rules say. It equals one that goes unit by unit, the releases are legal, and
//! the command prints what happened.
#![cfg(feature = "cli")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../support/mod.rs"]
mod support;

mod command;
mod patterns;
mod plans;
mod refusals;
mod twin;
mod watch;
