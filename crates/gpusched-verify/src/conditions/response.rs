//! Check of response times under fixed priorities, by iteration of the printed recurrences.

use super::fraction::Fraction;
use super::multiple::least_common_multiple;
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::policy::{Preemption, Priorities};
use gpusched_model::time::Time;

/// Maximum number of iterations. If a response time needs more iterations, the check treats this response time as
/// unknown.
pub(super) const STEP_LIMIT: u64 = 10_000_000;

/// Returns `jobs` sorted by priority, highest first. Returns `None` if the test may choose the
/// priority order (Audsley's algorithm).
fn fixed_order(priorities: Priorities, jobs: &[Job]) -> Option<Vec<&Job>> {
    let mut order: Vec<&Job> = jobs.iter().collect();
    match priorities {
        Priorities::DeadlineMonotonic => {
            order.sort_by_key(|job| (job.deadline.cast_signed() - job.jitter.cast_signed(), job.task))
        }
        Priorities::RateMonotonic => order.sort_by_key(|job| (job.period, job.task)),
        Priorities::Given => order.sort_by_key(|job| job.task),
        Priorities::Audsley => return None,
    }
    Some(order)
}

/// Worst case over all jobs of a task.
enum Worst {
    /// All jobs meet their deadlines. The value is the longest response time [ns].
    InTime(u128),
    /// A job misses its deadline.
    Late,
}

/// A task, the tasks with higher priority, and the blocking by tasks with lower priority.
struct Level<'a> {
    preemption: Preemption,
    job: &'a Job,
    higher: Vec<&'a Job>,
    /// B: blocking by a job with lower priority that has just started.
    blocking: u128,
    /// γ: extra time that one preemption causes.
    charge: u128,
}

impl<'a> Level<'a> {
    fn new(preemption: Preemption, job: &'a Job, higher: Vec<&'a Job>, lower: &[&'a Job]) -> Level<'a> {
        let blocks =
            |jobs: &[&Job], length: fn(&Job) -> u128| jobs.iter().map(|job| length(job)).max().unwrap_or(0);
        let blocking = match preemption {
            Preemption::Preemptive => 0,
            Preemption::NonPreemptive => blocks(lower, |job| job.wcet.saturating_sub(job.lead)),
            Preemption::Limited => blocks(lower, |job| job.block.saturating_sub(job.lead)),
        };
        let charge = match preemption {
            Preemption::Limited => {
                let preemptable = higher
                    .iter()
                    .copied()
                    .chain([job])
                    .filter(|job| job.block < job.wcet);
                preemptable.map(|job| job.block).max().unwrap_or(0)
            }
            _ => 0,
        };
        Level {
            preemption,
            job,
            higher,
            blocking,
            charge,
        }
    }

    /// Returns the work of all jobs with higher priority that are released in a window of length `length`. In a closed window,
    /// jobs that are released at the end of the window count, too.
    fn interference(&self, length: u128, closed: bool) -> u128 {
        let of = |other: &&Job| {
            let jobs = match closed {
                true => (length + other.jitter) / other.period + 1,
                false => (length + other.jitter).div_ceil(other.period),
            };
            jobs.saturating_mul(other.wcet + self.charge)
        };
        self.higher.iter().map(of).fold(0u128, u128::saturating_add)
    }

    /// Iterates `next` from `start`. Returns the least fixed point, or the first value of at
    /// least `enough`. Returns `None` if the iteration reaches its step limit first.
    fn settle(start: u128, enough: u128, next: impl Fn(u128) -> u128) -> Option<u128> {
        let mut length = start;
        for _ in 0..STEP_LIMIT {
            let longer = next(length);
            if longer == length || longer >= enough {
                return Some(longer);
            }
            length = longer;
        }
        None
    }

    /// Returns the time at which job `q` and all work with higher priority are done, counted from the start of the busy period.
    /// A result of at least `enough` is only a lower bound on this time.
    fn busy(&self, q: u128, enough: u128) -> Option<u128> {
        let own = self.blocking + (q + 1) * self.job.wcet;
        Level::settle(own, enough, |w| own.saturating_add(self.interference(w, false)))
    }

    /// Returns the completion time of job `q`, as [`Self::busy`] does. Without preemption, work with higher priority may be left.
    fn window(&self, q: u128, enough: u128) -> Option<u128> {
        if self.preemption != Preemption::NonPreemptive {
            return self.busy(q, enough);
        }
        let enough = enough.saturating_sub(self.job.wcet);
        let own = self.blocking + q * self.job.wcet;
        let start = Level::settle(own, enough, |w| own.saturating_add(self.interference(w, true)))?;
        Some(start + self.job.wcet)
    }

    /// Returns whether the utilization of the level exceeds 1. If so, response times grow without
    /// limit.
    fn overloaded(&self) -> bool {
        let higher = self.higher.iter().map(|job| (job.wcet + self.charge, job.period));
        let all = higher.chain([(self.job.wcet, self.job.period)]);
        let utilization = Fraction::sum(all.map(|(wcet, period)| Fraction::new(wcet, period)));
        utilization.cmp(1).is_gt()
    }

    /// Returns the longest response time, or [`Worst::Late`] if a job misses its deadline.
    /// Returns `None` if the response time is unknown.
    fn worst(&self) -> Option<Worst> {
        if self.overloaded() {
            return Some(Worst::Late);
        }
        let job = self.job;
        // Let h be the number of jobs per hyperperiod. The utilization is at most 1, so the response time of job q + h is at most
        // the response time of job q, and h jobs are sufficient.
        let periods = self.higher.iter().chain([&job]).map(|job| job.period);
        let jobs_in_hyperperiod = least_common_multiple(periods).map(|hyperperiod| hyperperiod / job.period);
        let mut worst = 0;
        for q in 0..u128::from(STEP_LIMIT) {
            // Job q arrives at q·T − J, counted from the start of the busy period. The completion
            // time of job q is exact up to the deadline of job q.
            let due = q * job.period + job.deadline;
            let window = self.window(q, (due + 1).saturating_sub(job.jitter))?;
            if window + job.jitter > due {
                return Some(Worst::Late);
            }
            worst = worst.max((window + job.jitter).saturating_sub(q * job.period));
            // The busy period ends with job q if job q + 1 is released at the end of the busy
            // period, or later.
            let next = (q + 1) * job.period;
            let idle = self.busy(q, next + 1)? + job.jitter <= next;
            if idle || Some(q + 1) == jobs_in_hyperperiod {
                return Some(Worst::InTime(worst));
            }
        }
        None
    }
}

/// Checks that `order` contains all tasks of `jobs`, sorted by priority.
pub(crate) fn check_order(priorities: Priorities, jobs: &[Job], order: &[usize]) -> Result<(), Fault> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(jobs.iter().map(|job| job.task)) {
        return Err(Fault::new(
            "priorities",
            "found a list of tasks that differs from the tasks of the partition",
        ));
    }
    if let Some(expected) = fixed_order(priorities, jobs) {
        let expected: Vec<usize> = expected.iter().map(|job| job.task).collect();
        if expected != order {
            let message = format!("found {order:?}, expected {expected:?}");
            return Err(Fault::new("priorities", message));
        }
    }
    Ok(())
}

/// Checks that `order` contains all tasks of `jobs`, sorted by priority, and that `stated` has a response time for each task.
pub(crate) fn check_lists(
    priorities: Priorities,
    jobs: &[Job],
    (order, stated): (&[usize], &[Time]),
) -> Result<(), Fault> {
    check_order(priorities, jobs, order)?;
    if stated.len() != jobs.len() {
        let message = format!(
            "found {} response times, expected {}, one for each task",
            stated.len(),
            jobs.len()
        );
        return Err(Fault::new("response_times_ns", message));
    }
    Ok(())
}

/// Checks evidence of the kind `response-times`: all jobs meet their deadlines.
pub(crate) fn check(
    preemption: Preemption,
    priorities: Priorities,
    jobs: &[Job],
    order: &[usize],
    stated: &[Time],
) -> Result<(), Fault> {
    check_lists(priorities, jobs, (order, stated))?;
    for (index, (job, &stated)) in jobs.iter().zip(stated).enumerate() {
        let rank = |task| order.iter().position(|&other| other == task);
        let (higher, lower): (Vec<&Job>, Vec<&Job>) = jobs
            .iter()
            .filter(|other| other.task != job.task)
            .partition(|other| rank(other.task) < rank(job.task));
        let level = Level::new(preemption, job, higher, &lower);
        match level.worst() {
            Some(Worst::InTime(response)) if response == u128::from(stated.ns()) => {}
            found => {
                let expected = match found {
                    Some(Worst::InTime(response)) => format!("{response} ns"),
                    Some(Worst::Late) => "a missed deadline".to_owned(),
                    None => "an unknown response time".to_owned(),
                };
                let message = format!("found {} ns, expected {expected}", stated.ns());
                return Err(Fault::new(format!("response_times_ns[{index}]"), message));
            }
        }
    }
    Ok(())
}

/// Checks evidence of the kind `deadline-missed`: a job of `task` misses its deadline.
pub(crate) fn check_miss(
    preemption: Preemption,
    priorities: Priorities,
    jobs: &[Job],
    task: usize,
    busy_period: Time,
    response_time: Time,
) -> Result<(), Fault> {
    let Some(order) = fixed_order(priorities, jobs) else {
        return Err(Fault::new(
            "reason",
            "found a missed deadline for one priority order, but the test may choose another priority order",
        ));
    };
    let Some(rank) = order.iter().position(|job| job.task == task) else {
        return Err(Fault::new(
            "task",
            format!("found task {task}, which is not in the partition"),
        ));
    };
    let job = order[rank];
    let level = Level::new(preemption, job, order[..rank].to_vec(), &order[rank + 1..]);
    // The stated times are lower bounds, because the analysis stops as soon as it has proven the
    // deadline miss.
    let (window, response) = (u128::from(busy_period.ns()), u128::from(response_time.ns()));
    let before = (window + job.jitter).checked_sub(response);
    let Some(q) = before
        .filter(|before| before % job.period == 0)
        .map(|before| before / job.period)
    else {
        let message = format!(
            "found {response_time}, expected the completion time {busy_period} minus the arrival time of a job"
        );
        return Err(Fault::new("response_time_ns", message));
    };
    if response <= job.deadline {
        let message = format!("found {response_time}, expected more than the deadline");
        return Err(Fault::new("response_time_ns", message));
    }
    match level.window(q, window) {
        Some(end) if end >= window => Ok(()),
        found => {
            let most = found.map_or(
                "no value, because the busy period does not end".to_owned(),
                |end| format!("at most {end} ns"),
            );
            let message = format!("found {busy_period}, expected {most}");
            Err(Fault::new("busy_period_ns", message))
        }
    }
}

/// Checks evidence of the kind `no-priority-order`: each task of `tasks` misses its deadline if
/// all other tasks of `tasks` have higher priority.
pub(crate) fn check_no_order(preemption: Preemption, jobs: &[Job], tasks: &[usize]) -> Result<(), Fault> {
    if tasks.is_empty() {
        return Err(Fault::new("tasks", "found no task, expected at least one"));
    }
    for &task in tasks {
        let Some(job) = jobs.iter().find(|job| job.task == task) else {
            return Err(Fault::new(
                "tasks",
                format!("found task {task}, which is not in the partition"),
            ));
        };
        let others = jobs.iter().filter(|other| other.task != task);
        let (higher, lower): (Vec<&Job>, Vec<&Job>) = others.partition(|other| tasks.contains(&other.task));
        match Level::new(preemption, job, higher, &lower).worst() {
            Some(Worst::Late) => {}
            Some(Worst::InTime(response)) => {
                let message = format!(
                    "found task {task}, which meets the deadline with a response time of {response} ns at \
                     the lowest priority of the list"
                );
                return Err(Fault::new("tasks", message));
            }
            None => {
                let message = format!(
                    "found task {task}, which has an unknown response time at the lowest priority of the list"
                );
                return Err(Fault::new("tasks", message));
            }
        }
    }
    Ok(())
}

/// Returns whether every job meets its deadline under the priority order. If the test may choose the order, it suffices
/// that one order meets all deadlines. Returns `None` if a response time is unknown.
pub(crate) fn passes(preemption: Preemption, priorities: Priorities, jobs: &[Job]) -> Option<bool> {
    let order = fixed_order(priorities, jobs);
    let is_fixed = order.is_some();
    let mut above = order.unwrap_or_else(|| jobs.iter().collect());
    let mut below: Vec<&Job> = Vec::new();
    // The loop assigns priorities from the lowest to the highest. If the test may choose the order, the loop assigns
    // each priority to any task that meets its deadline at this priority (Audsley's algorithm).
    while !above.is_empty() {
        let first = if is_fixed { above.len() - 1 } else { 0 };
        let mut lowest = None;
        let mut unknown = false;
        for place in first..above.len() {
            let mut higher = above.clone();
            let job = higher.remove(place);
            match Level::new(preemption, job, higher, &below).worst() {
                Some(Worst::InTime(_)) => lowest = Some(place),
                Some(Worst::Late) => {}
                None => unknown = true,
            }
            if lowest.is_some() {
                break;
            }
        }
        match lowest {
            Some(place) => below.push(above.remove(place)),
            None if unknown => return None,
            None => return Some(false),
        }
    }
    Some(true)
}
