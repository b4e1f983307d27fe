//! An independent verifier of plans and bounds. The verifier checks the evidence that a plan or a bound contains.
//!
//! This crate uses only one part of the library, [`gpusched_model`]: the data types, the file reader and the list of
//! assumptions. The crate uses no schedulability test, no interference model and no heuristic of the library. Instead,
//! the crate computes WCETs from the printed formulas, and recomputes the evidence in the simplest way. The verifier
//! accepts a statement only if the recomputed evidence proves it. So two independent programs confirm a verified plan.
//!
//! The evidence of a demand test states the interval length L up to which the test checked the demand. The verifier
//! accepts this L if no interval longer than L needs a check.
//!
//! * [`verify`], [`verify_with`]: check a whole plan;
//! * [`verify_bound`]: checks a WCET bound of a kernel;
//! * `partition`: one partition and the evidence for its verdict;
//! * `jobs`: the tasks of a partition with their WCETs, and the memory slices of MIG instances;
//! * `conditions`: demand tests, response times and utilization bounds in exact arithmetic;
//! * `limits`: statements about all plans: why none exists, how many SMs each needs, and how large a margin can be;
//! * `memory`: demand tests and response times under interference delay;
//! * `hardware`: the supported partition sizes and the placements;
//! * `pricing`: the dual prices of a lower bound;
//! * `premises`: the premises of a plan, and the list of its assumptions;
//! * [`verify_system`], [`verify_draft`]: check an end-to-end verdict;
//! * [`verify_chosen`]: checks the budgets that a search chose for a system.

mod bound;
mod conditions;
mod end_to_end;
mod fault;
mod hardware;
mod jobs;
mod limits;
mod memory;
mod partition;
mod premises;
mod pricing;

pub use bound::verify_bound;
pub use end_to_end::{VerifiedSystem, budgeted_system, verify_chosen, verify_draft, verify_system};
pub use fault::Fault;
pub use limits::margin::CheckedMargin;
pub use premises::{Conclusion, Stated, Taken, check_identity, check_input, identity_faults, input_faults};
pub use pricing::{CheckedBound, Effort, GROUPS, Unchecked};

use gpusched_model::assumptions::{Assumption, Basis};
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::plan::{Plan, SharedPort};
use gpusched_model::{Interference, MemoryTime, Overheads, SharedMemory, Task, TaskSet};
use jobs::{Ports, Slices, Wcets, held};
use memory::Beside;
use partition::check_partition;

/// Findings of the verifier about a valid plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Confirmed part of the lower bound. `None` if the plan states no lower bound.
    pub bound: Option<CheckedBound>,
    /// Confirmed part of the WCET margin. `None` if the plan states no WCET margin.
    pub margin: Option<CheckedMargin>,
    /// Assumptions of the verdicts, also if the plan lists no assumptions.
    pub assumptions: Vec<Assumption>,
}

/// Recomputes and checks every statement of `plan` about `set`. The plan must either prove that
/// `set` is schedulable, or state that it contains no such proof. If the plan states its identity, it must have been computed
/// for `set` ([`check_identity`]).
///
/// # Errors
/// Returns the first [`Fault`] of the plan.
pub fn verify(plan: &Plan, set: &TaskSet) -> Result<Verified, Fault> {
    check_identity(plan, set)?;
    verify_with(plan, set, &Effort::default())
}

/// Checks `plan` as [`verify`] does, with the search effort `effort`, but without its identity.
///
/// # Errors
/// Returns the errors of [`verify`].
pub fn verify_with(plan: &Plan, set: &TaskSet, effort: &Effort<'_>) -> Result<Verified, Fault> {
    let Some(interference) = plan.interference else {
        return Err(Fault::new(
            "interference",
            "found none, expected the name of an interference model",
        ));
    };
    if interference.counts_memory() != plan.memory.is_some() {
        let message = match plan.memory {
            Some(_) => {
                format!("found a shared memory, expected no shared memory with interference {interference}")
            }
            None => format!("found none, expected a shared memory with interference {interference}"),
        };
        return Err(Fault::new("memory", message));
    }
    if let Some(overheads) = plan.overheads {
        check_overheads(overheads, interference, plan, set)?;
    }
    if let Some(memory) = plan.memory {
        memory_time(memory, interference, plan, set)?;
    }
    check_variation(plan)?;
    cover(plan, set)?;
    let assumptions = Basis::of_plan(plan, set).assumptions();
    // Plans of older versions list no assumptions.
    if let Some(listed) = &plan.assumptions {
        premises::compare(listed, &assumptions)?;
    }
    hardware::check(plan)?;
    check_shared_ports(plan)?;
    let wcets = Wcets::stated(interference)
        .with_overheads(plan.overheads.unwrap_or_default())
        .varied(plan.memory.and_then(|memory| memory.time), set)
        .together(plan.variation_percent)
        .within(Slices::of(plan, plan.memory));
    let mut all_pass = true;
    for (index, partition) in plan.partitions.iter().enumerate() {
        let beside = plan
            .memory
            .map(|memory| (memory, Beside::new(plan, set, wcets, memory, index)));
        check_partition(partition, set, wcets, beside)
            .map_err(|fault| fault.inside(&format!("partitions[{index}]")))?;
        all_pass &= partition.verdict.schedulable;
    }
    let used: u64 = plan.partitions.iter().map(|p| u64::from(p.sms)).sum();
    if used != u64::from(plan.sms_used) {
        let message = format!(
            "found {}, expected {used}, the sum of the partition sizes",
            plan.sms_used
        );
        return Err(Fault::new("sms_used", message));
    }
    let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
    let holds = all_pass
        && hardware::has_room(plan)
        && placed == set.tasks().len()
        && used <= u64::from(hardware::capacity(plan));
    if plan.schedulable != holds {
        let message = format!(
            "found {}, expected {holds}: the partitions contain {placed} of {} and use {used} of {}",
            plan.schedulable,
            counted(set.tasks().len(), "task"),
            counted(hardware::capacity(plan), "SM")
        );
        return Err(Fault::new("schedulable", message));
    }
    limits::lower_bound::check(plan, set)?;
    limits::failure::check(plan, set, wcets)?;
    let bound = pricing::check(plan, set, wcets, effort)?;
    let margin = limits::margin::check(plan, set, wcets, effort)?;
    Ok(Verified {
        bound,
        margin,
        assumptions,
    })
}

/// Checks that the shared ports that the plan states are the ports that its partitions share. Plans of older versions
/// state no shared ports.
fn check_shared_ports(plan: &Plan) -> Result<(), Fault> {
    let (Some(stated), Some(hardware)) = (&plan.shared_ports, &plan.hardware) else {
        return match plan.shared_ports {
            None => Ok(()),
            Some(_) => Err(Fault::new(
                "shared_ports",
                "found shared ports, expected none without `hardware`",
            )),
        };
    };
    let found = Ports::with(plan, hardware).all_shared();
    match stated
        .iter()
        .zip(&found)
        .position(|(stated, found)| stated != found)
    {
        None if stated.len() == found.len() => Ok(()),
        None => {
            let message = format!(
                "found {}, expected {}",
                counted(stated.len(), "port"),
                found.len()
            );
            Err(Fault::new("shared_ports", message))
        }
        Some(index) => {
            let (stated, found) = (&stated[index], &found[index]);
            let named = |port: &SharedPort| {
                format!(
                    "{} {} of partitions {:?}",
                    port.level, port.number, port.partitions
                )
            };
            let message = format!("found {}, expected {}", named(stated), named(found));
            Err(Fault::new(format!("shared_ports[{index}]"), message))
        }
    }
}

/// Checks that a plan with overheads has no shared memory, a dispatcher for each policy, and a known number of launches.
fn check_overheads(
    overheads: Overheads,
    interference: Interference,
    plan: &Plan,
    set: &TaskSet,
) -> Result<(), Fault> {
    let fault = |field: String, message: String| Err(Fault::new(field, message));
    if plan.memory.is_some() {
        let message = format!("found {overheads}, expected no overheads with interference {interference}");
        return fault("overheads".to_owned(), message);
    }
    for (index, partition) in plan.partitions.iter().enumerate() {
        let policy = partition.verdict.policy;
        if !policy.is_dispatchable() {
            let message = format!(
                "found {policy}, expected np-edf, np-fp…, lp-edf or lp-fp…, because the plan counts overheads"
            );
            return fault(format!("partitions[{index}].verdict.policy"), message);
        }
        let unknown = |task: &&usize| {
            let task = set.tasks().get(**task);
            task.is_some_and(|task| task.block().is_some() && task.launches().is_none())
        };
        if policy.counts_blocks()
            && let Some(task) = partition.tasks.iter().find(unknown)
        {
            let message = format!(
                "found {policy}, but the plan counts overheads, and task {task} of the task set states no `launches`"
            );
            return fault(format!("partitions[{index}].verdict.policy"), message);
        }
    }
    Ok(())
}

/// Checks that the plan states a variation if and only if the kernels of its partitions run together.
fn check_variation(plan: &Plan) -> Result<(), Fault> {
    for (index, partition) in plan.partitions.iter().enumerate() {
        let policy = partition.verdict.policy;
        if policy.runs_together() != plan.variation_percent.is_some() {
            let stated = plan
                .variation_percent
                .map_or("none".to_owned(), |percent| percent.to_string());
            let message = format!(
                "found {stated} with the policy {policy} of partition {index}, expected a value only with concurrent"
            );
            return Err(Fault::new("variation_percent", message));
        }
    }
    match plan.variation_percent {
        Some(percent) if percent > MemoryTime::MAX_VARIATION => {
            let message = format!("found {percent}, expected at most {}", MemoryTime::MAX_VARIATION);
            Err(Fault::new("variation_percent", message))
        }
        _ => Ok(()),
    }
}

/// Checks that the plan states memory times if and only if `interference` counts them. With memory times, also checks
/// that each task states its sectors and that the partitions are not MIG instances.
fn memory_time(
    memory: SharedMemory,
    interference: Interference,
    plan: &Plan,
    set: &TaskSet,
) -> Result<(), Fault> {
    let fault = |field: &str, message: String| Err(Fault::new(field, message));
    let time = match memory.time {
        Some(_) if !interference.counts_memory_time() => {
            let message =
                format!("found memory times, expected `bandwidth` with interference {interference}");
            return fault("memory.memory_time", message);
        }
        None if interference.counts_memory_time() => {
            let message = format!("found none, expected memory times with interference {interference}");
            return fault("memory.memory_time", message);
        }
        None => return Ok(()),
        Some(time) => time,
    };
    let granularity = plan.hardware.as_ref().map(|hardware| hardware.granularity);
    if granularity == Some(Granularity::Mig) {
        let message = "found mig, expected another granularity, because the rates are of the whole memory";
        return fault("hardware.granularity", message.to_owned());
    }
    let lacks = |task: &Task| task.sectors().is_none_or(|sectors| !sectors.suffice(time.form));
    if let Some(task) = set.tasks().iter().position(lacks) {
        let message =
            format!("found no `sectors`, or no `drain`, in task {task} of the task set, expected both");
        return fault("memory.memory_time", message);
    }
    let unknown = |task: &Task| task.sectors().as_ref().and_then(held).is_none();
    if Ports::of(plan).is_some_and(Ports::count_hold)
        && let Some(task) = set.tasks().iter().position(unknown)
    {
        let message = format!(
            "found ports, but task {task} of the task set states neither `hold` nor `accepting` in `sectors`"
        );
        return fault("hardware.device.ports", message);
    }
    let Some(limit) = time.camping_limit else {
        return Ok(());
    };
    let factor = |task: &Task| task.sectors().and_then(|sectors| sectors.camping_percent);
    let within = |percent: u64| u128::from(percent) <= 100 * u128::from(limit.get());
    match set
        .tasks()
        .iter()
        .position(|task| !factor(task).is_some_and(within))
    {
        None => Ok(()),
        Some(task) => {
            let message =
                format!("found {limit}, but task {task} of the task set states no camping factor up to it");
            fault("memory.memory_time.camping_limit", message)
        }
    }
}

/// Checks that every task is in at most one partition. In a schedulable plan, every task must be
/// in a partition.
fn cover(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    let mut seen = vec![false; set.tasks().len()];
    for (index, partition) in plan.partitions.iter().enumerate() {
        let field = format!("partitions[{index}].tasks");
        if partition.tasks.is_empty() {
            return Err(Fault::new(field, "found no task, expected at least one"));
        }
        if !partition.tasks.is_sorted() {
            return Err(Fault::new(
                field,
                "found tasks out of order, expected ascending task numbers",
            ));
        }
        for &task in &partition.tasks {
            match seen.get_mut(task) {
                None => {
                    let tasks = counted(set.tasks().len(), "task");
                    let message = format!("found task {task}, but the task set has {tasks}, numbered from 0");
                    return Err(Fault::new(field, message));
                }
                Some(seen) if *seen => {
                    return Err(Fault::new(
                        field,
                        format!("found task {task} twice, expected each task once"),
                    ));
                }
                Some(seen) => *seen = true,
            }
        }
    }
    if plan.schedulable
        && let Some(task) = seen.iter().position(|&seen| !seen)
    {
        return Err(Fault::new(
            "partitions",
            format!("found no partition with task {task}, expected each task in one partition"),
        ));
    }
    Ok(())
}
