//! Comparison of the identity that a plan states with the task set.
//!
//! A plan refers to tasks by their positions, so it may also prove that other tasks meet their deadlines. The comparison
//! shows whether the plan was computed for exactly this set.

use gpusched_model::TaskSet;
use gpusched_model::identity::{Difference, sha256};
use gpusched_model::plan::Plan;

use crate::fault::Fault;

/// Compares the identity in `plan` with `set` and with the device in the plan. Returns each difference as a fault. The list is empty
/// if all names and digests agree, or if the plan states no identity, as plans of older versions do.
pub fn identity_faults(plan: &Plan, set: &TaskSet) -> Vec<Fault> {
    let Some(identity) = &plan.identity else {
        return Vec::new();
    };
    let mut faults: Vec<Fault> = { identity.differences(set).into_iter() }
        .map(|Difference { task, what }| {
            let field = match task {
                Some(task) => format!("identity.tasks[{task}]"),
                None => "identity".to_owned(),
            };
            Fault::new(field, what.to_string())
        })
        .collect();
    let device = plan.hardware.as_ref().map(|hardware| sha256(&hardware.device));
    if identity.device_sha256 != device {
        let message = "found another SHA-256 than the SHA-256 of `hardware.device`, expected the same";
        faults.push(Fault::new("identity.device_sha256", message));
    }
    faults
}

/// Checks that `plan` states no identity, or that its identity agrees with `set`.
///
/// # Errors
/// Returns the first difference.
pub fn check_identity(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    match identity_faults(plan, set).into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}
