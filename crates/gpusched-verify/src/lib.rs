//! An independent check of plans and bounds with their evidence.
//!
//! This crate shares only [`gpusched_model`] with the rest of the library: data types, the file reader and the list of
//! assumptions. It calls no test, no interference model and no heuristic. It evaluates WCETs from their printed formulas and
//! recomputes the evidence in the simplest way. It accepts only statements that follow from this evidence. So a verified plan
//! relies on two independent programs. A plan may choose the interval length for the check of the demand, because every
//! length that is long enough proves the same result.
//!
//! * [`verify`], [`verify_with`]: a whole plan;
//! * [`verify_bound`]: a bound on the execution time of a kernel;
//! * `partition`, `job`: one partition, its tasks and the evidence of its verdict;
//! * `wcet`: C(m) in isolation and in conflict, times a common factor;
//! * `margin`: the WCET margin;
//! * `demand`: the steps of a processor-demand test;
//! * `response`: response times under fixed priorities;
//! * `memory`: both tests for a partition with interference delay from memory traffic, and the memory slices of MIG instances;
//! * `hardware`: supported partition sizes and placements;
//! * `bounds`: utilization bounds in exact arithmetic;
//! * `pricing`: the dual prices of a lower bound;
//! * `premises`: the premises of a plan, and the list of its assumptions.

mod bound;
mod bounds;
mod demand;
mod fault;
mod fraction;
mod hardware;
mod job;
mod margin;
mod memory;
mod partition;
mod premises;
mod pricing;
mod response;
mod wcet;

pub use bound::verify_bound;
pub use fault::Fault;
pub use margin::CheckedMargin;
pub use premises::{Stated, Taken};
pub use pricing::{CheckedBound, Effort, GROUPS, Unchecked};

use gpusched_model::TaskSet;
use gpusched_model::assumptions::Assumption;
use gpusched_model::counted;
use gpusched_model::plan::{Failure, LowerBound, Plan, Proof};
use job::{Job, jobs};
use memory::{Beside, Slices};
use partition::check_partition;
use wcet::Wcets;

/// Findings of a successful check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Confirmed part of the plan's lower bound, if the plan states one.
    pub bound: Option<CheckedBound>,
    /// Confirmed part of the plan's WCET margin, if the plan states one.
    pub margin: Option<CheckedMargin>,
    /// Assumptions of the plan's verdicts. The plan may or may not list them.
    pub assumptions: Vec<Assumption>,
}

/// Checks that `plan` proves `set` schedulable, or correctly states that it does not. Every statement of the plan is
/// recomputed.
///
/// # Errors
/// Fails with the first [`Fault`].
pub fn verify(plan: &Plan, set: &TaskSet) -> Result<Verified, Fault> {
    verify_with(plan, set, &Effort::default())
}

/// Checks `plan` as [`verify`] does, with the given effort.
///
/// # Errors
/// Fails as [`verify`] does.
pub fn verify_with(plan: &Plan, set: &TaskSet, effort: &Effort<'_>) -> Result<Verified, Fault> {
    let Some(interference) = plan.interference else {
        return Err(Fault::new(
            "interference",
            "found none, expected the name of a model",
        ));
    };
    if interference.counts_bandwidth() != plan.memory.is_some() {
        let found = if plan.memory.is_some() { "one" } else { "none" };
        let message = format!(
            "found {found}, expected the shared memory of a plan under conflict+bandwidth or bandwidth, and of no other"
        );
        return Err(Fault::new("memory", message));
    }
    cover(plan, set)?;
    let assumptions = premises::check(plan, set)?;
    hardware::check(plan)?;
    let wcets = Wcets::stated(interference).within(Slices::of(plan, plan.memory));
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
            "found {}, expected the sum of the partitions, {used}",
            plan.sms_used
        );
        return Err(Fault::new("sms_used", message));
    }
    let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
    let holds = all_pass
        && hardware::has_room(plan)
        && placed == set.tasks().len()
        && used <= u64::from(plan.gpu_sms);
    if plan.schedulable != holds {
        let message = format!(
            "found {}, expected {holds}: {placed} of {} placed on {used} of {}",
            plan.schedulable,
            counted(set.tasks().len(), "task"),
            counted(plan.gpu_sms, "SM")
        );
        return Err(Fault::new("schedulable", message));
    }
    bound(plan, set)?;
    failure(plan, set, wcets)?;
    let bound = pricing::check(plan, set, wcets, effort)?;
    let margin = margin::check(plan, set, wcets, effort)?;
    Ok(Verified {
        bound,
        margin,
        assumptions,
    })
}

/// Checks that the lower bound follows from its prices, or claims a search beyond them, and that the plan respects it.
fn bound(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    let Some(bound) = &plan.bound else {
        return Ok(());
    };
    bound_by_prices(bound, plan, set)?;
    let sms = bound.sms;
    let all_pass = plan
        .partitions
        .iter()
        .all(|partition| partition.verdict.schedulable);
    let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
    let whole = all_pass && placed == set.tasks().len();
    if whole && sms > plan.sms_used {
        let message = format!("found {sms}, but the plan has {}", counted(plan.sms_used, "SM"));
        return Err(Fault::new("bound.sms", message));
    }
    let Some(claimed) = bound.highs else {
        return Ok(());
    };
    if claimed <= bound.sms {
        let message = format!("found {claimed}, expected more than bound.sms, {sms}, or no such field");
        return Err(Fault::new("bound.highs", message));
    }
    if whole && claimed > plan.sms_used {
        let message = format!(
            "found {claimed}, but the plan has {}",
            counted(plan.sms_used, "SM")
        );
        return Err(Fault::new("bound.highs", message));
    }
    Ok(())
}

/// Checks that `bound` follows from its prices for plans of the device of `plan`, or claims a search beyond them.
fn bound_by_prices(bound: &LowerBound, plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    if bound.prices.len() != set.tasks().len() {
        let message = format!(
            "found {}, expected one for each of {}",
            counted(bound.prices.len(), "price"),
            counted(set.tasks().len(), "task")
        );
        return Err(Fault::new("bound.prices", message));
    }
    let by_prices = pricing::by_prices(&bound.prices, &hardware::Sizes::of(plan));
    let sms = bound.sms;
    let summed = match bound.prices.iter().all(|&price| price == 0) {
        true => format!("{by_prices}, for every plan has at least that and its prices sum to 0"),
        false => format!("{by_prices}, the sum of its prices rounded up"),
    };
    match bound.proof {
        Proof::Prices if sms != by_prices => {
            let message = format!("found {sms} by prices, expected {summed}");
            return Err(Fault::new("bound.sms", message));
        }
        Proof::Search if sms == by_prices => {
            let message = format!(
                "found search, expected prices: {} no search beyond {summed}",
                match sms {
                    1 => "1 SM needs".to_owned(),
                    _ => format!("{sms} SMs need"),
                }
            );
            return Err(Fault::new("bound.proof", message));
        }
        Proof::Search if sms < by_prices => {
            let message = format!("found {sms} by search, expected more than {summed}");
            return Err(Fault::new("bound.sms", message));
        }
        Proof::Prices | Proof::Search => {}
    }
    Ok(())
}

/// Checks that every task of the set is in exactly one partition.
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
                "found tasks out of order, expected ascending positions",
            ));
        }
        for &task in &partition.tasks {
            match seen.get_mut(task) {
                None => {
                    let message = format!("found task {task}, expected 0 to {}", set.tasks().len() - 1);
                    return Err(Fault::new(field, message));
                }
                Some(seen) if *seen => {
                    return Err(Fault::new(field, format!("found task {task} a second time")));
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
            format!("task {task} is in no partition"),
        ));
    }
    Ok(())
}

/// Checks the reason for the failure, if the plan states one.
fn failure(plan: &Plan, set: &TaskSet, wcets: Wcets<'_>) -> Result<(), Fault> {
    let fault = |message: &str| Err(Fault::new("failure", message));
    let Some(failure) = &plan.failure else {
        return if plan.schedulable {
            Ok(())
        } else {
            fault("found none, expected a reason why there is no plan")
        };
    };
    if plan.schedulable {
        return fault("found a failure in a schedulable plan");
    }
    match failure {
        Failure::HeuristicFailed => Ok(()), // no claim to check
        Failure::BoundExceedsGpu => match &plan.bound {
            Some(bound) if bound.sms > plan.gpu_sms => Ok(()),
            _ => fault("found bound-exceeds-gpu, expected a bound above the GPU"),
        },
        Failure::WorkExceedsGpu | Failure::TaskDoesNotFit { .. } | Failure::WcetUnknown { .. } => {
            lemma(failure, plan, set, wcets).or_else(|message| fault(&message))
        }
    }
}

/// Checks that no plan for the GPU of `plan` exists, for the reason `failure`, with the WCETs `wcets`. The lemmas assume that a
/// task has its least demand in isolation. `Err` contains the fault.
fn lemma(failure: &Failure, plan: &Plan, set: &TaskSet, wcets: Wcets<'_>) -> Result<(), String> {
    let fault = |message: &str| Err(message.to_owned());
    if !pricing::known_alone(set) {
        return fault("found that no plan exists, but some WCETs are known in conflict but not in isolation");
    }
    match failure {
        Failure::HeuristicFailed | Failure::BoundExceedsGpu => fault("found no lemma"),
        // A task has its least work in isolation.
        Failure::WorkExceedsGpu => {
            let alone = set.tasks().iter().map(|task| {
                let work = wcets.least_work(task.wcet(), false)?;
                Some(fraction::Fraction::new(work, task.period().ns().into()))
            });
            let Some(alone) = alone.collect::<Option<Vec<_>>>() else {
                return fault("found work-exceeds-gpu, but the work of some task is unknown");
            };
            match fraction::Fraction::sum(alone).cmp(plan.gpu_sms.into()).is_gt() {
                true => Ok(()),
                false => fault("found work-exceeds-gpu, but the work fits"),
            }
        }
        Failure::TaskDoesNotFit { task } | Failure::WcetUnknown { task } => {
            if *task >= set.tasks().len() {
                return fault("found a task that does not exist");
            }
            let largest = hardware::Sizes::of(plan).at_most(plan.gpu_sms);
            let alone = jobs(set, &[*task], largest, wcets);
            let claims_unknown = matches!(failure, Failure::WcetUnknown { .. });
            match alone.as_deref() {
                Err(_) if claims_unknown => Ok(()),
                Err(_) => fault(&format!(
                    "found task-does-not-fit, expected wcet-unknown: task {task} has no known WCET on {}",
                    counted(largest, "SM")
                )),
                Ok(_) if claims_unknown => fault(&format!(
                    "found wcet-unknown, but task {task} has a known WCET on {}",
                    counted(largest, "SM")
                )),
                // In isolation, a task has no contention and no interference. If C + J ≤ min(T, D), it passes under every
                // policy.
                Ok([job]) if job.wcet + job.jitter > job.deadline.min(job.period) => Ok(()),
                Ok(_) => fault("found task-does-not-fit, but it fits"),
            }
        }
    }
}
