//! Assignment of tasks to partitions, and of SMs to partitions ([Singh21] §3.5).
//!
//! [`partition`] solves a [`Problem`] with a [`Heuristic`]. Each folder uses only folders above it in this list:
//!
//! * `hardware`: supported partition sizes of a device, and placements of partitions;
//! * `search`: common parts of all searches, from the [`Problem`] to its schedulability test;
//! * `merge`: searches that merge pairs of partitions: SMS, BF, savings, matching ([Singh21] Algorithms 1–3);
//! * `baselines`: one partition, one partition per task, first-fit and worst-fit on an equal split;
//! * `improve`: improvement of a plan by local search, or for memory traffic;
//! * `optimal`: the fewest SMs, with a lower bound and its proof.
//!
//! The files of this folder use all of these folders:
//!
//! * [`Heuristic`] and its [`Options`];
//! * `auto` combines the searches, and `run` calls them;
//! * `margin` calls the searches with many factors on the WCETs;
//! * [`sensitivity`] computes how much a plan may change before it fails.
//!
//! All results are deterministic. Each file states how it breaks ties.

mod auto;
mod baselines;
mod budgets;
mod hardware;
mod heuristic;
mod improve;
mod kind;
mod margin;
mod merge;
mod optimal;
mod options;
mod run;
mod search;
pub mod sensitivity;
mod traffic;

pub use budgets::{AUTO_BUDGET, OPTIMAL_BUDGET, default_budget};
pub use hardware::{Offer, Placed};
pub use heuristic::{Goal, Heuristic, LocalSearch};
pub use kind::{HeuristicKind, listed};
pub use margin::MARGIN_SEARCHES;
pub use merge::{forbidden, order};
pub use optimal::Solver;
pub use options::{NEAR_ENOUGH, NoEffect, Options, near_enough};
pub use run::{partition, partition_by};
pub use search::{Objective, Problem, SearchLimits};
pub use sensitivity::sensitivity;
pub use traffic::Traffic;
