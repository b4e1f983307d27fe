//! Check of the dual prices of a lower bound: no candidate partition may have a total price above
//! its number of SMs. Each task has a dual price.
//!
//! The check searches all groups of tasks (`walk`). The check skips a group on m SMs if the group certainly fails its
//! test (`demands`). A group certainly fails if its utilization exceeds 1, or if a task misses its deadline in
//! isolation. It also certainly fails if demand plus blocking exceeds the length of an interval. Without immediate
//! preemption, the check divides the groups by the tasks that block the longest (`chain`). In addition, the check skips
//! a group if an upper bound on its total price is at most m (`multipliers`). For every other group with a total price
//! above m, the check applies the test of the policy (`answer`). A group that passes this test refutes the lower bound.
//!
//! The check uses neither the search that found the prices nor a schedulability test of the
//! library.

mod answer;
mod candidate;
mod chain;
mod demands;
mod division;
mod effort;
mod family;
mod measures;
mod multipliers;
mod walk;

use super::hardware::Sizes;
use super::jobs::Wcets;
use crate::fault::Fault;
pub(super) use answer::passes;
pub use effort::{Effort, GROUPS};
use gpusched_model::counted;
use gpusched_model::plan::{LowerBound, Plan, Proof, UNITS_PER_SM};
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Policy, TaskSet};
use walk::{Found, Walk};

/// Findings of the verifier about a lower bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedBound {
    /// Lower bound on the SMs of all plans, as the plan states it.
    pub stated: u32,
    /// Proven part of the lower bound. Absent if the verifier proves no part.
    pub proven: Option<u32>,
    /// Reason why the verifier does not confirm the complete lower bound.
    pub unchecked: Option<Unchecked>,
}

/// Reason why the verifier does not confirm a lower bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unchecked {
    /// The prices prove only a part of the lower bound. The remaining part is the result of a search, which leaves no
    /// evidence.
    Search,
    /// The number of groups of tasks exceeds [`Effort::groups`].
    Groups,
    /// Some WCETs are known only in conflict. As a result, a group of tasks may need fewer SMs than a part of the
    /// group.
    Tables,
    /// The listed tasks have a total price above the number of SMs. The test of these tasks on these SMs is
    /// inconclusive.
    Policy {
        /// Positions of the tasks in the task set, in ascending order.
        tasks: Vec<usize>,
        /// Number of SMs.
        sms: u32,
    },
}

impl std::fmt::Display for Unchecked {
    /// Writes the reason as a clause, without a capital letter and without a period.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unchecked::Search => write!(
                f,
                "the part of the bound above the sum of the dual prices comes from a search without evidence"
            ),
            Unchecked::Groups => write!(f, "the number of candidate partitions exceeds the search effort"),
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

/// Checks the dual prices of the lower bound of `plan`, if the plan has a lower bound. The caller must check all other
/// fields of the lower bound.
///
/// # Errors
/// Fails if a group with a total price above its number of SMs passes its test. Also fails if the partitions
/// of `plan` have different policies, or if there is no partition.
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

/// Checks the dual prices of `bound` for all plans on the device of `plan`, with the WCETs `wcets`. Each group is
/// tested under the policy of `plan`.
///
/// # Errors
/// Returns the errors of [`check`].
pub(super) fn check_bound(
    bound: &LowerBound,
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<CheckedBound, Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = "found a list with more or fewer prices than tasks, expected one price for each task";
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
        Found::TooMuch | Found::Paused => checked(None, Some(Unchecked::Groups)),
        Found::Open { tasks, sms } => checked(None, Some(Unchecked::Policy { tasks, sms })),
        Found::Worth { tasks, sms } => {
            let message = format!(
                "found dual prices of tasks {tasks:?} with a sum above {}, but these tasks pass the test \
                 on this number of SMs",
                counted(sms, "SM")
            );
            Err(Fault::new("bound.prices", message))
        }
    }
}

/// Returns the lower bound that the dual prices prove for the SMs of all plans. The function rounds the sum of the
/// prices up to a number of SMs that partitions with `sizes` can have together.
pub(super) fn by_prices(prices: &[u64], sizes: &Sizes) -> u32 {
    let worth: u128 = prices.iter().map(|&price| u128::from(price)).sum();
    let worth = worth.div_ceil(UNITS_PER_SM.into()).max(1);
    sizes.total_from(u32::try_from(worth).unwrap_or(u32::MAX))
}

/// Returns the policy of all partitions of `plan`. Fails if there is no partition, or if the
/// partitions have several policies.
fn policy(plan: &Plan) -> Result<Policy, Fault> {
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    match policies.next() {
        Some(policy) if policies.all(|other| other == policy) => Ok(policy),
        found => {
            let found = found.map_or("no partition", |_| "several policies");
            let message = format!(
                "found {found}, expected partitions with one policy, because a lower bound is valid for \
                 one policy"
            );
            Err(Fault::new("partitions", message))
        }
    }
}

/// Returns whether every C(m) that is known in conflict is also known in isolation.
pub(super) fn known_alone(set: &TaskSet) -> bool {
    let first =
        |points: &[(u32, gpusched_model::time::Time)]| points.first().map_or(u32::MAX, |point| point.0);
    set.tasks().iter().all(|task| match task.wcet().form() {
        Form::Table(Table::Each { isolated, conflict }) => first(isolated) <= first(conflict),
        _ => true,
    })
}
