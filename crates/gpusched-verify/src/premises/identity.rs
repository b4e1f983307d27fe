//! Comparison of the identity that a result states with its input.
//!
//! A plan refers to tasks by their positions, so it may also prove that other tasks meet their deadlines. The comparison
//! shows whether the result was computed for exactly this input.

use gpusched_model::TaskSet;
use gpusched_model::identity::{Difference, Identified, Identity, sha256};
use gpusched_model::plan::Plan;

use crate::fault::Fault;

/// Compares `identity` with `input`, a task set, a system or a kernel. Returns each difference as a fault. The list is empty if all
/// names and digests agree, or if the result states no identity, as results of older versions do.
pub fn input_faults(identity: Option<&Identity>, input: &impl Identified) -> Vec<Fault> {
    let differences = identity.map_or(Vec::new(), |identity| identity.differences(input));
    { differences.into_iter() }
        .map(|Difference { task, what }| {
            let field = match task {
                Some(task) => format!("identity.tasks[{task}]"),
                None => "identity".to_owned(),
            };
            Fault::new(field, what.to_string())
        })
        .collect()
}

/// Compares the identity in `plan` with `set` and with the device in the plan, as [`input_faults`] does.
pub fn identity_faults(plan: &Plan, set: &TaskSet) -> Vec<Fault> {
    let mut faults = input_faults(plan.identity.as_ref(), set);
    let device = plan.hardware.as_ref().map(|hardware| sha256(&hardware.device));
    if { plan.identity.as_ref() }.is_some_and(|identity| identity.device_sha256 != device) {
        let message = "found another SHA-256 than the SHA-256 of `hardware.device`, expected the same";
        faults.push(Fault::new("identity.device_sha256", message));
    }
    faults
}

/// Checks that `identity` is absent or agrees with `input`.
///
/// # Errors
/// Returns the first difference.
pub fn check_input(identity: Option<&Identity>, input: &impl Identified) -> Result<(), Fault> {
    first(input_faults(identity, input))
}

/// Checks that `plan` states no identity, or that its identity agrees with `set`.
///
/// # Errors
/// Returns the first difference.
pub fn check_identity(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    first(identity_faults(plan, set))
}

fn first(faults: Vec<Fault>) -> Result<(), Fault> {
    faults.into_iter().next().map_or(Ok(()), Err)
}
