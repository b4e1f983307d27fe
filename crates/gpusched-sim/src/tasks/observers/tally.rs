//! Observer that counts the events of the jobs of a partition.

use crate::tasks::Event;
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// Counts of events in a partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Counts for each task, sorted by the position of the task in the partition.
    pub tasks: Vec<TaskTally>,
    /// Time of the last completion [ns].
    pub end: Time,
    /// Time at which the running job started or was last resumed [ns].
    since: u64,
}

/// Counts for the jobs of one task.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskTally {
    /// Number of completed jobs.
    pub jobs: u64,
    /// Number of completed jobs that missed their deadlines.
    pub misses: u64,
    /// Number of preemptions of jobs of the task.
    pub preemptions: u64,
    /// Total execution time of all jobs [ns].
    pub busy: u64,
    /// Longest response time of a job [ns].
    pub longest: u64,
    /// Sum of all response times [ns].
    pub total: u128,
}

impl TaskTally {
    /// Returns the mean response time of the completed jobs [ns].
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.jobs.max(1) as f64
    }
}

impl Tally {
    /// Creates counts for `tasks` tasks. All counts are 0.
    pub fn new(tasks: usize) -> Tally {
        Tally {
            tasks: vec![TaskTally::default(); tasks],
            end: Time::ZERO,
            since: 0,
        }
    }

    /// Returns the total number of deadline misses of all tasks.
    pub fn misses(&self) -> u64 {
        self.tasks.iter().map(|task| task.misses).sum()
    }

    /// Returns the total number of completed jobs of all tasks.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|task| task.jobs).sum()
    }

    /// Returns the total number of preemptions of all tasks.
    pub fn preemptions(&self) -> u64 {
        self.tasks.iter().map(|task| task.preemptions).sum()
    }

    /// Returns the total busy time of the partition [ns].
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
