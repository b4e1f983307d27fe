//! Check of the lower bound on the SMs of every plan, from its dual prices.

use crate::fault::Fault;
use crate::{hardware, pricing};
use gpusched_model::plan::{LowerBound, Plan, Proof};
use gpusched_model::{TaskSet, counted};

/// Checks that the lower bound of `plan` is consistent with its dual prices. If a plan contains all tasks, also checks
/// that its number of SMs is at least the lower bound.
pub(crate) fn check(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    let Some(bound) = &plan.bound else {
        return Ok(());
    };
    by_prices(bound, plan, set)?;
    let sms = bound.sms;
    let all_pass = plan
        .partitions
        .iter()
        .all(|partition| partition.verdict.schedulable);
    let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
    let whole = all_pass && placed == set.tasks().len();
    if whole && sms > plan.sms_used {
        let message = format!(
            "found {sms}, but the plan uses only {}",
            counted(plan.sms_used, "SM")
        );
        return Err(Fault::new("bound.sms", message));
    }
    Ok(())
}

/// Checks that `bound` equals the value that its dual prices prove for plans on the device of `plan`. If the stated
/// proof is a search, `bound` must be larger than this value.
pub(super) fn by_prices(bound: &LowerBound, plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = format!(
            "found {}, expected one price for each of {}",
            counted(bound.prices.len(), "price"),
            counted(set.tasks().len(), "task")
        );
        return Err(Fault::new("bound.prices", message));
    }
    let proven = pricing::by_prices(&bound.prices, &hardware::Sizes::of(plan));
    let sms = bound.sms;
    let summed = match bound.prices.iter().all(|&price| price == 0) {
        true => format!("{proven}, the minimum for every plan, because all dual prices are 0"),
        false => format!("{proven}, the sum of the dual prices rounded up"),
    };
    match bound.proof {
        Proof::Prices if sms != proven => {
            let message = format!("found {sms} by dual prices, expected {summed}");
            return Err(Fault::new("bound.sms", message));
        }
        Proof::Search if sms == proven => {
            let message = format!(
                "found `search`, expected `prices`, because the dual prices already prove the bound of {}",
                counted(sms, "SM")
            );
            return Err(Fault::new("bound.proof", message));
        }
        Proof::Search if sms < proven => {
            let message = format!("found {sms} by search, expected more than {summed}");
            return Err(Fault::new("bound.sms", message));
        }
        Proof::Prices | Proof::Search => {}
    }
    Ok(())
}
