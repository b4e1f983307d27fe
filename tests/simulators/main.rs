//! Tests of the simulators against schedules computed by hand, reference implementations and reference measurements.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers, too"
)]

#[allow(dead_code, reason = "each binary uses some of it")]
#[path = "../oracle/mod.rs"]
mod oracle;
#[allow(dead_code, reason = "each binary uses some of it")]
#[path = "../support/mod.rs"]
mod support;

mod accelsim;
mod benchmark_programs;
mod block_level;
mod closure;
mod end_to_end;
mod engine;
mod in_flight;
mod instrument;
mod job_level;
mod kernel_groups;
mod machine;
mod programs;
mod runtime;
mod timeline;
mod warp_policies;
mod warp_reference;
mod warp_runs;
