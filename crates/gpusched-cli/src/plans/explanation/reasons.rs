//! Reasons for a failure. A reason states the violated condition, the amount of the violation, and the task that causes
//! it.

use super::called;
use crate::arguments::Case;
use gpusched_analysis::schedulability::Demand;
use gpusched_model::counted;
use gpusched_model::plan::Failure;
use gpusched_model::time::Time;
use gpusched_model::{Contention, Evidence, Plan, Utilization, Verdict};

/// Returns the reasons why no plan exists, or why the search found no plan.
pub fn of_plan(case: &Case<'_>, plan: &Plan) -> Vec<String> {
    let sms = case.problem.sms();
    match &plan.failure {
        Some(Failure::WorkExceedsGpu) => vec![work(case)],
        Some(Failure::TaskDoesNotFit { task }) => {
            let largest = case.problem.offer().map_or(sms, |offer| offer.largest());
            let verdict = case.problem.verdict(&[*task], largest);
            of_tasks(case, &[*task], largest, &verdict.evidence)
        }
        Some(Failure::WcetUnknown { task }) => vec![unknown(case, *task)],
        Some(Failure::BoundExceedsGpu) => {
            if plan.is_bound_with_traffic() {
                // The search looked only for plans that fit, so it cannot tell how many SMs are missing.
                let sms = counted(sms, "SM");
                return vec![format!(
                    "No plan with at most {sms} passes the tests with memory traffic."
                )];
            }
            let bound = plan.bound.as_ref().map_or(0, |bound| bound.sms);
            let missing = counted(bound.saturating_sub(sms), "SM");
            vec![format!(
                "Every plan needs at least {}, {missing} more than the GPU has.",
                counted(bound, "SM")
            )]
        }
        Some(Failure::HeuristicFailed) if plan.sms_used > sms => {
            let missing = counted(plan.sms_used - sms, "SM");
            vec![format!(
                "The search ended with partitions of {} in total, {missing} more than the GPU has.",
                counted(plan.sms_used, "SM")
            )]
        }
        _ => Vec::new(),
    }
}

/// Returns a line about a task whose WCET is unknown on each possible partition.
fn unknown(case: &Case<'_>, task: usize) -> String {
    let sms = case.problem.sms();
    let wcet = { case.set.tasks().get(task) }.map(|task| task.wcet());
    let first = wcet.map_or(0, |wcet| wcet.smallest_sms(Contention::Isolated));
    let task = called(case.set, task);
    let starts = format!("The first WCET of task {task} is for {}", counted(first, "SM"));
    match case.problem.offer() {
        Some(offer) if offer.largest() < sms => format!(
            "{starts}. The GPU has {}, but a partition of granularity {} has at most {}: measure the task on fewer SMs.",
            counted(sms, "SM"),
            offer.hardware().granularity,
            offer.largest()
        ),
        _ => format!("{starts}, but the GPU has {}.", counted(sms, "SM")),
    }
}

/// Returns the reasons why all tasks in one partition are not schedulable.
pub fn of_verdict(case: &Case<'_>, verdict: &Verdict) -> Vec<String> {
    let all: Vec<usize> = (0..case.set.tasks().len()).collect();
    of_tasks(case, &all, case.problem.sms(), &verdict.evidence)
}

/// Returns a line if `tasks` fail their test on `sms` SMs only because of the overheads of the dispatchers.
pub fn overheads(case: &Case<'_>, tasks: &[usize], sms: u32) -> Option<String> {
    let excess = case.problem.caused_by_overheads(tasks, sms)?;
    Some(excess.told(&called(case.set, excess.task)))
}

/// Returns a line about the tasks that do not state their memory traffic. Returns `None` if all tasks state their
/// memory traffic, or if the interference model ignores memory traffic.
pub fn traffic(case: &Case<'_>) -> Option<String> {
    let memory = case.problem.memory().filter(|memory| memory.time.is_none())?;
    let tasks = case.set.tasks();
    let silent: Vec<usize> = (0..tasks.len())
        .filter(|&task| {
            tasks[task].traffic().is_none() && tasks[task].bandwidth(case.problem.sms()).is_none()
        })
        .collect();
    let bandwidth = memory.bandwidth;
    match silent.as_slice() {
        [] => None,
        all if all.len() == tasks.len() => Some(format!(
            "No task states its `traffic`, so gpusched assumes that each task saturates the memory of {bandwidth}."
        )),
        [only] => Some(format!(
            "Task {} states no `traffic`, so gpusched assumes that the task saturates the memory of {bandwidth}.",
            called(case.set, *only)
        )),
        some => {
            let names: Vec<String> = some.iter().take(3).map(|&task| called(case.set, task)).collect();
            let more = if some.len() > 3 { ", …" } else { "" };
            Some(format!(
                "{} tasks state no `traffic` ({}{more}), so gpusched assumes that each task saturates the memory of {bandwidth}.",
                some.len(),
                names.join(", ")
            ))
        }
    }
}

/// Returns a line if the tasks violate Lemma 1: their total work exceeds the capacity of the GPU.
fn work(case: &Case<'_>) -> String {
    let shares = case.set.tasks().iter().enumerate().map(|(index, task)| {
        let work = u64::try_from(case.problem.least_work_alone(index)).unwrap_or(u64::MAX);
        Utilization::of(Time::from_ns(work), task.period()).as_f64()
    });
    let shares: Vec<f64> = shares.collect();
    let total: f64 = shares.iter().sum();
    format!(
        "The tasks need at least {total:.3} SMs, {:.3} more than the GPU has.{}",
        total - f64::from(case.problem.sms()),
        largest(case, (0..).zip(shares))
    )
}

/// Returns the sentence ` Task … has the largest share, …`. The text is empty if there is only one task.
fn largest(case: &Case<'_>, shares: impl Iterator<Item = (usize, f64)>) -> String {
    let shares: Vec<(usize, f64)> = shares.collect();
    let most = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    match most {
        Some((task, share)) if shares.len() > 1 => {
            format!(
                " Task {} has the largest share, {share:.3}.",
                called(case.set, *task)
            )
        }
        _ => String::new(),
    }
}

/// Returns the reasons why `tasks` are not schedulable in a partition of `sms` SMs. The caller
/// reports `evidence` separately.
fn of_tasks(case: &Case<'_>, tasks: &[usize], sms: u32, evidence: &Evidence) -> Vec<String> {
    let Ok(demands) = case.problem.demands(tasks, sms) else {
        return Vec::new();
    };
    let on = counted(sms, "SM");
    let of = |task: &usize| {
        let position = tasks.iter().position(|other| other == task)?;
        demands.get(position)
    };
    let line = match evidence {
        Evidence::UtilizationAboveOne => {
            let shares = demands.iter().map(|demand| Utilization::of(demand.wcet, demand.period).as_f64());
            let shares: Vec<f64> = shares.collect();
            let total: f64 = shares.iter().sum();
            let most = largest(case, tasks.iter().copied().zip(shares));
            Some(format!(
                "The utilization on {on} is {total:.3}, {:.3} above 1.{most}",
                total - 1.0
            ))
        }
        Evidence::DemandExceedsInterval {
            interval_ns,
            demand_ns,
        } => {
            let shares = demands.iter().map(|demand| within(demand, *interval_ns));
            let blocking = demand_ns.saturating_sub(shares.clone().fold(0, u64::saturating_add));
            let most = shares.zip(tasks).max_by_key(|(share, _)| *share);
            most.filter(|_| tasks.len() > 1).map(|(share, &task)| {
                let (what, share) = match blocking > share {
                    true => ("Blocking by a task with a later deadline".to_owned(), blocking),
                    false => (format!("Task {}", called(case.set, task)), share),
                };
                format!("{what} has the largest share of this demand, {}.", Time::from_ns(share))
            })
        }
        Evidence::DeadlineMissed {
            task,
            response_time_ns,
            ..
        } => of(task).map(|demand| {
            let late = response_time_ns.checked_sub(demand.deadline).unwrap_or_default();
            format!(
                "On {on}, task {} may have a response time of {response_time_ns}, {late} more than its deadline of {}. Its WCET{} is {}.",
                called(case.set, *task),
                demand.deadline,
                included(case),
                demand.wcet
            )
        }),
        Evidence::DemandWithinSupply { .. } | Evidence::ResponseTimes { .. } => None,
        _ => match tasks {
            [task] => of(task).map(|demand| {
                format!(
                    "On {on}, task {} has a WCET{} of {} and a deadline of {}.",
                    called(case.set, *task),
                    included(case),
                    demand.wcet,
                    demand.deadline
                )
            }),
            _ => None,
        },
    };
    let lines = line.into_iter();
    let late = tasks.iter().zip(demands.iter());
    lines
        .chain(late.filter_map(|(&task, demand)| jitter(case, task, demand)))
        .collect()
}

/// Returns a text for times that include the overheads of the dispatchers. The text is empty without overheads.
fn included(case: &Case<'_>) -> &'static str {
    match case.problem.overheads() {
        Some(_) => " with overheads",
        None => "",
    }
}

/// Returns a line if a task in isolation may miss its deadline only because of its release jitter: C ≤ D and J > D − C.
fn jitter(case: &Case<'_>, task: usize, demand: &Demand) -> Option<String> {
    let slack = demand.deadline.checked_sub(demand.wcet)?;
    let excess = demand
        .jitter
        .checked_sub(slack)
        .filter(|excess| *excess > Time::ZERO)?;
    let with = included(case);
    let measured = { case.set.tasks().get(task) }.and_then(|task| case.set.measured_on(task));
    let advice = match measured.is_some_and(|on| on.fields().samples.is_some()) {
        true => {
            " The jitter is from recordings: derive the task set again with a larger `--warm-up`, or state `--deployed-period` if the \
             recorded period is another one."
        }
        false => "",
    };
    Some(format!(
        "Release jitter is the cause for task {}: its jitter{with} of {} and its WCET{with} of {} together exceed its deadline of {} by \
         {excess}.{advice}",
        called(case.set, task),
        demand.jitter,
        demand.wcet,
        demand.deadline
    ))
}

/// Returns a line if WCETs are from recordings and contain the first jobs of each recording. `task` is the task that does not fit, if there is
/// one.
pub fn warm_up(case: &Case<'_>, task: Option<usize>) -> Option<String> {
    let contains = |index: &usize| {
        let task = case.set.tasks().get(*index)?;
        let on = case.set.measured_on(task)?.fields();
        (on.samples.is_some() && on.warm_up.is_none_or(|rule| rule.is_none())).then_some(*index)
    };
    let all = 0..case.set.tasks().len();
    let found = match task {
        Some(task) => contains(&task)?,
        None => all.into_iter().find_map(|index| contains(&index))?,
    };
    Some(format!(
        "The measurement of task {} left out no warm-up, and first jobs are often slow: `recording tasks` notes it, and `--warm-up` leaves \
         them out if they need not meet deadlines.",
        called(case.set, found)
    ))
}

/// Returns the total work of all jobs whose release and deadline are within an interval of length `interval` [ns].
fn within(demand: &Demand, interval: Time) -> u64 {
    let due = demand.deadline.ns().saturating_sub(demand.jitter.ns());
    match interval.ns().checked_sub(due) {
        Some(rest) => (rest / demand.period.ns().max(1) + 1).saturating_mul(demand.wcet.ns()),
        None => 0,
    }
}
