//! The analyses of gpusched: task set generation, interference models, schedulability tests,
//! partitioning, WCET bounds of kernels, memory bandwidth budgets, predictions, and warps of one sub-core.
//!
//! A module uses only the modules to its left: {[`generation`], [`interference`],
//! [`kernel_wcet`]} ← [`schedulability`] ← {[`partitioning`], [`bandwidth`], [`prediction`]} ← {[`end_to_end`], [`export`]}.
//! [`warp_bounds`] and [`operator_graphs`] use no other module.

pub mod bandwidth;
pub mod end_to_end;
pub mod export;
pub mod generation;
pub mod interference;
pub mod kernel_wcet;
pub mod operator_graphs;
pub mod partitioning;
pub mod prediction;
pub mod schedulability;
pub mod warp_bounds;
