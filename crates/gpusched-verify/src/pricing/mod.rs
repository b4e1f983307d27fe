//! Check of the dual prices of a lower bound: no candidate partition may have a total price above its SMs.
//!
//! The check searches all groups of tasks (`walk`). It skips a group on m SMs only for reasons that hold under every policy
//! (`demands`). The load is above 1, a task misses its deadline in isolation, or the demand exceeds the length of an interval.
//! It also skips groups whose total price these facts bound (`multipliers`). Every other group with a total price above m is
//! tested with the policy (`answer`). A group that passes refutes the bound, and a group that fails is skipped.
//!
//! The check uses no part of the search that found the prices, and no test of the library.

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
use gpusched_model::counted;
use gpusched_model::plan::{LowerBound, Plan, Proof, UNITS_PER_SM};
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Policy, TaskSet};
use walk::{Found, Walk};

/// Findings of the check of a lower bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedBound {
    /// Lower bound on the SMs of every plan, as the plan states it.
    pub stated: u32,
    /// Proven part of the lower bound; absent if no part is proven.
    pub proven: Option<u32>,
    /// Reason why the lower bound is not fully confirmed.
    pub unchecked: Option<Unchecked>,
    /// Lower bound that HiGHS claims beyond the stated one. The verifier does not confirm it.
    pub highs: Option<u32>,
}

/// Reason why a lower bound is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unchecked {
    /// The part beyond the prices comes from a search that leaves no evidence.
    Search,
    /// More groups exist than [`Effort::groups`] allows.
    Groups,
    /// Some WCETs are known in conflict but not in isolation, so a group may need fewer SMs than a part of it.
    Tables,
    /// These tasks have a total price above the given SMs, and the test on these SMs is inconclusive.
    Policy {
        /// Positions of the tasks in the task set, ascending.
        tasks: Vec<usize>,
        /// Number of SMs.
        sms: u32,
    },
}

impl std::fmt::Display for Unchecked {
    /// Writes a part of a sentence.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unchecked::Search => write!(f, "the rest is a search that leaves no trace"),
            Unchecked::Groups => write!(f, "there are more groups of tasks than the search effort allows"),
            Unchecked::Tables => write!(f, "some WCETs are known in conflict but not in isolation"),
            Unchecked::Policy { tasks, sms } => {
                write!(
                    f,
                    "the test of tasks {tasks:?} on {} is inconclusive",
                    counted(*sms, "SM")
                )
            }
        }
    }
}

/// Checks the dual prices of the bound of `plan`, if it has one. The caller checks the rest of the bound.
///
/// # Errors
/// Fails for a group that passes with a total price above its SMs, and for a bound that is impossible for such a plan.
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

/// Checks the dual prices of `bound` for plans of the device of `plan`, under its policy, with the WCETs `wcets`.
///
/// # Errors
/// Fails as [`check`] does.
pub(super) fn check_bound(
    bound: &LowerBound,
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<CheckedBound, Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = "found a number of prices that differs from the number of tasks";
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
                "tasks {tasks:?} have a total price above {}, but pass the test there",
                counted(sms, "SM")
            );
            Err(Fault::new("bound.prices", message))
        }
    }
}

/// Returns the lower bound on the SMs of every plan that follows from the dual prices: their sum, rounded up to a total of
/// partitions with `sizes`.
pub(super) fn by_prices(prices: &[u64], sizes: &Sizes) -> u32 {
    let worth: u128 = prices.iter().map(|&price| u128::from(price)).sum();
    let worth = worth.div_ceil(UNITS_PER_SM.into()).max(1);
    sizes.total_from(u32::try_from(worth).unwrap_or(u32::MAX))
}

/// Returns the only test of all partitions.
fn policy(plan: &Plan) -> Result<Policy, Fault> {
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    match policies.next() {
        Some(policy) if policies.all(|other| other == policy) => Ok(policy),
        found => {
            let found = found.map_or("none", |_| "several");
            let message =
                format!("found {found}, expected only one policy, because the bound is for one policy");
            Err(Fault::new("partitions", message))
        }
    }
}

/// Whether C(m) is known in isolation wherever it is known in conflict.
pub(super) fn known_alone(set: &TaskSet) -> bool {
    let first =
        |points: &[(u32, gpusched_model::time::Time)]| points.first().map_or(u32::MAX, |point| point.0);
    set.tasks().iter().all(|task| match task.wcet().form() {
        Form::Table(Table::Each { isolated, conflict }) => first(isolated) <= first(conflict),
        _ => true,
    })
}
