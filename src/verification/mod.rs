//! An independent check of plans and bounds and their evidence.
//!
//! This module shares the data types of [`crate::model`] with the rest of the library and nothing else: no test, no
//! interference model, no heuristic is called. It evaluates WCETs from their printed formulas, recomputes every number
//! of the evidence in the plainest way, and accepts only what follows. So a plan that passes rests on two programs.
//!
//! * [`verify`]: the whole plan;
//! * [`verify_bound`]: a bound on the execution time of a kernel;
//! * `wcet`: C(m), alone and in conflict;
//! * `demand`: the walk of a processor-demand test;
//! * `response`: response times under fixed priorities;
//! * `memory`, `beside`: the same where partitions share a memory and hold each other up;
//! * `hardware`: sizes and places that a device has;
//! * `bounds`: utilization bounds, exactly;
//! * `pricing`: the prices of a lower bound.

mod beside;
mod bound;
mod bounds;
mod demand;
mod fraction;
mod hardware;
mod memory;
mod pricing;
mod response;
mod wcet;

pub use bound::verify_bound;
pub use pricing::{CheckedBound, Unchecked};

use crate::model::device::Granularity;
use crate::model::plan::{Failure, Partition, Plan, Proof, UNITS_PER_SM};
use crate::model::policy::{Policy, Preemption, Priorities, Strength};
use crate::model::verdict::Evidence;
use crate::model::{Interference, SharedMemory, Task, TaskSet};
use beside::Disturbed;
use memory::Beside;

/// Why a plan is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct Fault {
    /// Where in the plan, such as `partitions[2].verdict.evidence.checked[0]`.
    pub field: String,
    /// What was found and what was expected.
    pub message: String,
}

impl Fault {
    fn new(field: impl Into<String>, message: impl Into<String>) -> Fault {
        Fault {
            field: field.into(),
            message: message.into(),
        }
    }

    fn inside(mut self, field: &str) -> Fault {
        self.field = match self.field.is_empty() {
            true => field.to_owned(),
            false => format!("{field}.{}", self.field),
        };
        self
    }
}

/// One task as the scheduler of its partition sees it; all in ns, and widened so that nothing overflows.
#[derive(Copy, Clone, Debug)]
struct Job {
    /// Its position in the task set.
    task: usize,
    wcet: u128,
    period: u128,
    deadline: u128,
    jitter: u128,
    /// The longest part that cannot be preempted.
    block: u128,
    /// min over m of m·C(m) [SM·ns].
    work: u128,
}

/// What a check finds beside what it confirms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// How far the lower bound of the plan is confirmed, if it states one.
    pub bound: Option<CheckedBound>,
}

/// Checks that `plan` is a proof that `set` is schedulable, or that it honestly says otherwise: every statement of the
/// plan is recomputed.
///
/// # Errors
/// The first [`Fault`].
pub fn verify(plan: &Plan, set: &TaskSet) -> Result<Verified, Fault> {
    let Some(interference) = plan.interference else {
        return Err(Fault::new(
            "interference",
            "found none, expected the name of a model",
        ));
    };
    if plan.memory.is_some()
        && plan
            .hardware
            .as_ref()
            .is_some_and(|hardware| hardware.granularity != Granularity::Sm)
    {
        let message = "found other sizes than SMs beside a shared memory, where more SMs do not only help";
        return Err(Fault::new("hardware.granularity", message));
    }
    if interference.counts_bandwidth() != plan.memory.is_some() {
        let found = if plan.memory.is_some() { "one" } else { "none" };
        let message = format!(
            "found {found}, expected the shared memory of a plan under conflict+bandwidth or bandwidth, and of no other"
        );
        return Err(Fault::new("memory", message));
    }
    cover(plan, set)?;
    hardware::check(plan)?;
    let mut all_pass = true;
    for (index, partition) in plan.partitions.iter().enumerate() {
        let beside = plan
            .memory
            .map(|memory| (memory, Beside::new(plan, set, interference, memory, index)));
        check_partition(partition, set, interference, beside)
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
            "found {}, expected {holds}: {placed} of {} tasks placed on {used} of {} SMs",
            plan.schedulable,
            set.tasks().len(),
            plan.gpu_sms
        );
        return Err(Fault::new("schedulable", message));
    }
    bound(plan, set)?;
    failure(plan, set, interference)?;
    let bound = pricing::check(plan, set, interference)?;
    Ok(Verified { bound })
}

/// The lower bound is what its prices sum to, or a search beyond them is claimed, and no plan is below it.
fn bound(plan: &Plan, set: &TaskSet) -> Result<(), Fault> {
    let Some(bound) = &plan.bound else {
        return Ok(());
    };
    if bound.prices.len() != set.tasks().len() {
        let message = format!(
            "found {} prices, expected one for each of {} tasks",
            bound.prices.len(),
            set.tasks().len()
        );
        return Err(Fault::new("bound.prices", message));
    }
    let sum: u128 = bound.prices.iter().map(|&price| u128::from(price)).sum();
    let by_prices = sum.div_ceil(UNITS_PER_SM.into()).max(1);
    let sms = u128::from(bound.sms);
    let holds = match bound.proof {
        Proof::Prices => sms == by_prices,
        Proof::Search => sms > by_prices,
    };
    if !holds {
        let message = format!("found {sms}, but the prices sum to {by_prices} when rounded up");
        return Err(Fault::new("bound.sms", message));
    }
    let all_pass = plan
        .partitions
        .iter()
        .all(|partition| partition.verdict.schedulable);
    let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
    if all_pass && placed == set.tasks().len() && sms > u128::from(plan.sms_used) {
        let message = format!("found {sms}, but the plan has {} SMs", plan.sms_used);
        return Err(Fault::new("bound.sms", message));
    }
    Ok(())
}

/// The partitions are a disjoint cover of tasks that exist.
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
            format!("task {task} is in none of them"),
        ));
    }
    Ok(())
}

/// What each of `tasks` asks of a partition of `sms` SMs that they share; `Err` with the first task whose WCET is unknown.
fn jobs(set: &TaskSet, tasks: &[usize], sms: u32, interference: Interference) -> Result<Vec<Job>, usize> {
    let members: Vec<&Task> = tasks.iter().filter_map(|&task| set.tasks().get(task)).collect();
    tasks
        .iter()
        .filter_map(|&task| Some((task, set.tasks().get(task)?)))
        .map(|(position, task)| {
            let conflict = match interference {
                Interference::None | Interference::Bandwidth => false,
                Interference::Conflict | Interference::ConflictBandwidth => members
                    .iter()
                    .any(|other| !std::ptr::eq(*other, task) && wcet::may_conflict(task, other)),
            };
            let c = wcet::at(task.wcet(), sms, conflict).ok_or(position)?;
            Ok(Job {
                task: position,
                wcet: c,
                period: task.period().ns().into(),
                deadline: task.deadline().ns().into(),
                jitter: task.jitter().ns().into(),
                block: task.block().map_or(c, |block| c.min(block.ns().into())),
                work: wcet::least_work(task.wcet(), conflict),
            })
        })
        .collect()
}

fn check_partition(
    partition: &Partition,
    set: &TaskSet,
    interference: Interference,
    beside: Option<(SharedMemory, Beside)>,
) -> Result<(), Fault> {
    if partition.sms == 0 {
        return Err(Fault::new("sms", "found 0, expected at least 1"));
    }
    let verdict = &partition.verdict;
    if plan_needs_proof(beside.is_some(), verdict.policy) {
        let message = format!(
            "found {}, for which there is no proof beside others",
            verdict.policy
        );
        return Err(Fault::new("verdict.policy", message));
    }
    let jobs = jobs(set, &partition.tasks, partition.sms, interference);
    if let (Some((memory, beside)), Ok(jobs)) = (beside, &jobs) {
        let disturbed = Disturbed {
            slowest: beside.slowest(memory, set, partition.sms, jobs),
            jobs,
            beside,
        };
        // What fails without disturbance fails with it: such evidence is of the test without.
        let negative = !verdict.evidence.is_positive();
        let claims_nothing = matches!(
            verdict.evidence,
            Evidence::BoundExceeded | Evidence::Undecided { .. }
        );
        let calm = disturbed.calm() || negative && !claims_nothing;
        if !calm {
            return check_disturbed(partition, &disturbed);
        }
    }
    if verdict.strength != strength(verdict.policy) {
        let message = format!(
            "found {}, expected {}",
            verdict.strength,
            strength(verdict.policy)
        );
        return Err(Fault::new("verdict.strength", message));
    }
    let positive = check_evidence(&verdict.evidence, verdict.policy, jobs, partition.sms)
        .map_err(|fault| fault.inside("verdict.evidence"))?;
    if verdict.schedulable != positive {
        let message = format!(
            "found {}, but the evidence is for {positive}",
            verdict.schedulable
        );
        return Err(Fault::new("verdict.schedulable", message));
    }
    Ok(())
}

/// Whether `policy` is none of those whose bounds are proven beside others.
fn plan_needs_proof(beside: bool, policy: Policy) -> bool {
    let proven = match policy {
        Policy::Edf | Policy::NpEdf => true,
        Policy::FixedPriority(preemption, _) => preemption != Preemption::Limited,
        _ => false,
    };
    beside && !proven
}

/// Checks the verdict of a partition that others hold up.
fn check_disturbed(partition: &Partition, disturbed: &Disturbed<'_>) -> Result<(), Fault> {
    let verdict = &partition.verdict;
    disturbed
        .check(&verdict.evidence, verdict.policy)
        .map_err(|fault| fault.inside("verdict.evidence"))?;
    let positive = verdict.evidence.is_positive();
    if verdict.schedulable != positive {
        let message = format!(
            "found {}, but the evidence is for {positive}",
            verdict.schedulable
        );
        return Err(Fault::new("verdict.schedulable", message));
    }
    // Undecided without disturbance is undecided with it.
    let undecided = matches!(verdict.evidence, Evidence::Undecided { .. });
    if verdict.strength != Strength::Sufficient && !undecided {
        let message = format!("found {}, expected sufficient beside others", verdict.strength);
        return Err(Fault::new("verdict.strength", message));
    }
    Ok(())
}

fn strength(policy: Policy) -> Strength {
    match policy {
        Policy::Edf | Policy::NpEdf => Strength::Exact,
        Policy::FixedPriority(Preemption::Limited, _) | Policy::LpEdf => Strength::Sufficient,
        Policy::FixedPriority(..) => Strength::Exact,
        Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => Strength::Sufficient,
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => Strength::NecessaryOnly,
    }
}

/// Whether `evidence`, which holds, is for "schedulable".
fn check_evidence(
    evidence: &Evidence,
    policy: Policy,
    jobs: Result<Vec<Job>, usize>,
    sms: u32,
) -> Result<bool, Fault> {
    let jobs = match (evidence, jobs) {
        (Evidence::WcetUnknown { task }, Err(unknown)) if *task == unknown => return Ok(false),
        (_, Err(unknown)) => {
            return Err(Fault::new(
                "",
                format!("task {unknown} has no known WCET on {sms} SMs"),
            ));
        }
        (Evidence::WcetUnknown { task }, Ok(_)) => {
            return Err(Fault::new(
                "task",
                format!("task {task} has a known WCET on {sms} SMs"),
            ));
        }
        (_, Ok(jobs)) => jobs,
    };
    let unfit = || {
        Fault::new(
            "reason",
            format!("found {}, which is none for {policy}", evidence.reason()),
        )
    };
    let supply = || match policy {
        Policy::Edf | Policy::NpEdf | Policy::LpEdf => demand::Supply::new(policy, &jobs).map_err(|task| {
            Fault::new(
                "reason",
                format!("found {}, but task {task} has J ≥ D", evidence.reason()),
            )
        }),
        _ => Err(unfit()),
    };
    let expect = |holds: bool, message: &str| {
        if holds {
            Ok(())
        } else {
            Err(Fault::new("reason", message))
        }
    };
    match evidence {
        Evidence::DemandWithinSupply { interval_ns, checked } => {
            supply()?.check_walk(*interval_ns, checked)?
        }
        Evidence::DemandExceedsInterval {
            interval_ns,
            demand_ns,
        } => {
            supply()?.check_violation(*interval_ns, *demand_ns)?;
        }
        Evidence::UtilizationAboveOne => {
            let above = match policy {
                Policy::FixedPriority(..) => fraction::Fraction::sum(
                    jobs.iter()
                        .map(|job| fraction::Fraction::new(job.wcet, job.period)),
                ),
                _ => supply()?.utilization(),
            };
            expect(
                above.cmp(1).is_gt(),
                "found utilization-above-one, but it is at most 1",
            )?;
        }
        Evidence::ResponseTimes {
            priorities,
            response_times_ns,
        } => match policy {
            Policy::FixedPriority(preemption, order) => {
                response::check(preemption, order, &jobs, priorities, response_times_ns)?;
            }
            _ => return Err(unfit()),
        },
        Evidence::DeadlineMissed {
            task,
            busy_period_ns,
            response_time_ns,
        } => match policy {
            Policy::FixedPriority(preemption, order) => {
                response::check_miss(
                    preemption,
                    order,
                    &jobs,
                    *task,
                    *busy_period_ns,
                    *response_time_ns,
                )?;
            }
            _ => return Err(unfit()),
        },
        Evidence::NoPriorityOrder { tasks } => match policy {
            Policy::FixedPriority(preemption, Priorities::Audsley) => {
                response::check_no_order(preemption, &jobs, tasks)?;
            }
            _ => return Err(unfit()),
        },
        Evidence::JitterExceedsDeadline { task } => {
            let job = jobs.iter().find(|job| job.task == *task);
            let late = job.is_some_and(|job| job.jitter >= job.deadline);
            expect(
                late && !policy.counts_work(),
                "found jitter-exceeds-deadline, but J < D",
            )?;
        }
        Evidence::BoundHolds => {
            let holds = bounds::holds(policy, &jobs).ok_or_else(unfit)?;
            expect(holds, "found bound-holds, but it does not")?;
        }
        Evidence::BoundExceeded => {
            let holds = bounds::holds(policy, &jobs).ok_or_else(unfit)?;
            expect(!holds, "found bound-exceeded, but the bound holds")?;
        }
        Evidence::WorkWithinCapacity
        | Evidence::WorkExceedsCapacity
        | Evidence::WcetExceedsDeadline { .. } => {
            work(evidence, policy, &jobs, sms)?;
        }
        Evidence::Undecided { .. } => {} // claims nothing
        Evidence::WcetUnknown { .. } => return Err(unfit()),
    }
    Ok(evidence.is_positive())
}

/// The evidence of the work-capacity tests.
fn work(evidence: &Evidence, policy: Policy, jobs: &[Job], sms: u32) -> Result<(), Fault> {
    if !matches!(policy, Policy::WorkCapacity | Policy::WorkCapacityDeadline) {
        return Err(Fault::new(
            "reason",
            format!("found {}, which is none for {policy}", evidence.reason()),
        ));
    }
    let late = jobs
        .iter()
        .find(|job| policy == Policy::WorkCapacityDeadline && job.wcet > job.deadline);
    let fits = bounds::work_fits(jobs, sms);
    let holds = match evidence {
        Evidence::WorkWithinCapacity => fits && late.is_none(),
        Evidence::WorkExceedsCapacity => !fits,
        Evidence::WcetExceedsDeadline {
            task,
            wcet_ns,
            deadline_ns,
        } => jobs.iter().any(|job| {
            policy == Policy::WorkCapacityDeadline
                && job.task == *task
                && job.wcet > job.deadline
                && job.wcet == u128::from(wcet_ns.ns())
                && job.deadline == u128::from(deadline_ns.ns())
        }),
        _ => false,
    };
    match holds {
        true => Ok(()),
        false => Err(Fault::new(
            "reason",
            format!("found {}, which does not hold", evidence.reason()),
        )),
    }
}

/// Why there is no plan, where that is stated.
fn failure(plan: &Plan, set: &TaskSet, interference: Interference) -> Result<(), Fault> {
    let fault = |message: &str| Err(Fault::new("failure", message));
    let Some(failure) = &plan.failure else {
        return if plan.schedulable {
            Ok(())
        } else {
            fault("found none, expected why there is no plan")
        };
    };
    if plan.schedulable {
        return fault("found one beside a plan that is schedulable");
    }
    match failure {
        Failure::HeuristicFailed => Ok(()), // claims nothing
        Failure::BoundExceedsGpu => match &plan.bound {
            Some(bound) if bound.sms > plan.gpu_sms => Ok(()),
            _ => fault("found bound-exceeds-gpu, expected a bound above the GPU"),
        },
        // Alone on the GPU, each task occupies it the least.
        Failure::WorkExceedsGpu => {
            let alone = set.tasks().iter().map(|task| {
                fraction::Fraction::new(wcet::least_work(task.wcet(), false), task.period().ns().into())
            });
            match fraction::Fraction::sum(alone).cmp(plan.gpu_sms.into()).is_gt() {
                true => Ok(()),
                false => fault("found work-exceeds-gpu, but the work fits"),
            }
        }
        Failure::TaskDoesNotFit { task } => {
            if *task >= set.tasks().len() {
                return fault("found a task that does not exist");
            }
            // Alone a task has neither company nor rivals: with C + J ≤ min(T, D) it passes whatever the policy.
            match jobs(set, &[*task], hardware::largest(plan), interference).as_deref() {
                Ok([job]) if job.wcet + job.jitter <= job.deadline.min(job.period) => {
                    fault("found task-does-not-fit, but it fits")
                }
                _ => Ok(()),
            }
        }
    }
}
