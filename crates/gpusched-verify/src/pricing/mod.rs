//! Check of the dual prices of a lower bound: no candidate partition may have a total price above its number of SMs.
//!
//! The check searches all groups of tasks (`walk`). The check skips a group on m SMs if the group fails under every
//! policy (`demands`): the load is above 1, a task misses its deadline in isolation, or the demand exceeds an interval.
//! The check also skips a group on m SMs if an upper bound on its total price is at most m (`multipliers`). The policy's
//! test (`answer`) decides about every other group with a total price above m. A group that passes its test refutes the
//! lower bound.
//!
//! The check uses no part of the search that found the prices, and no schedulability test of the library.

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

/// Findings about a lower bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedBound {
    /// Lower bound on the SMs of every plan, as stated in the plan.
    pub stated: u32,
    /// Proven part of the lower bound; absent if no part is proven.
    pub proven: Option<u32>,
    /// Reason why the lower bound is not fully confirmed.
    pub unchecked: Option<Unchecked>,
    /// Larger lower bound that HiGHS claims. The verifier does not confirm it.
    pub highs: Option<u32>,
}

/// Reason why a lower bound is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unchecked {
    /// The prices prove only a part of the bound. The remaining part comes from a search that leaves no evidence.
    Search,
    /// The number of groups exceeds [`Effort::groups`].
    Groups,
    /// Some WCETs are known only in conflict. So a group may need fewer SMs than a subset of the group.
    Tables,
    /// The listed tasks have a total price above the number of SMs, and their test on these SMs is inconclusive.
    Policy {
        /// Positions of the tasks in the task set, ascending.
        tasks: Vec<usize>,
        /// Number of SMs.
        sms: u32,
    },
}

impl std::fmt::Display for Unchecked {
    /// Writes the reason as a clause without a capital letter and a period.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unchecked::Search => write!(
                f,
                "the part beyond the prices comes from a search without evidence"
            ),
            Unchecked::Groups => write!(f, "there are more groups of tasks than the search effort allows"),
            Unchecked::Tables => write!(f, "some WCETs are known only in conflict, not in isolation"),
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

/// Checks the dual prices of the lower bound of `plan`, if the plan has one. The caller checks all other fields of the
/// bound.
///
/// # Errors
/// Fails if a group with a total price above its number of SMs passes its test. Fails if `plan` cannot have a lower bound.
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

/// Checks the dual prices of `bound` for all plans on the device of `plan`, under the policy of `plan` and with `wcets`.
///
/// # Errors
/// Fails like [`check`].
pub(super) fn check_bound(
    bound: &LowerBound,
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<CheckedBound, Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = "found a list with more or fewer prices than tasks";
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
                "found a total price of tasks {tasks:?} above {}, but the tasks pass the test there",
                counted(sms, "SM")
            );
            Err(Fault::new("bound.prices", message))
        }
    }
}

/// Returns the lower bound on the SMs of every plan that the dual prices prove. The bound is the sum of the prices,
/// rounded up to a total of partitions with `sizes`.
pub(super) fn by_prices(prices: &[u64], sizes: &Sizes) -> u32 {
    let worth: u128 = prices.iter().map(|&price| u128::from(price)).sum();
    let worth = worth.div_ceil(UNITS_PER_SM.into()).max(1);
    sizes.total_from(u32::try_from(worth).unwrap_or(u32::MAX))
}

/// Returns the policy that all partitions of `plan` share.
fn policy(plan: &Plan) -> Result<Policy, Fault> {
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    match policies.next() {
        Some(policy) if policies.all(|other| other == policy) => Ok(policy),
        found => {
            let found = found.map_or("none", |_| "several");
            let message =
                format!("found {found}, expected one policy, because a lower bound is valid for one policy");
            Err(Fault::new("partitions", message))
        }
    }
}

/// Whether every C(m) that is known in conflict is also known in isolation.
pub(super) fn known_alone(set: &TaskSet) -> bool {
    let first =
        |points: &[(u32, gpusched_model::time::Time)]| points.first().map_or(u32::MAX, |point| point.0);
    set.tasks().iter().all(|task| match task.wcet().form() {
        Form::Table(Table::Each { isolated, conflict }) => first(isolated) <= first(conflict),
        _ => true,
    })
}
