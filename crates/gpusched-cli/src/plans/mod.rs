//! Task sets and plans: how to generate, test, partition, verify, change, export and run them.

/// Hint for a plan that does not agree with the task set.
const OTHER_SET: &str = "a plan is about one task set, so state the task set of the plan";

/// Hint for overheads of virtual time.
const MEASURE_OVERHEADS: &str = "measure them there: `gpusched measure overhead`";

pub mod end_to_end;
mod explanation;
pub mod export;
pub mod generate;
pub mod pages;
pub mod partition;
pub mod run;
pub mod test;
pub mod verify;
pub mod what_if;
