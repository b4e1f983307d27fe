//! Check of the WCET margin of a plan, and of the stated upper limit on the margin of all plans.

use super::failure::lemma;
use super::lower_bound;
use crate::fault::Fault;
use crate::hardware;
use crate::jobs::{Wcets, jobs};
use crate::pricing::{self, Effort, Unchecked};
use gpusched_model::TaskSet;
use gpusched_model::plan::{Failure, LARGEST_SCALING, Margin, Plan};

/// Result of the check of a WCET margin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedMargin {
    /// Stated factor on all WCETs under which the plan stays schedulable, in thousandths.
    pub stated: u64,
    /// Whether every partition passes its test at the stated factor. `false` if no test of the verifier decides this
    /// question.
    pub confirmed: bool,
    /// Stated upper limit on the WCET factor of all plans, in thousandths.
    pub at_most: u64,
    /// Whether the verifier confirms the limit. Otherwise, `Err` contains the reason if the reason is known.
    pub limit: Result<(), Option<Unchecked>>,
}

/// Checks the WCET factors that the margin and the sensitivity of `plan` state.
///
/// The check does not prove that a stated factor is the largest possible factor. A stated factor that is too small is
/// safe.
///
/// # Errors
/// Fails if a partition fails its test at a stated factor. Also fails if the stated reason for a limit does not prove
/// the limit.
pub(crate) fn check(
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<Option<CheckedMargin>, Fault> {
    if let Some(sensitivity) = &plan.sensitivity {
        let permille = sensitivity.wcet_scaling_permille;
        passes(plan, set, wcets, permille)
            .map_err(|message| Fault::new("sensitivity.wcet_scaling_permille", message))?;
    }
    let Some(margin) = &plan.margin else {
        return Ok(None);
    };
    let stated = margin.wcet_scaling_permille;
    let confirmed = passes(plan, set, wcets, stated)
        .map_err(|message| Fault::new("margin.wcet_scaling_permille", message))?;
    if !(stated..=LARGEST_SCALING).contains(&margin.at_most_permille) {
        let message = format!(
            "found {}, expected {stated} to {LARGEST_SCALING}",
            margin.at_most_permille
        );
        return Err(Fault::new("margin.at_most_permille", message));
    }
    let limit = limit(margin, plan, set, wcets, effort).map_err(|fault| fault.inside("margin"))?;
    Ok(Some(CheckedMargin {
        stated,
        confirmed,
        at_most: margin.at_most_permille,
        limit,
    }))
}

/// Returns whether every partition passes its test at the WCET factor `permille`/1000. Returns `false` if a test is
/// inconclusive. Also returns `false` if the partitions share a memory, because the verifier has no test for a shared
/// memory. If a partition fails its test, returns the fault message as `Err`.
fn passes(plan: &Plan, set: &TaskSet, wcets: Wcets<'_>, permille: u64) -> Result<bool, String> {
    if !(1000..=LARGEST_SCALING).contains(&permille) {
        return Err(format!("found {permille}, expected 1000 to {LARGEST_SCALING}"));
    }
    if !plan.schedulable {
        return Err("found a WCET factor, expected no factor in a plan that is not schedulable".to_owned());
    }
    let wcets = wcets.scaled(permille);
    let mut decided = plan.memory.is_none();
    for (index, partition) in plan.partitions.iter().enumerate() {
        let policy = partition.verdict.policy;
        let jobs = jobs(set, &partition.tasks, partition.sms, wcets);
        match jobs.map_or(Some(false), |jobs| pricing::passes(policy, &jobs, partition.sms)) {
            Some(true) => {}
            // A partition that fails its test without memory traffic also fails its test with
            // memory traffic.
            Some(false) => {
                return Err(format!(
                    "found {permille}, but partitions[{index}] fails its test with all WCETs multiplied by {permille}/1000"
                ));
            }
            None => decided = false,
        }
    }
    Ok(decided)
}

/// Checks the stated reason why no plan exists above the limit of `margin`. The result `Ok(Err(_))` means that the
/// verifier cannot confirm the reason.
fn limit(
    margin: &Margin,
    plan: &Plan,
    set: &TaskSet,
    wcets: Wcets<'_>,
    effort: &Effort<'_>,
) -> Result<Result<(), Option<Unchecked>>, Fault> {
    let beyond = margin.at_most_permille.saturating_add(1);
    let wcets = wcets.scaled(beyond);
    let expects_bound = margin.limit == Some(Failure::BoundExceedsGpu);
    if margin.bound.is_some() && !expects_bound {
        return Err(Fault::new(
            "bound",
            "found a lower bound, expected no lower bound, because the limit is not `bound-exceeds-gpu`",
        ));
    }
    match (&margin.limit, &margin.bound) {
        (None, _) if margin.at_most_permille == LARGEST_SCALING => Ok(Ok(())),
        (None, _) => {
            let message =
                format!("found none, expected the reason why no plan exists at the factor {beyond}/1000");
            Err(Fault::new("limit", message))
        }
        (Some(_), _) if beyond > LARGEST_SCALING => {
            let message = format!(
                "found a reason, expected no reason, because gpusched does not examine factors above \
                 {LARGEST_SCALING}/1000"
            );
            Err(Fault::new("limit", message))
        }
        (Some(Failure::BoundExceedsGpu), None) => Ok(Err(None)),
        (Some(Failure::BoundExceedsGpu), Some(bound)) => {
            let capacity = hardware::capacity(plan);
            if bound.sms <= capacity {
                let message = format!(
                    "found {}, expected more than {capacity}, the number of SMs of the GPU",
                    bound.sms
                );
                return Err(Fault::new("bound.sms", message));
            }
            lower_bound::by_prices(bound, plan, set)?;
            let checked = pricing::check_bound(bound, plan, set, wcets, effort)?;
            Ok(match checked.proven {
                Some(sms) if sms > capacity => Ok(()),
                _ => Err(checked.unchecked),
            })
        }
        (Some(Failure::HeuristicFailed), _) => Err(Fault::new(
            "limit",
            "found `heuristic-failed`, expected a proof that no plan exists",
        )),
        (Some(failure), _) => lemma(failure, plan, set, wcets)
            .map(Ok)
            .map_err(|message| Fault::new("limit", message)),
    }
}
