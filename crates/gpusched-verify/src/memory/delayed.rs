//! Check of the evidence of a partition with interference delay, from the printed recurrences.

use super::Beside;
use crate::conditions::demand::check_cover;
use crate::fault::Fault;
use crate::jobs::Job;
use gpusched_model::policy::{Policy, Preemption, Priorities};
use gpusched_model::time::Time;
use gpusched_model::verdict::Evidence;

/// Maximum number of iterations. If a window needs more iterations, the check treats the window
/// as unbounded.
const STEP_LIMIT: u32 = 1_000_000;

/// One partition, and the memory traffic that delays the partition.
pub(crate) struct DelayedPartition<'a> {
    pub jobs: &'a [Job],
    /// The jobs with their WCETs at the guaranteed bandwidth. `None` if such a WCET is unbounded.
    pub slowest: Option<Vec<Job>>,
    pub beside: Beside,
}

impl DelayedPartition<'_> {
    /// Returns whether the interference delay of the partition is 0.
    pub fn is_undelayed(&self) -> bool {
        let wcets = |jobs: &[Job]| -> Vec<u128> { jobs.iter().map(|job| job.wcet).collect() };
        let same = |slowest: &[Job]| wcets(slowest) == wcets(self.jobs);
        self.beside.is_none() || self.slowest.as_deref().is_some_and(same)
    }

    /// Checks evidence that the partition is schedulable. Some evidence states only that a test found no proof. The
    /// check accepts such evidence, because it claims nothing.
    pub fn check(&self, evidence: &Evidence, policy: Policy) -> Result<(), Fault> {
        match (evidence, policy) {
            (Evidence::DemandWithinSupply { interval_ns, checked }, Policy::Edf | Policy::NpEdf) => {
                self.check_walk(policy, *interval_ns, checked)
            }
            (
                Evidence::ResponseTimes {
                    priorities,
                    response_times_ns,
                },
                Policy::FixedPriority(
                    preemption @ (Preemption::Preemptive | Preemption::NonPreemptive),
                    order,
                ),
            ) => self.check_responses(preemption, order, priorities, response_times_ns),
            (Evidence::BoundExceeded | Evidence::Undecided { .. }, _) => Ok(()),
            _ => Err(Fault::new(
                "reason",
                format!(
                    "found {}, which is not evidence for {policy} and partitions that share a memory",
                    evidence.reason()
                ),
            )),
        }
    }

    /// Returns the least t with t ≥ min(work + `lost(t)`, work at the guaranteed bandwidth), or
    /// `None` if t exceeds `limit`.
    fn done(&self, limit: u128, work: impl Fn(&[Job], u128) -> u128) -> Option<u128> {
        let mut time = 1;
        for _ in 0..STEP_LIMIT {
            let alone = work(self.jobs, time).saturating_add(self.beside.lost(time));
            let slowest = self
                .slowest
                .as_ref()
                .map_or(u128::MAX, |slowest| work(slowest, time));
            match alone.min(slowest) {
                next if next <= time => return Some(time),
                next if next > limit => return None,
                next => time = next,
            }
        }
        None
    }

    fn check_walk(&self, policy: Policy, interval: Time, checked: &[(Time, Time)]) -> Result<(), Fault> {
        if let Some(job) = self.jobs.iter().find(|job| job.jitter >= job.deadline) {
            return Err(Fault::new(
                "reason",
                format!("the jitter of task {} reaches or exceeds the deadline", job.task),
            ));
        }
        let due = |job: &Job| job.deadline - job.jitter;
        let hold = |job: &Job| if policy == Policy::NpEdf { job.wcet } else { 0 };
        let blocking = |jobs: &[Job], t: u128| {
            jobs.iter()
                .filter(|job| due(job) > t)
                .map(hold)
                .max()
                .unwrap_or(0)
        };
        let earliest = self.jobs.iter().map(due).min().unwrap_or(0);
        let length = u128::from(interval.ns());
        // No busy window is longer than `length`, because the partition completes all work of a
        // window within a time of at most `length`.
        let released = |jobs: &[Job], t: u128| {
            let work = jobs
                .iter()
                .map(|job| (t + job.jitter).div_ceil(job.period) * job.wcet);
            work.sum::<u128>() + blocking(jobs, earliest)
        };
        // An interval of length 0 contains no release, so it proves nothing about longer intervals.
        let over = length > 0 && self.done(length, released).is_some();
        if !over {
            let message =
                format!("found {interval}, expected at least the length of the longest busy period");
            return Err(Fault::new("interval_ns", message));
        }
        let last_before = |t: u128| {
            let last = |job: &Job| {
                let room = t.checked_sub(1)?.checked_sub(due(job))?;
                Some(due(job) + room / job.period * job.period)
            };
            self.jobs.iter().filter_map(last).max()
        };
        let needed = |jobs: &[Job], t: u128| {
            let demand = jobs.iter().map(|job| match t.checked_sub(due(job)) {
                Some(room) => (room / job.period + 1) * job.wcet,
                None => 0,
            });
            demand.sum::<u128>() + blocking(jobs, t)
        };
        check_cover(length, checked, last_before, |t, stated| {
            match self.done(t, |jobs, _| needed(jobs, t)) {
                Some(done) if done == stated => {}
                found => {
                    let expected = found.map_or("no completion".to_owned(), |done| format!("{done} ns"));
                    return Err(format!(
                        "found {stated} ns as the completion time of the demand in an interval of {t} ns, \
                         expected {expected}"
                    ));
                }
            }
            // For lengths from `since` to t, the blocking is at most the blocking at t, both in isolation and at the
            // guaranteed bandwidth.
            let since = |jobs: &[Job]| {
                let longer = jobs
                    .iter()
                    .filter(|job| due(job) <= t && hold(job) > blocking(jobs, t));
                longer.map(due).max().unwrap_or(0)
            };
            let since = since(self.jobs).max(self.slowest.as_deref().map_or(0, since));
            Ok(stated.max(since))
        })
    }

    fn check_responses(
        &self,
        preemption: Preemption,
        priorities: Priorities,
        order: &[usize],
        stated: &[Time],
    ) -> Result<(), Fault> {
        crate::conditions::response::check_order(priorities, self.jobs, order)?;
        if stated.len() != self.jobs.len() {
            let message = format!(
                "found {} response times, expected {}, one for each task",
                stated.len(),
                self.jobs.len()
            );
            return Err(Fault::new("response_times_ns", message));
        }
        for (index, (job, stated)) in self.jobs.iter().zip(stated).enumerate() {
            let field = || format!("response_times_ns[{index}]");
            let response = self.response(preemption, order, job);
            if response != Some(u128::from(stated.ns())) {
                let expected = response.map_or_else(
                    || "no value, because the busy period does not end".to_owned(),
                    |time| format!("{time} ns"),
                );
                let message = format!("found {} ns, expected {expected}", stated.ns());
                return Err(Fault::new(field(), message));
            }
            if u128::from(stated.ns()) > job.deadline {
                return Err(Fault::new(
                    field(),
                    format!("found {stated}, which is longer than the deadline"),
                ));
            }
        }
        Ok(())
    }

    /// Returns the longest response time of `job`, or `None` if the busy period of `job` does not
    /// end.
    fn response(&self, preemption: Preemption, order: &[usize], job: &Job) -> Option<u128> {
        let rank = |task: usize| order.iter().position(|&other| other == task);
        let own = rank(job.task);
        // Work of a window: `count` jobs of the task, one job with lower priority, and the jobs with higher priority. A
        // job with higher priority counts if its release is before the end of the window. If the window is closed, a
        // job whose release is at the end counts, too.
        let work = |jobs: &[Job], count: u128, window: u128, closed: bool| {
            let mut work = 0u128;
            let mut blocking = 0;
            for other in jobs {
                let reach = window + other.jitter;
                work += match rank(other.task).cmp(&own) {
                    std::cmp::Ordering::Equal => count * other.wcet,
                    std::cmp::Ordering::Less if closed => (reach / other.period + 1) * other.wcet,
                    std::cmp::Ordering::Less => reach.div_ceil(other.period) * other.wcet,
                    std::cmp::Ordering::Greater => {
                        blocking = other.wcet.max(blocking);
                        0
                    }
                };
            }
            match preemption {
                Preemption::NonPreemptive => work + blocking,
                _ => work,
            }
        };
        let limit = u128::from(u64::MAX);
        let mut worst = 0;
        for q in 0..u128::from(STEP_LIMIT) {
            let done = match preemption {
                Preemption::NonPreemptive => {
                    let start = self.done(limit, |jobs, window| work(jobs, q, window, true))?;
                    self.done(limit, |jobs, _| work(jobs, q + 1, start, true))?
                }
                _ => self.done(limit, |jobs, window| work(jobs, q + 1, window, false))?,
            };
            worst = worst.max((done + job.jitter).saturating_sub(q * job.period));
            if worst > job.deadline {
                return Some(worst);
            }
            let idle = self.done(limit, |jobs, window| work(jobs, q + 1, window, false))?;
            if idle + job.jitter <= (q + 1) * job.period {
                return Some(worst);
            }
        }
        None
    }
}
