//! Check of the assumptions that a plan lists.

use gpusched_model::TaskSet;
use gpusched_model::assumptions::{Assumption, Basis};
use gpusched_model::plan::Plan;

use crate::Fault;

/// Returns the assumptions of the verdicts of `plan`. If the plan lists its assumptions, the list must have the names
/// and consequences that this function computes. The descriptions may differ, because another version of gpusched may
/// have written the plan.
pub(crate) fn check(plan: &Plan, set: &TaskSet) -> Result<Vec<Assumption>, Fault> {
    let needed = Basis::of_plan(plan, set).assumptions();
    let Some(listed) = &plan.assumptions else {
        return Ok(needed);
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
        if lacks(&needed, stated) {
            let message = format!("found `{}`, which no verdict of the plan assumes", stated.id);
            return Err(Fault::new(format!("{field}.id"), message));
        }
        if stated.if_violated != stated.id.if_violated() {
            let (found, expected) = (stated.if_violated, stated.id.if_violated());
            let message = format!("found {found}, expected {expected} for `{}`", stated.id);
            return Err(Fault::new(format!("{field}.if_violated"), message));
        }
    }
    Ok(needed)
}
