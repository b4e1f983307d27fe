//! The dispatcher of one partition, as a state machine without input and output.
//!
//! A backend reads the clock, asks [`Core::next`] what to do, does it, and reports the completion of a job with
//! [`Core::completed`]. The same code decides on a GPU and in virtual time. The rules are the rules of the job simulator
//! `gpusched_sim::tasks`:
//! * When the dispatcher reads the clock, first the running job completes, then all jobs that have arrived become
//!   visible, and then the dispatcher chooses a job. One time serves all three, so the observed completion of a job is
//!   the time of the next decision.
//! * A chosen job runs to its end, or to the end of its chunk under a policy with preemption points. Then the dispatcher
//!   chooses again. It never idles while a visible job waits.
//! * In a tie, the task at the lower position (np-edf, np-fifo) or with the higher rank (np-fp) is first. The jobs of one task run
//!   in the order of their arrivals.
//! * A job that exceeds its budget continues, because a kernel cannot be stopped. From the violation of a bound until the
//!   partition is idle, the guarantee of the partition is suspended. [`Overrun`] states what follows.

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
    /// Budget C': longest time for which a job may occupy the partition [ns]. After each preemption, the job may take one
    /// chunk longer, as the analysis of limited preemption permits.
    pub budget: u64,
    /// Budget b' of a chunk: longest time from one decision to the next while the job runs [ns]. Without preemption points,
    /// this is the budget of the job.
    pub chunk: u64,
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
    /// The job with the earliest arrival is first (np-fifo), also if several jobs become visible at one decision.
    Arrivals,
}

/// Next action of the backend.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Launch this job or its next chunk, wait for its end, and call [`Core::completed`].
    Launch(Job),
    /// Call [`Core::next`] again at this time [ns], or after a call of [`Core::notify`]. The value `u64::MAX` means that
    /// only a release can wake the partition.
    Sleep(u64),
    /// No job waits and no job will arrive.
    Stop,
}

/// Consequence of a job that exceeds its budget.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Debug,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Overrun {
    /// The trace records the overrun, and all jobs run.
    #[default]
    Record,
    /// The next job of the task does not run.
    SkipNext,
    /// The run ends when the job has completed.
    Abort,
}

/// A job that did not run, because an earlier job of its task exceeded its budget.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Skipped {
    /// Position of the task in the partition.
    pub task: usize,
    /// Number of the job among the jobs of its task, from 0.
    pub job: u64,
    /// Arrival of the job [ns].
    pub arrival: u64,
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
    /// The overhead of a job exceeded its bound.
    OverheadExceeded,
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
    /// Number of decisions later than the wake-up bound, and of releases that a decision missed by more than this bound.
    pub late_wakes: u64,
    /// Longest time from an arrival in the idle partition to the decision, or from a release to a decision that missed it [ns].
    pub longest_wake: u64,
    /// Number of sporadic releases that came too early and were delayed.
    pub early: u64,
    /// Number of sporadic releases that were dropped.
    pub dropped: u64,
    /// Number of spans without guarantee.
    pub suspended: u64,
    /// Number of jobs that were skipped after an overrun.
    pub skipped: u64,
    /// Number of overheads above their bound.
    pub overheads: u64,
}

/// Largest number of spans and of skipped jobs that the dispatcher keeps. All others are only counted.
pub(crate) const MOST_SPANS: usize = 256;

/// The dispatcher of one partition.
#[derive(Clone, Debug)]
pub struct Core {
    lanes: Vec<Lane>,
    /// Positions of the lanes. In a tie, the first lane wins.
    order: Vec<usize>,
    key: Key,
    /// Bound w on the time from an arrival in the idle partition to the decision [ns].
    wake_bound: u64,
    /// Time from which no job arrives [ns].
    end: u64,
    overrun: Overrun,
    /// Bound o on the overhead of a job or of a chunk [ns].
    overhead_bound: u64,
    /// Time from which the dispatcher launches nothing [ns].
    halt: u64,
    idle: bool,
    /// Time of the last decision [ns].
    decided: u64,
    running: Option<Running>,
    /// Lane of the last chunk.
    previous: usize,
    suspensions: Vec<Suspension>,
    suspended: bool,
    skipped: Vec<Skipped>,
    aborted: Option<Job>,
    halted: bool,
    counters: Counters,
}

/// Time of a job that decides first, before the order of the lanes.
#[derive(Copy, Clone, Debug)]
enum Key {
    Deadline,
    Arrival,
    Equal,
}

#[derive(Copy, Clone, Debug)]
struct Running {
    job: Job,
    visible: u64,
    decision: u64,
    wake: Option<u64>,
}

impl Core {
    /// Creates the dispatcher of `tasks`. Jobs that arrive at `end` or later do not exist. `wake_bound` is w [ns].
    ///
    /// Returns `None` if `order` does not contain each position of a task once, or if a period is 0.
    pub fn new(tasks: &[Task], order: &Order, wake_bound: u64, end: u64) -> Option<Core> {
        let (order, key) = match order {
            Order::Deadlines => ((0..tasks.len()).collect(), Key::Deadline),
            Order::Arrivals => ((0..tasks.len()).collect(), Key::Arrival),
            Order::Ranks(ranks) => (ranks.clone(), Key::Equal),
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
            key,
            wake_bound,
            end,
            overrun: Overrun::default(),
            overhead_bound: NEVER,
            halt: NEVER,
            idle: true,
            decided: 0,
            running: None,
            previous: usize::MAX,
            suspensions: Vec::with_capacity(MOST_SPANS),
            suspended: false,
            skipped: Vec::with_capacity(MOST_SPANS),
            aborted: None,
            halted: false,
            counters: Counters::default(),
        })
    }

    /// Sets what follows if a job exceeds its budget.
    pub fn with_overrun(self, overrun: Overrun) -> Core {
        Core { overrun, ..self }
    }

    /// Sets the bound o on the overhead of a job or of a chunk [ns]. Without a bound, the dispatcher checks none.
    pub fn with_overhead(self, bound: u64) -> Core {
        Core {
            overhead_bound: bound,
            ..self
        }
    }

    /// Ends the run at `time`: the dispatcher launches nothing at this time or later [ns].
    pub fn halt(&mut self, time: u64) {
        self.halt = self.halt.min(time);
    }

    /// Ends the run at `now` [ns]. Jobs that have arrived by then and wait past their deadlines are misses, and a late wake-up
    /// counts, although no job starts any more.
    pub fn stop(&mut self, now: u64) {
        let mut earliest = NEVER;
        for lane in &mut self.lanes {
            if let Some(arrival) = lane.release(now, self.end) {
                earliest = earliest.min(arrival);
            }
            self.counters.misses += lane.overdue(now);
        }
        self.arrived(now, earliest);
    }

    /// Makes every job visible that has arrived at `now`, and chooses. Call this function at the time of the last
    /// completion, after a sleep, or after a release. While a job runs, the only answer is to wait.
    pub fn next(&mut self, now: u64) -> Action {
        if self.running.is_some() {
            return Action::Sleep(NEVER);
        }
        if now >= self.halt {
            self.halted = true;
            return Action::Stop;
        }
        let mut earliest = NEVER;
        for lane in &mut self.lanes {
            if let Some(arrival) = lane.release(now, self.end) {
                earliest = earliest.min(arrival);
            }
            if lane.skips
                && let Some(job) = lane.head(false)
            {
                lane.finish();
                lane.skips = false;
                self.counters.skipped += 1;
                if self.skipped.len() < MOST_SPANS {
                    self.skipped.push(Skipped {
                        task: job.task,
                        job: job.number,
                        arrival: job.arrival,
                    });
                }
            }
        }
        let wake = self.arrived(now, earliest);
        self.decided = now;
        let Some((position, job)) = self.first() else {
            return self.rest(now);
        };
        self.idle = false;
        self.previous = position;
        let lane = &mut self.lanes[position];
        lane.progress.resumed += u64::from(job.resumed);
        let visible = lane.visible().unwrap_or(now);
        self.running = Some(Running {
            job,
            visible,
            decision: now,
            wake,
        });
        Action::Launch(job)
    }

    /// Reports that the running job, or its running chunk, completed at `now`. Returns its record; `None` if no job was running.
    pub fn completed(&mut self, now: u64, outcome: Outcome) -> Option<Record> {
        let running = self.running.take()?;
        let lane = &mut self.lanes[running.job.task];
        let (task, progress) = (lane.task, &mut lane.progress);
        let span = now.saturating_sub(running.decision);
        let repeated = progress.resumed.saturating_mul(task.chunk);
        let left = task
            .budget
            .saturating_add(repeated)
            .saturating_sub(progress.occupancy);
        let room = left.min(task.chunk);
        let exceeds = span > room;
        let first = exceeds && !std::mem::replace(&mut progress.overrun, true);
        progress.chunks = progress.chunks.saturating_add(1);
        progress.occupancy = progress.occupancy.saturating_add(span);
        let progress = *progress;
        if outcome.last {
            lane.finish();
            lane.skips = progress.overrun && self.overrun == Overrun::SkipNext;
        }
        let status = Status {
            missed: outcome.last && now > running.job.deadline,
            overrun: progress.overrun,
            late_wake: running.wake.is_some_and(|wake| wake > self.wake_bound),
            failed: outcome.failed,
            overhead: outcome.overhead.is_some_and(|time| time > self.overhead_bound),
        };
        self.counters.jobs += u64::from(outcome.last);
        self.counters.misses += u64::from(status.missed);
        self.counters.overruns += u64::from(first);
        if exceeds {
            self.suspend(running.decision.saturating_add(room), Cause::Overrun);
        }
        if status.overhead {
            self.counters.overheads += 1;
            self.suspend(now, Cause::OverheadExceeded);
        }
        if outcome.last && status.overrun && self.overrun == Overrun::Abort {
            self.aborted = Some(running.job);
            self.halt(now);
        }
        if status.failed {
            self.counters.failed += 1;
            self.suspend(now, Cause::JobFailed);
        }
        Some(Record {
            job: running.job,
            last: outcome.last,
            visible: running.visible,
            decision: running.decision,
            wake: running.wake,
            enqueued: outcome.enqueued,
            completion: now,
            occupancy: progress.occupancy,
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

    /// Returns the first jobs that were skipped, in order.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Whether [`Core::halt`] ended the run. Jobs may be left.
    pub fn halted(&self) -> bool {
        self.halted
    }

    /// Returns the job whose overrun ended the run.
    pub fn aborted(&self) -> Option<Job> {
        self.aborted
    }

    /// Returns the first of the jobs that wait, with its lane.
    fn first(&self) -> Option<(usize, Job)> {
        let heads = self
            .order
            .iter()
            .filter_map(|&lane| Some((lane, self.lanes[lane].head(lane != self.previous)?)));
        // `min_by_key` returns the first of several minima, as the order of ties requires.
        match self.key {
            Key::Deadline => heads.min_by_key(|(_, job)| job.deadline),
            Key::Arrival => heads.min_by_key(|(_, job)| job.arrival),
            Key::Equal => { heads }.next(),
        }
    }

    /// Notes that jobs became visible at `now`. The first one arrived at `earliest`. Returns the time since this arrival if the partition
    /// was idle.
    fn arrived(&mut self, now: u64, earliest: u64) -> Option<u64> {
        if earliest == NEVER {
            return None;
        }
        if self.idle {
            return Some(self.wake(now, earliest));
        }
        // The message of a sporadic release came after a decision that should have seen the job. The analysis permits this within the
        // bound on wake-ups, as if the job had arrived right after this decision.
        if earliest <= self.decided {
            self.wake(self.decided, earliest);
        }
        None
    }

    /// Notes that the dispatcher saw at `now`, and not earlier, a job that arrived at `earliest`. Returns the time between both.
    fn wake(&mut self, now: u64, earliest: u64) -> u64 {
        let late = now.saturating_sub(earliest);
        self.counters.longest_wake = self.counters.longest_wake.max(late);
        if late > self.wake_bound {
            self.counters.late_wakes += 1;
            self.suspend(earliest.saturating_add(self.wake_bound), Cause::WakeExceeded);
        }
        late
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
