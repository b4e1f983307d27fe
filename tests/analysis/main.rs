//! Compares schedulability tests, heuristics, bounds and budgets with simple reference
//! implementations and published numbers.
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

mod agreement;
mod assumptions;
mod bandwidth;
mod block_traces;
mod edf_exactness;
mod end_to_end;
mod equal_sms;
mod exactness;
mod fits;
mod generation;
mod golden_singh21;
mod granularity;
mod heuristics;
mod identity;
mod kernel_wcet;
mod many_tasks;
mod margin;
mod measured_h100;
mod measured_samples;
mod model;
mod operator_graphs;
mod optimal;
mod overheads;
mod own_plans;
mod plan_soundness;
mod ports;
mod prediction;
mod published_examples;
mod sensitivity;
mod sequence;
mod shared_memory;
mod shortcuts;
mod validation;
mod verification;
mod what_if;
