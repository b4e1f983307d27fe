//! Check of one partition: its tasks, and the evidence for its verdict.

use super::conditions::{Fraction, bounds, concurrent, demand, fifo, response};
use super::fault::Fault;
use super::jobs::{Job, Wcets, jobs};
use super::memory::{Beside, DelayedPartition};
use gpusched_model::counted;
use gpusched_model::plan::Partition;
use gpusched_model::policy::{Policy, Preemption, Priorities, Strength};
use gpusched_model::verdict::Evidence;
use gpusched_model::{SharedMemory, TaskSet};

pub(super) fn check_partition(
    partition: &Partition,
    set: &TaskSet,
    wcets: Wcets<'_>,
    beside: Option<(SharedMemory, Beside)>,
) -> Result<(), Fault> {
    if partition.sms == 0 {
        return Err(Fault::new("sms", "found 0, expected at least 1"));
    }
    let verdict = &partition.verdict;
    if plan_needs_proof(beside.is_some(), verdict.policy) {
        let message = format!(
            "found {}, expected a policy with a schedulability test for partitions that share a memory",
            verdict.policy
        );
        return Err(Fault::new("verdict.policy", message));
    }
    let jobs = jobs(set, &partition.tasks, partition.sms, wcets);
    if let (Some((memory, beside)), Ok(jobs)) = (beside, &jobs) {
        let delayed = DelayedPartition {
            slowest: beside.slowest(memory, set, partition.sms, jobs),
            jobs,
            beside,
        };
        // A partition that fails its test without interference delay also fails with interference
        // delay. So the evidence of a failure may come from the test without interference delay.
        let negative = !verdict.evidence.is_positive();
        let claims_nothing = matches!(
            verdict.evidence,
            Evidence::BoundExceeded | Evidence::Undecided { .. }
        );
        let is_undelayed = delayed.is_undelayed() || negative && !claims_nothing;
        if !is_undelayed {
            return check_disturbed(partition, &delayed);
        }
    }
    let strength = match verdict.policy {
        Policy::NpEdf | Policy::FixedPriority(Preemption::NonPreemptive, _)
            if wcets.lead() == 0 && jobs.is_ok() =>
        {
            Strength::Sufficient
        }
        policy => match strength(policy) {
            Strength::Exact if wcets.wakes_late() => Strength::Sufficient,
            strength => strength,
        },
    };
    if verdict.strength != strength {
        let message = format!("found {}, expected {strength}", verdict.strength);
        return Err(Fault::new("verdict.strength", message));
    }
    let positive = check_evidence(&verdict.evidence, verdict.policy, jobs, partition.sms)
        .map_err(|fault| fault.inside("verdict.evidence"))?;
    if verdict.schedulable != positive {
        let message = format!(
            "found {}, but the evidence supports {positive}",
            verdict.schedulable
        );
        return Err(Fault::new("verdict.schedulable", message));
    }
    Ok(())
}

/// Returns whether the partitions share a memory, and `policy` has no schedulability proof for a
/// shared memory.
fn plan_needs_proof(beside: bool, policy: Policy) -> bool {
    let proven = match policy {
        Policy::Edf | Policy::NpEdf => true,
        Policy::FixedPriority(preemption, _) => preemption != Preemption::Limited,
        _ => false,
    };
    beside && !proven
}

/// Checks the verdict of a partition with interference delay.
fn check_disturbed(partition: &Partition, delayed: &DelayedPartition<'_>) -> Result<(), Fault> {
    let verdict = &partition.verdict;
    delayed
        .check(&verdict.evidence, verdict.policy)
        .map_err(|fault| fault.inside("verdict.evidence"))?;
    let positive = verdict.evidence.is_positive();
    if verdict.schedulable != positive {
        let message = format!(
            "found {}, but the evidence supports {positive}",
            verdict.schedulable
        );
        return Err(Fault::new("verdict.schedulable", message));
    }
    // A test that is inconclusive without interference delay is also inconclusive with
    // interference delay.
    let undecided = matches!(verdict.evidence, Evidence::Undecided { .. });
    if verdict.strength != Strength::Sufficient && !undecided {
        let message = format!(
            "found {}, expected sufficient for partitions that share a memory",
            verdict.strength
        );
        return Err(Fault::new("verdict.strength", message));
    }
    Ok(())
}

fn strength(policy: Policy) -> Strength {
    match policy {
        Policy::Edf | Policy::NpEdf | Policy::NpFifo | Policy::Concurrent => Strength::Exact,
        Policy::FixedPriority(Preemption::Limited, _) | Policy::LpEdf => Strength::Sufficient,
        Policy::FixedPriority(..) => Strength::Exact,
        Policy::Density | Policy::Hyperbolic | Policy::LiuLayland => Strength::Sufficient,
        Policy::WorkCapacity | Policy::WorkCapacityDeadline => Strength::NecessaryOnly,
    }
}

/// Checks `evidence`. Returns whether the evidence proves that the partition is schedulable.
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
                format!("task {unknown} has no known WCET on {}", counted(sms, "SM")),
            ));
        }
        (Evidence::WcetUnknown { task }, Ok(_)) => {
            return Err(Fault::new(
                "task",
                format!("task {task} has a known WCET on {}", counted(sms, "SM")),
            ));
        }
        (_, Ok(jobs)) => jobs,
    };
    let unfit = || {
        Fault::new(
            "reason",
            format!("found {}, which is not evidence for {policy}", evidence.reason()),
        )
    };
    let supply = || match policy {
        Policy::Edf | Policy::NpEdf | Policy::LpEdf => demand::Supply::new(policy, &jobs).map_err(|task| {
            Fault::new(
                "reason",
                format!(
                    "found {}, but the jitter of task {task} reaches or exceeds the deadline",
                    evidence.reason()
                ),
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
                Policy::FixedPriority(..) | Policy::NpFifo | Policy::Concurrent => {
                    Fraction::sum(jobs.iter().map(|job| Fraction::new(job.wcet, job.period)))
                }
                _ => supply()?.utilization(),
            };
            expect(
                above.cmp(1).is_gt(),
                "found `utilization-above-one`, but the utilization is at most 1",
            )?;
        }
        Evidence::ResponseTimes {
            priorities,
            response_times_ns,
        } => match policy {
            Policy::FixedPriority(preemption, order) => {
                response::check(preemption, order, &jobs, priorities, response_times_ns)?;
            }
            Policy::NpFifo => fifo::check(&jobs, priorities, response_times_ns)?,
            Policy::Concurrent => concurrent::check(&jobs, priorities, response_times_ns)?,
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
            Policy::NpFifo => fifo::check_miss(&jobs, *task, *busy_period_ns, *response_time_ns)?,
            Policy::Concurrent => {
                concurrent::check_miss(&jobs, *task, *busy_period_ns, *response_time_ns)?;
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
                "found `jitter-exceeds-deadline`, but the jitter of the task is below the deadline",
            )?;
        }
        Evidence::BoundHolds => {
            let holds = bounds::holds(policy, &jobs).ok_or_else(unfit)?;
            expect(
                holds,
                "found `bound-holds`, but the tasks exceed the bound of the test",
            )?;
        }
        Evidence::BoundExceeded => {
            let holds = bounds::holds(policy, &jobs).ok_or_else(unfit)?;
            expect(
                !holds,
                "found `bound-exceeded`, but the tasks do not exceed the bound of the test",
            )?;
        }
        Evidence::WorkWithinCapacity
        | Evidence::WorkExceedsCapacity
        | Evidence::WcetExceedsDeadline { .. } => {
            work(evidence, policy, &jobs, sms)?;
        }
        Evidence::Undecided { .. } => {} // no claim to check
        Evidence::WcetUnknown { .. } => return Err(unfit()),
    }
    Ok(evidence.is_positive())
}

/// Checks the evidence of a work-capacity test.
fn work(evidence: &Evidence, policy: Policy, jobs: &[Job], sms: u32) -> Result<(), Fault> {
    if !matches!(policy, Policy::WorkCapacity | Policy::WorkCapacityDeadline) {
        return Err(Fault::new(
            "reason",
            format!("found {}, which is not evidence for {policy}", evidence.reason()),
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
            format!(
                "found {}, but the recomputed work of the tasks contradicts this evidence",
                evidence.reason()
            ),
        )),
    }
}
