//! A task in the middle of a simulation: the job that comes next, and the first that is not done.

use std::collections::VecDeque;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::tournament::NEVER;
use super::{Job, Release, Task};
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Times in ns.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    wcet: u64,
    shortest: u64,
    pub block: u64,
    period: u64,
    deadline: u64,
    /// The arrival of the job that comes next.
    arrival: u64,
    /// No job is released before.
    earliest: u64,
    /// Jobs that have been released, and those of them that are done.
    released: u64,
    completed: u64,
    /// The arrival of the first job that is not done.
    head: u64,
    /// How long it takes, preemption aside.
    execution: u64,
    /// What it has left to run.
    pub left: u64,
    /// Whether it has run.
    pub started: bool,
    /// The position of the task in the partition.
    task: usize,
    /// What is random about it, if anything is.
    draws: Option<Box<Draws>>,
}

#[derive(Clone, Debug)]
struct Draws {
    jitter: u64,
    gap: u64,
    jitters: ChaCha8Rng,
    gaps: ChaCha8Rng,
    times: ChaCha8Rng,
    /// The arrivals of released jobs after the first that is not done, if they do not come at regular distances.
    waiting: VecDeque<u64>,
}

impl Lane {
    /// `task`, at position `position` of the partition, with random numbers of `seed` for task set `set`.
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
            execution: 0,
            left: 0,
            started: false,
            task: position,
            draws,
        }
    }

    /// When the next job is released, if it arrives before `end`, else [`NEVER`]. To be asked once per job.
    #[inline]
    pub fn next_release(&mut self, end: u64) -> u64 {
        if self.arrival >= end {
            return NEVER;
        }
        if let Some(draws) = &mut self.draws
            && draws.jitter > 0
        {
            let release = self.arrival + uniform(&mut draws.jitters, draws.jitter);
            // Jobs are released in the order of their arrival.
            self.earliest = self.earliest.max(release);
        }
        self.arrival.max(self.earliest)
    }

    /// Releases the next job, and says which it is, and whether it is the first.
    #[inline]
    pub fn release(&mut self) -> (Job, bool) {
        let arrival = self.arrival;
        let job = self.job(self.released, arrival);
        let first = self.released == self.completed;
        self.released += 1;
        self.arrival += self.period;
        if let Some(draws) = &mut self.draws
            && draws.gap > 0
        {
            self.arrival += uniform(&mut draws.gaps, draws.gap);
            if !first {
                draws.waiting.push_back(arrival);
            }
        }
        if first {
            self.head = arrival;
            self.prepare();
        }
        (job, first)
    }

    /// The first job is done; the next one that has been released, if there is one, is the first from now on. Returns how
    /// long the job took.
    #[inline]
    pub fn complete(&mut self) -> (u64, bool) {
        let execution = self.execution;
        self.completed += 1;
        let another = self.completed < self.released;
        if another {
            let irregular = self.draws.as_mut().filter(|draws| draws.gap > 0);
            self.head = match irregular.and_then(|draws| draws.waiting.pop_front()) {
                Some(arrival) => arrival,
                None => self.head + self.period,
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

    /// The first job that is not done.
    #[inline]
    pub fn head(&self) -> Job {
        self.job(self.completed, self.head)
    }

    /// When it is due.
    #[inline]
    pub fn due(&self) -> u64 {
        self.head + self.deadline
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

/// A uniform integer in 0 … `most`; biased by at most (`most` + 1)·2⁻⁶⁴. Reads one word.
pub(super) fn uniform(rng: &mut impl Rng, most: u64) -> u64 {
    ((u128::from(rng.next_u64()) * (u128::from(most) + 1)) >> 64) as u64
}
