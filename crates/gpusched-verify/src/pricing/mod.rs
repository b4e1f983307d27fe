//! Whether the prices of a lower bound hold: is any group of tasks worth more than the SMs that it needs?
//!
//! A search over all groups (`walk`). A group is left out on m SMs only for what no policy changes (`asks`): its load is above
//! 1, a task is late by itself, or more is due within some interval than it is long; or for what follows from that for what it
//! may be worth (`multipliers`). What is left and worth more than m is held against the test of the policy (`answer`): a group that passes refutes the bound,
//! one that fails is left out after all.
//!
//! Nothing of the search that found the prices is used, and no test of the library.

mod answer;
mod candidate;
mod demands;
mod effort;
mod family;
mod measures;
mod multipliers;
mod walk;

use super::Fault;
use super::hardware::Sizes;
use super::wcet::Wcets;
pub(super) use answer::passes;
pub use effort::{Effort, GROUPS};
use gpusched_model::plan::{LowerBound, Plan, Proof, UNITS_PER_SM};
use gpusched_model::wcet::{Form, Table};
use gpusched_model::counted;
use gpusched_model::{Policy, TaskSet};
use walk::{Found, Walk};

/// What is known of the lower bound of a plan after its check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedBound {
    /// What the plan states: no plan has fewer SMs.
    pub stated: u32,
    /// How much of that is proven; absent if nothing is.
    pub proven: Option<u32>,
    /// Why not all of it is.
    pub unchecked: Option<Unchecked>,
    /// What HiGHS claims beyond what is stated; nothing here confirms it.
    pub highs: Option<u32>,
}

/// What keeps a bound from being confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unchecked {
    /// The part beyond the prices rests on a search that leaves no trace.
    Search,
    /// There are more groups to look at than [`Effort::groups`].
    Groups,
    /// WCETs that are known in conflict and not alone: a group may need fewer SMs than a part of it.
    Tables,
    /// These tasks are worth more than that many SMs, on which nothing here decides whether they pass the test.
    Policy {
        /// Positions in the task set, ascending.
        tasks: Vec<usize>,
        /// How many.
        sms: u32,
    },
}

impl std::fmt::Display for Unchecked {
    /// As part of a sentence.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unchecked::Search => write!(f, "the rest is a search that leaves no trace"),
            Unchecked::Groups => write!(f, "there are more groups of tasks to look at than were allowed"),
            Unchecked::Tables => write!(f, "some WCETs are known in conflict and not alone"),
            Unchecked::Policy { tasks, sms } => {
                write!(
                    f,
                    "it is not clear whether tasks {tasks:?} pass the test on {}",
                    counted(*sms, "SM")
                )
            }
        }
    }
}

/// Checks the prices of the bound of `plan`, if it has one; the rest of the bound is consistent.
///
/// # Errors
/// A group that is worth more than the SMs on which it passes, or a bound that cannot hold for such a plan.
pub(super) fn check(
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<Option<CheckedBound>, Fault> {
    let Some(bound) = &plan.bound else {
        return Ok(None);
    };
    check_bound(bound, plan, set, wcets, effort).map(Some)
}

/// Checks the prices of `bound` for plans of the device of `plan`, under its policy, where tasks take `wcets`.
///
/// # Errors
/// As [`check`].
pub(super) fn check_bound(
    bound: &LowerBound,
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<CheckedBound, Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = "found another number of prices than of tasks, which leaves tasks without a price";
        return Err(Fault::new("bound.prices", message));
    }
    let policy = policy(plan)?;
    let sizes = Sizes::of(plan);
    let by_prices = by_prices(&bound.prices, &sizes);
    let checked = |proven, unchecked| {
        Ok(CheckedBound {
            stated: bound.sms,
            proven,
            unchecked,
            highs: bound.highs,
        })
    };
    if !known_alone(set) {
        return checked(None, Some(Unchecked::Tables));
    }
    match Walk::new(
        set,
        (wcets.without_memory(), policy),
        &sizes,
        &bound.prices,
        effort,
    )
    .search()
    {
        Found::Nothing => checked(
            Some(by_prices),
            (bound.proof == Proof::Search).then_some(Unchecked::Search),
        ),
        Found::TooMuch => checked(None, Some(Unchecked::Groups)),
        Found::Open { tasks, sms } => checked(None, Some(Unchecked::Policy { tasks, sms })),
        Found::Worth { tasks, sms } => {
            let message = format!(
                "tasks {tasks:?} are worth more than {}, but pass the test there: no bound",
                counted(sms, "SM")
            );
            Err(Fault::new("bound.prices", message))
        }
    }
}

/// The SMs of any plan, if no group is worth more than the SMs of a partition where it passes: what the tasks are worth together, rounded up
/// to what partitions of `sizes` can have together.
pub(super) fn by_prices(prices: &[u64], sizes: &Sizes) -> u32 {
    let worth: u128 = prices.iter().map(|&price| u128::from(price)).sum();
    let worth = worth.div_ceil(UNITS_PER_SM.into()).max(1);
    sizes.total_from(u32::try_from(worth).unwrap_or(u32::MAX))
}

/// The one test that all partitions are tested with.
fn policy(plan: &Plan) -> Result<Policy, Fault> {
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    match policies.next() {
        Some(policy) if policies.all(|other| other == policy) => Ok(policy),
        found => {
            let found = found.map_or("none", |_| "several");
            let message = format!("found {found}, expected the one policy whose plans it bounds");
            Err(Fault::new("partitions", message))
        }
    }
}

/// Whether C(m) is known alone wherever it is known in conflict.
pub(super) fn known_alone(set: &TaskSet) -> bool {
    let first =
        |points: &[(u32, gpusched_model::time::Time)]| points.first().map_or(u32::MAX, |point| point.0);
    set.tasks().iter().all(|task| match task.wcet().form() {
        Form::Table(Table::Each { isolated, conflict }) => first(isolated) <= first(conflict),
        _ => true,
    })
}
