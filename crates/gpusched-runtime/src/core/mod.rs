//! The dispatcher of one partition, as a state machine without input and output.
//!
//! A backend reads the clock, asks [`Core::next`] what to do, does it, and reports the completion of a job with
//! [`Core::completed`]. The same code decides on a GPU and in virtual time. The rules are the rules of the job simulator
//! `gpusched_sim::tasks`:
//! * When the dispatcher reads the clock, first the running job completes, then all jobs that have arrived become
//!   visible, and then the dispatcher chooses a job. One time serves all three, so the observed completion of a job is
//!   the time of the next decision.
//! * A chosen job runs to its end. The dispatcher never idles while a visible job waits.
//! * In a tie, the task at the lower position (np-edf) or with the higher rank (np-fp) is first. The jobs of one task run
//!   in the order of their arrivals.
//! * A job that exceeds its budget continues, because a kernel cannot be stopped. From the violation of a bound until the
//!   partition is idle, the guarantee of the partition is suspended.

mod job;
mod lane;

pub use job::{Job, Outcome, Record, Status};
pub use lane::Notified;

use lane::{Lane, NEVER};
use serde::{Deserialize, Serialize};

/// A task of a partition. All times are in ns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Arrivals of the jobs.
    pub arrivals: Arrivals,
    /// Period T [ns]; positive.
    pub period: u64,
    /// Relative deadline D [ns].
    pub deadline: u64,
    /// Budget C': longest time for which a job may occupy the partition [ns].
    pub budget: u64,
}

/// Arrivals of the jobs of a task.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Arrivals {
    /// Jobs arrive at `first`, `first` + T, `first` + 2T, …
    Periodic {
        /// Arrival of the first job [ns].
        first: u64,
    },
    /// Jobs arrive when [`Core::notify`] is called, at least T apart.
    Sporadic,
}

/// Order of the jobs that wait.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The job with the earliest absolute deadline is first (np-edf).
    Deadlines,
    /// The job of the task with the highest rank is first (np-fp). The list contains the positions of the tasks in the
    /// partition, sorted by decreasing rank.
    Ranks(Vec<usize>),
}

/// Next action of the backend.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Launch this job, wait for its end, and call [`Core::completed`].
    Launch(Job),
    /// Call [`Core::next`] again at this time [ns], or after a call of [`Core::notify`]. The value `u64::MAX` means that
    /// only a release can wake the partition.
    Sleep(u64),
    /// No job waits and no job will arrive.
    Stop,
}

/// Violation that suspends the guarantee of a partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A job occupied the partition for longer than its budget.
    Overrun,
    /// The dispatcher woke up later than its bound.
    WakeExceeded,
    /// The work of a job failed.
    JobFailed,
}

/// A time span without guarantee: from the violation of a bound until the partition is idle.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Suspension {
    /// Time of the violation [ns].
    pub from: u64,
    /// Next idle decision [ns]. `None` if the run ended before.
    pub until: Option<u64>,
    /// The first violation in this span.
    pub cause: Cause,
}

/// Counts and extremes of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counters {
    /// Number of completed jobs.
    pub jobs: u64,
    /// Number of jobs that completed after their deadlines.
    pub misses: u64,
    /// Number of jobs that exceeded their budgets.
    pub overruns: u64,
    /// Number of jobs whose work failed.
    pub failed: u64,
    /// Number of decisions later than the wake-up bound.
    pub late_wakes: u64,
    /// Longest time from an arrival in the idle partition to the decision [ns].
    pub longest_wake: u64,
    /// Number of sporadic releases that came too early and were delayed.
    pub early: u64,
    /// Number of sporadic releases that were dropped.
    pub dropped: u64,
    /// Number of spans without guarantee.
    pub suspended: u64,
}

/// Largest number of spans that the dispatcher keeps. Further spans are only counted.
const MOST_SPANS: usize = 256;

/// The dispatcher of one partition.
#[derive(Clone, Debug)]
pub struct Core {
    lanes: Vec<Lane>,
    /// Positions of the lanes. In a tie, the first lane wins.
    order: Vec<usize>,
    by_deadline: bool,
    /// Bound w on the time from an arrival in the idle partition to the decision [ns].
    wake_bound: u64,
    /// Time from which no job arrives [ns].
    end: u64,
    idle: bool,
    running: Option<Running>,
    suspensions: Vec<Suspension>,
    suspended: bool,
    counters: Counters,
}

#[derive(Copy, Clone, Debug)]
struct Running {
    job: Job,
    visible: u64,
    decision: u64,
    late_wake: bool,
}

impl Core {
    /// Creates the dispatcher of `tasks`. Jobs that arrive at `end` or later do not exist. `wake_bound` is w [ns].
    ///
    /// Returns `None` if `order` does not contain each position of a task once, or if a period is 0.
    pub fn new(tasks: &[Task], order: &Order, wake_bound: u64, end: u64) -> Option<Core> {
        let (order, by_deadline) = match order {
            Order::Deadlines => ((0..tasks.len()).collect(), true),
            Order::Ranks(ranks) => (ranks.clone(), false),
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..tasks.len()) || tasks.iter().any(|task| task.period == 0) {
            return None;
        }
        let lanes = tasks.iter().enumerate();
        Some(Core {
            lanes: lanes
                .map(|(position, &task)| Lane::new(task, position, end))
                .collect(),
            order,
            by_deadline,
            wake_bound,
            end,
            idle: true,
            running: None,
            suspensions: Vec::with_capacity(MOST_SPANS),
            suspended: false,
            counters: Counters::default(),
        })
    }

    /// Makes every job visible that has arrived at `now`, and chooses. Call this function at the time of the last
    /// completion, after a sleep, or after a release. While a job runs, the only answer is to wait.
    pub fn next(&mut self, now: u64) -> Action {
        if self.running.is_some() {
            return Action::Sleep(NEVER);
        }
        let mut earliest = NEVER;
        for lane in &mut self.lanes {
            if let Some(arrival) = lane.release(now, self.end) {
                earliest = earliest.min(arrival);
            }
        }
        let late_wake = self.idle && earliest != NEVER && self.wake(now, earliest);
        let Some((position, job)) = self.first() else {
            return self.rest(now);
        };
        self.idle = false;
        let visible = self.lanes[position].choose().unwrap_or(now);
        self.running = Some(Running {
            job,
            visible,
            decision: now,
            late_wake,
        });
        Action::Launch(job)
    }

    /// Reports that the running job completed at `now`. Returns the record of the job; `None` if no
    /// job was running.
    pub fn completed(&mut self, now: u64, outcome: Outcome) -> Option<Record> {
        let running = self.running.take()?;
        let budget = self.lanes[running.job.task].task.budget;
        let status = Status {
            missed: now > running.job.deadline,
            overrun: now.saturating_sub(running.decision) > budget,
            late_wake: running.late_wake,
            failed: outcome.failed,
        };
        self.counters.jobs += 1;
        self.counters.misses += u64::from(status.missed);
        if status.overrun {
            self.counters.overruns += 1;
            self.suspend(running.decision.saturating_add(budget), Cause::Overrun);
        }
        if status.failed {
            self.counters.failed += 1;
            self.suspend(now, Cause::JobFailed);
        }
        Some(Record {
            job: running.job,
            visible: running.visible,
            decision: running.decision,
            enqueued: outcome.enqueued,
            completion: now,
            status,
        })
    }

    /// Releases a job of the sporadic task at position `task` at time `at`. A release less than T after the previous
    /// arrival is delayed. Has no effect on a periodic task, or at the end of the run.
    pub fn notify(&mut self, task: usize, at: u64) -> Notified {
        let end = self.end;
        let lane = self.lanes.get_mut(task);
        let Some(lane) = lane.filter(|lane| lane.task.arrivals == Arrivals::Sporadic && at < end) else {
            return Notified::Dropped;
        };
        let notified = lane.request(at);
        match notified {
            Notified::OnTime => {}
            Notified::Delayed(_) => self.counters.early += 1,
            Notified::Dropped => self.counters.dropped += 1,
        }
        notified
    }

    /// Returns the counts and extremes so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Returns the spans without guarantee, in order.
    pub fn suspensions(&self) -> &[Suspension] {
        &self.suspensions
    }

    /// Returns the first of the jobs that wait, with its lane.
    fn first(&self) -> Option<(usize, Job)> {
        let heads = self
            .order
            .iter()
            .filter_map(|&lane| Some((lane, self.lanes[lane].head()?)));
        match self.by_deadline {
            // `min_by_key` returns the first of several minima, as the order of ties requires.
            true => heads.min_by_key(|(_, job)| job.deadline),
            false => { heads }.next(),
        }
    }

    /// Notes the end of an idle span. Returns whether the dispatcher woke up later than its bound.
    fn wake(&mut self, now: u64, earliest: u64) -> bool {
        let late = now.saturating_sub(earliest);
        self.counters.longest_wake = self.counters.longest_wake.max(late);
        let exceeded = late > self.wake_bound;
        if exceeded {
            self.counters.late_wakes += 1;
            self.suspend(now, Cause::WakeExceeded);
        }
        exceeded
    }

    /// Notes that the partition is idle at `now`. Returns when it has to be asked again.
    fn rest(&mut self, now: u64) -> Action {
        self.idle = true;
        if std::mem::take(&mut self.suspended)
            && let Some(last) = self.suspensions.last_mut()
            && last.until.is_none()
        {
            last.until = Some(now);
        }
        let next = self.lanes.iter().map(Lane::next).min().unwrap_or(NEVER);
        let sporadic = || {
            self.lanes
                .iter()
                .any(|lane| lane.task.arrivals == Arrivals::Sporadic)
        };
        match next {
            NEVER if now < self.end && sporadic() => Action::Sleep(NEVER),
            NEVER => Action::Stop,
            next => Action::Sleep(next),
        }
    }

    fn suspend(&mut self, from: u64, cause: Cause) {
        if std::mem::replace(&mut self.suspended, true) {
            return;
        }
        self.counters.suspended += 1;
        if self.suspensions.len() < MOST_SPANS {
            self.suspensions.push(Suspension {
                from,
                until: None,
                cause,
            });
        }
    }
}
