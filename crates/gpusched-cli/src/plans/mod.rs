//! Task sets and plans: how to generate, test, partition, verify, change, export and run them.

/// Hint for a plan that does not agree with the task set.
const OTHER_SET: &str = "a plan is about one task set, so state the task set of the plan";
/// Advice after a difference between the identity in a plan and a task set.
const OTHER_IDENTITY: &str =
    "write the plan again for this task set; `gpusched verify --identity logical` lists all differences";

/// Returns the refusal of a plan that the verifier found wrong at `fault`, with advice if the plan is about another task set.
fn wrong_plan(fault: gpusched_verify::Fault) -> gpusched_model::Refusal {
    let is_identity = fault.field.starts_with("identity") && fault.field != "identity.device_sha256";
    let refusal = gpusched_model::Refusal::told(fault.field, fault.message);
    if is_identity {
        refusal.hint(OTHER_IDENTITY)
    } else {
        refusal
    }
}

/// Hint for overheads of virtual time.
const MEASURE_OVERHEADS: &str = "measure them there: `gpusched measure overhead`";

pub mod end_to_end;
mod explanation;
pub mod export;
pub mod generate;
pub mod pages;
pub mod partition;
pub mod run;
pub mod show;
pub mod test;
pub mod verify;
pub mod what_if;
