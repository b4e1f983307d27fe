//! Check of the assumptions that a plan or a bound lists.

use gpusched_model::TaskSet;
use gpusched_model::assumptions::{Assumption, Basis};
use gpusched_model::plan::Plan;

use crate::Fault;

/// Returns the assumptions of the verdicts of `plan`. If the plan lists its assumptions, the list must have the names
/// and consequences that this function computes. The descriptions may differ, because another version of gpusched may
/// have written the plan.
pub(crate) fn check(plan: &Plan, set: &TaskSet) -> Result<Vec<Assumption>, Fault> {
    let needed = Basis::of_plan(plan, set).assumptions();
    compare(plan.assumptions.as_deref(), &needed)?;
    Ok(needed)
}

/// Compares the names and consequences in `listed` with the `needed` assumptions. A result without a list is from an
/// older version.
pub(crate) fn compare(listed: Option<&[Assumption]>, needed: &[Assumption]) -> Result<(), Fault> {
    let Some(listed) = listed else {
        return Ok(());
    };
    let lacks = |list: &[Assumption], wanted: &Assumption| !list.iter().any(|one| one.id == wanted.id);
    if let Some(missing) = needed.iter().find(|wanted| lacks(listed, wanted)) {
        let message = format!(
            "found a list without `{}`, expected this assumption: {missing}",
            missing.id
        );
        return Err(Fault::new("assumptions", message));
    }
    for (index, stated) in listed.iter().enumerate() {
        let field = format!("assumptions[{index}]");
        if lacks(needed, stated) {
            let message = format!("found `{}`, which no result in the file assumes", stated.id);
            return Err(Fault::new(format!("{field}.id"), message));
        }
        if stated.if_violated != stated.id.if_violated() {
            let (found, expected) = (stated.if_violated, stated.id.if_violated());
            let message = format!("found {found}, expected {expected} for `{}`", stated.id);
            return Err(Fault::new(format!("{field}.if_violated"), message));
        }
    }
    Ok(())
}
