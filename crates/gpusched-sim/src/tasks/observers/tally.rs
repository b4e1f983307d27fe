//! What became of the jobs, in numbers.

use crate::tasks::Event;
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// Counts what happens in a partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// By position in the partition.
    pub tasks: Vec<TaskTally>,
    /// The last completion [ns].
    pub end: Time,
    /// Since when the present job runs [ns].
    since: u64,
}

/// What became of the jobs of one task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskTally {
    /// Jobs that were completed.
    pub jobs: u64,
    /// Those of them that were late.
    pub misses: u64,
    /// How often one made way for another.
    pub preemptions: u64,
    /// For how long they ran [ns].
    pub busy: u64,
    /// The longest time from arrival to completion [ns].
    pub longest: u64,
    /// The sum of these times [ns].
    pub total: u128,
}

impl TaskTally {
    /// The mean time from arrival to completion [ns]: a figure.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.jobs.max(1) as f64
    }
}

impl Tally {
    /// Nothing happened to `tasks` tasks. Others are not counted.
    pub fn new(tasks: usize) -> Tally {
        Tally {
            tasks: vec![TaskTally::default(); tasks],
            end: Time::ZERO,
            since: 0,
        }
    }

    /// Late jobs of all tasks.
    pub fn misses(&self) -> u64 {
        self.tasks.iter().map(|task| task.misses).sum()
    }

    /// Jobs of all tasks.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.jobs).sum()
    }

    /// Preemptions of all tasks.
    pub fn preemptions(&self) -> u64 {
        self.tasks.iter().map(|task| task.preemptions).sum()
    }

    /// For how long the partition ran something [ns].
    pub fn busy(&self) -> u64 {
        self.tasks.iter().map(|task| task.busy).sum()
    }
}

impl Observer<Event> for Tally {
    #[inline(always)]
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Release(_) => {}
            Event::Start(_) | Event::Resume(_) => self.since = now.ns(),
            Event::Preempt(job, _) => {
                let task = &mut self.tasks[job.task];
                task.preemptions += 1;
                task.busy += now.ns() - self.since;
            }
            Event::Complete(job, _) => {
                let task = &mut self.tasks[job.task];
                let response = now.ns() - job.arrival.ns();
                task.jobs += 1;
                task.busy += now.ns() - self.since;
                task.longest = task.longest.max(response);
                task.total += u128::from(response);
                self.end = now;
            }
            Event::Miss(job) => self.tasks[job.task].misses += 1,
        }
    }
}
