//! Which tasks share a partition, and how many SMs each partition gets ([Singh21] §3.5).
//!
//! [`partition`] answers a [`Problem`] by a [`Heuristic`]. Each folder uses only folders above it in this list:
//!
//! * `hardware`: the partition sizes that a device supports, and where partitions are placed;
//! * `search`: what all searches share, from the [`Problem`] to the test that they ask;
//! * `merge`: partitions are merged in pairs: SMS, BF, savings, matching ([Singh21] Algorithms 1–3);
//! * `baselines`: one partition, one partition per task, first-fit and worst-fit on an equal split;
//! * `improve`: a plan is improved by local search, or for memory traffic;
//! * `optimal`: the fewest SMs, with a lower bound and its proof.
//!
//! The files of this folder use all of them: [`Heuristic`] and its [`Options`], `auto`, which combines the searches, `run`,
//! which calls them, `margin`, which calls them at many factors on the WCETs, and [`sensitivity`].
//!
//! Everything is deterministic: each file states how it breaks ties.

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
