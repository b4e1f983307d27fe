//! State of a task during a simulation, such as its next job and its first incomplete job.

use std::collections::VecDeque;

use rand_chacha::ChaCha8Rng;

use super::{Job, Release, Task};
use crate::engine::releases::uniform;
use crate::engine::tournament::NEVER;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// State of a task during a simulation. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    wcet: u64,
    shortest: u64,
    pub block: u64,
    period: u64,
    deadline: u64,
    /// Arrival of the next job of the task.
    arrival: u64,
    /// Time before which no job of the task is released.
    earliest: u64,
    /// Number of released jobs, and number of completed jobs.
    released: u64,
    completed: u64,
    /// Arrival of the first incomplete job.
    head: u64,
    /// Release of the first incomplete job.
    visible: u64,
    /// Execution time of the first incomplete job. Preemption costs are not included.
    execution: u64,
    /// Remaining execution time of the first incomplete job.
    pub left: u64,
    /// Whether the first incomplete job has started.
    pub started: bool,
    /// Position of the task in the partition.
    task: usize,
    /// Random parameters and random streams of the task. `None` if no parameter is random.
    draws: Option<Box<Draws>>,
}

#[derive(Clone, Debug)]
struct Draws {
    jitter: u64,
    gap: u64,
    jitters: ChaCha8Rng,
    gaps: ChaCha8Rng,
    times: ChaCha8Rng,
    /// Arrivals and releases of all released jobs that wait for the first incomplete job. Used only for sporadic arrivals
    /// and for random jitter.
    waiting: VecDeque<(u64, u64)>,
}

impl Draws {
    /// Whether the arrivals or the releases of the jobs are random.
    fn irregular(&self) -> bool {
        self.gap > 0 || self.jitter > 0
    }
}

impl Lane {
    /// Creates the state of `task`, which is at `position` in the partition. `seed` and the number `set` of the task
    /// set select the random streams.
    pub fn new(task: &Task, release: &Release, position: usize, seed: u64, set: u64) -> Lane {
        let random = task.shortest < task.wcet || release.jitter > Time::ZERO || release.gap > Time::ZERO;
        let of = |purpose| stream(seed, purpose, set, task.stream);
        let draws = random.then(|| {
            Box::new(Draws {
                jitter: release.jitter.ns(),
                gap: release.gap.ns(),
                jitters: of(Purpose::ReleaseJitter),
                gaps: of(Purpose::ArrivalGaps),
                times: of(Purpose::ExecutionTimes),
                waiting: VecDeque::new(),
            })
        });
        Lane {
            wcet: task.wcet.ns(),
            shortest: task.shortest.ns(),
            block: task.block.ns(),
            period: task.period.ns(),
            deadline: task.deadline.ns(),
            arrival: release.first.ns(),
            earliest: release.earliest.ns(),
            released: 0,
            completed: 0,
            head: 0,
            visible: 0,
            execution: 0,
            left: 0,
            started: false,
            task: position,
            draws,
        }
    }

    /// Returns the release of the next job, or [`NEVER`] if the job arrives at `end` or later.
    /// The caller calls this function once per job.
    #[inline]
    pub fn next_release(&mut self, end: u64) -> u64 {
        if self.arrival >= end {
            return NEVER;
        }
        if let Some(draws) = &mut self.draws
            && draws.jitter > 0
        {
            let release = self.arrival + uniform(&mut draws.jitters, draws.jitter);
            // Jobs are released in order of arrival.
            self.earliest = self.earliest.max(release);
        }
        self.arrival.max(self.earliest)
    }

    /// Releases the next job. Returns the job, and true if this job is the first incomplete job.
    #[inline(always)]
    pub fn release(&mut self) -> (Job, bool) {
        let (arrival, release) = (self.arrival, self.arrival.max(self.earliest));
        let job = self.job(self.released, arrival);
        let first = self.released == self.completed;
        self.released += 1;
        self.arrival += self.period;
        if let Some(draws) = &mut self.draws
            && draws.irregular()
        {
            if draws.gap > 0 {
                self.arrival += uniform(&mut draws.gaps, draws.gap);
            }
            if !first {
                draws.waiting.push_back((arrival, release));
            }
        }
        if first {
            (self.head, self.visible) = (arrival, release);
            self.prepare();
        }
        (job, first)
    }

    /// Completes the first incomplete job. The next released job becomes the first incomplete
    /// job. Returns the execution time of the completed job, and true if another released job is
    /// incomplete.
    #[inline(always)]
    pub fn complete(&mut self) -> (u64, bool) {
        let execution = self.execution;
        self.completed += 1;
        let another = self.completed < self.released;
        if another {
            let irregular = self.draws.as_mut().filter(|draws| draws.irregular());
            (self.head, self.visible) = match irregular.and_then(|draws| draws.waiting.pop_front()) {
                Some(job) => job,
                None => {
                    let arrival = self.head + self.period;
                    (arrival, arrival.max(self.earliest))
                }
            };
            self.prepare();
        }
        (execution, another)
    }

    #[inline]
    fn prepare(&mut self) {
        self.execution = match &mut self.draws {
            Some(draws) if self.shortest < self.wcet => {
                self.shortest + uniform(&mut draws.times, self.wcet - self.shortest)
            }
            _ => self.wcet,
        };
        self.left = self.execution;
        self.started = false;
    }

    /// Returns the latest time at which a job that arrives before `end` is released or has its deadline.
    pub fn latest(&self, end: u64) -> u64 {
        let jitter = self.draws.as_ref().map_or(0, |draws| draws.jitter);
        end.saturating_add(self.deadline.max(jitter)).max(self.earliest)
    }

    /// Returns the period of the task.
    pub fn period(&self) -> u64 {
        self.period
    }

    /// Returns the first incomplete job.
    #[inline]
    pub fn head(&self) -> Job {
        self.job(self.completed, self.head)
    }

    /// Returns the absolute deadline of the first incomplete job.
    #[inline]
    pub fn due(&self) -> u64 {
        self.head + self.deadline
    }

    /// Returns the release of the first incomplete job.
    #[inline]
    pub fn visible(&self) -> u64 {
        self.visible
    }

    #[inline]
    fn job(&self, number: u64, arrival: u64) -> Job {
        Job {
            task: self.task,
            number,
            arrival: Time::from_ns(arrival),
            deadline: Time::from_ns(arrival + self.deadline),
        }
    }
}
