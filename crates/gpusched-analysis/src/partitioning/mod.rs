//! Assignment of tasks to partitions, and of SMs to partitions ([Singh21] §3.5).
//!
//! [`partition`] computes a plan for a [`Problem`] with a [`Heuristic`]. Each folder of this list
//! uses only the folders listed before it:
//!
//! * `hardware`: the supported partition sizes of a device, and the placement of partitions on a
//!   device;
//! * `search`: code that all searches share, such as the [`Problem`] and a fast schedulability
//!   test;
//! * `merge`: searches that merge pairs of partitions: SMS, BF, savings, matching ([Singh21] Algorithms 1–3);
//! * `baselines`: one partition for all tasks, one partition per task, and first-fit and
//!   worst-fit on partitions of equal size;
//! * `improve`: local search on a plan, and merges and repairs that reduce memory interference;
//! * `optimal`: plans with the fewest SMs, and a proven lower bound on the SMs of every plan;
//! * `beside`: plans with few SMs for partitions that share a memory.
//!
//! The files of this folder use all folders of the list:
//!
//! * [`Heuristic`] and its [`Options`];
//! * `auto` combines several searches, `one_search` runs a heuristic once, and `run` computes a plan;
//! * `margin` searches for the plan with the largest WCET margin;
//! * [`sensitivity`] computes how much the WCETs and the partition sizes of a plan may change before the plan fails.
//!
//! Without a time limit, all results are deterministic. The documentation of each search states
//! how the search breaks ties.

mod auto;
mod baselines;
mod beside;
mod budgets;
mod hardware;
mod heuristic;
mod improve;
mod kind;
mod margin;
mod merge;
mod one_search;
mod optimal;
mod options;
mod run;
mod search;
pub mod sensitivity;
mod traffic;

pub use budgets::{AUTO_BUDGET, MANY, OPTIMAL_BUDGET, default_budget};
pub use hardware::{Offer, Placed};
pub use heuristic::{Goal, Heuristic, LocalSearch};
pub use kind::{HeuristicKind, listed};
pub use margin::MARGIN_SEARCHES;
pub use merge::{forbidden, maximum_weight_matching, order};
pub use options::{NEAR_ENOUGH, NoEffect, Options, near_enough};
pub use run::{partition, partition_by};
pub use search::{Objective, Problem, SearchLimits};
pub use sensitivity::sensitivity;
pub use traffic::Traffic;
