//! Task sets and plans: how to generate, test, partition, verify, change, export and run them.

use std::path::Path;

use gpusched_model::error::Result;
use gpusched_model::identity::Identified;
use gpusched_model::{Identity, Refusal};

/// Returns the hint for the refused `field` of a plan, if the field shows that the plan is for another task set.
fn of_other_set(field: &str) -> Option<&'static str> {
    match field {
        "identity.device_sha256" => None,
        field if field.starts_with("identity") => Some(
            "write the plan again for this task set; `gpusched verify --identity logical` lists all differences",
        ),
        // The sizes and places of partitions do not depend on the task set.
        field
            if field.starts_with("partitions")
                && [".tasks", ".verdict"].iter().any(|part| field.contains(part)) =>
        {
            Some("a plan is about one task set, so state the task set of the plan")
        }
        _ => None,
    }
}

/// Returns the refusal of a plan that the verifier found wrong at `fault`, with advice if the plan is about another task set.
pub fn wrong_plan(fault: gpusched_verify::Fault) -> Refusal {
    let hint = of_other_set(&fault.field);
    let refusal = Refusal::told(fault.field, fault.message);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// Checks that the result in the file `shown` states no identity, or that its identity agrees with `input`.
///
/// # Errors
/// Returns the first difference.
fn check_input(identity: Option<&Identity>, input: &impl Identified, shown: &Path) -> Result<()> {
    let fault = gpusched_verify::check_input(identity, input);
    Ok(fault.map_err(|fault| {
        let refusal = Refusal::told(fault.field, fault.message);
        refusal
            .hint("write the result again for this input")
            .at(shown, None)
    })?)
}

/// Hint for overheads of virtual time.
const MEASURE_OVERHEADS: &str = "measure them there: `gpusched measure overhead`";

pub mod end_to_end;
mod explanation;
pub mod export;
pub mod generate;
pub mod identity;
pub mod pages;
pub mod partition;
pub mod run;
pub mod show;
pub mod test;
pub mod verify;
pub mod what_if;
