//! Assignment of tasks to partitions, and of SMs to partitions ([Singh21] §3.5).
//!
//! [`partition`] computes a plan for a [`Problem`] with a [`Heuristic`]. Read the folders in this order. Each folder uses
//! only the folders before it:
//!
//! 1. `heuristic`: what the user selects: a [`Heuristic`] and its [`Options`], and the default search effort;
//! 2. `problem`: the tasks, the GPU with its supported partition sizes, and the test of one partition;
//! 3. `search`: code that all searches share, such as a fast schedulability test;
//! 4. `merge`: searches that merge pairs of partitions: SMS, BF, savings, matching ([Singh21] Algorithms 1–3);
//! 5. `baselines`: first-fit and worst-fit on partitions of equal size, and plans for very many tasks;
//! 6. `improve`: local search on a plan, and merges and repairs that reduce memory interference;
//! 7. `optimal`: plans with the fewest SMs, and a proven lower bound on the SMs of every plan;
//! 8. `one_search`: one search by one heuristic, and the portfolio search `auto`;
//! 9. `beside`: searches for partitions that share a memory;
//! 10. `run`: from a problem to a plan;
//! 11. `margin`: the plan with the largest WCET margin, from several runs; and the [`sensitivity`] of a plan: how much its
//!     WCETs and its partition sizes may change before it fails. [`growth`] and [`first_miss`] state exact limits;
//! 12. `increment`: a plan that keeps the partitions of an earlier plan;
//! 13. `stated`: the plan with stated partitions.
//!
//! Without a time limit, all results are deterministic. The documentation of each search states
//! how the search breaks ties.

mod baselines;
mod beside;
mod heuristic;
mod improve;
mod increment;
mod margin;
mod merge;
mod one_search;
mod optimal;
mod problem;
mod run;
mod search;
mod stated;

pub use heuristic::effort::{AUTO_BUDGET, AUTO_LIMIT, MANY, OPTIMAL_BUDGET, default_budget};
pub use heuristic::kind::listed;
pub use heuristic::options::{NEAR_ENOUGH, NoEffect, near_enough};
pub use heuristic::traffic::Traffic;
pub use heuristic::{Heuristic, HeuristicKind, Objective, Options, forbidden, order};
pub use increment::extended;
pub use margin::MARGIN_SEARCHES;
pub use margin::growth::{FirstMiss, first_miss, growth};
pub use margin::sensitivity::sensitivity;
pub use merge::maximum_weight_matching;
pub use problem::hardware::{Offer, Placed};
pub use problem::{Excess, Problem};
pub use stated::{Stated, no_plan, stated};

use gpusched_model::plan::Plan;
use search::Experience;

/// Partitions the GPU of `problem` with `heuristic`. If tests count memory traffic, the search tries
/// [all](Traffic::All) treatments of memory traffic.
pub fn partition(problem: &Problem<'_>, heuristic: &Heuristic) -> Plan {
    partition_by(problem, heuristic, Traffic::All)
}

/// Partitions the GPU like [`partition`]. `traffic` selects how the search treats memory traffic.
pub fn partition_by(problem: &Problem<'_>, heuristic: &Heuristic, traffic: Traffic) -> Plan {
    match heuristic.objective() {
        Objective::Margin => margin::widest(problem, heuristic, traffic),
        Objective::Sms | Objective::Feasible => {
            run::search(problem, heuristic, traffic, &mut Experience::default()).plan
        }
    }
}
