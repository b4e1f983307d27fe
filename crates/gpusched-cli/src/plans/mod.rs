//! Task sets and plans: how to generate, test, partition, verify, change, export and run them.

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
fn wrong_plan(fault: gpusched_verify::Fault) -> gpusched_model::Refusal {
    let hint = of_other_set(&fault.field);
    let refusal = gpusched_model::Refusal::told(fault.field, fault.message);
    match hint {
        Some(hint) => refusal.hint(hint),
        None => refusal,
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
