//! What gpusched computes: task sets, interference, schedulability tests, partitions, bounds on the execution time of kernels, memory
//! bandwidth budgets, predictions.
//!
//! Dependencies between the modules point one way: {[`generation`], [`interference`], [`kernel_wcet`]} ← [`schedulability`] ←
//! {[`partitioning`], [`bandwidth`], [`prediction`]}.

pub mod bandwidth;
pub mod export;
pub mod generation;
pub mod interference;
pub mod kernel_wcet;
pub mod partitioning;
pub mod prediction;
pub mod schedulability;
