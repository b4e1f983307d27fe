//! State of one task in the dispatcher: its arrivals, and its jobs that wait.

use std::collections::VecDeque;

use super::{Arrivals, Job, Task};

/// A time that never comes [ns].
pub(super) const NEVER: u64 = u64::MAX;

/// Largest number of sporadic jobs that wait. The dispatcher drops and counts further releases, so a flood of releases
/// needs bounded memory.
pub(super) const MOST_WAITING: usize = 1024;

/// State of one task. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub task: Task,
    /// Position of the task in the partition.
    position: usize,
    /// Arrival of the next job that is not visible yet; [`NEVER`] if none is known.
    next: u64,
    /// Later arrivals of a sporadic task, after `next`.
    requested: VecDeque<u64>,
    /// Earliest arrival of the next sporadic release: the arrival of the last one plus T.
    earliest: u64,
    /// Visible jobs that have not completed: the arrival of each job, and the time at which the job became visible.
    waiting: VecDeque<(u64, u64)>,
    /// Number of jobs that have completed or were skipped.
    finished: u64,
    /// Progress of the first job that waits.
    pub progress: Progress,
    /// Whether the next job is skipped.
    pub skips: bool,
}

/// Progress of a job with several chunks.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Progress {
    /// Number of completed chunks.
    pub chunks: u32,
    /// Time for which the job has occupied the partition [ns].
    pub occupancy: u64,
    /// Number of chunks after the run of another job.
    pub resumed: u64,
    /// Whether the job has exceeded a budget.
    pub overrun: bool,
}

/// Result of a sporadic release.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Notified {
    /// The job arrives at the requested time.
    OnTime,
    /// The request came less than T after the previous arrival, so the job arrives later, at this time [ns].
    Delayed(u64),
    /// Too many jobs wait, so the release has no effect.
    Dropped,
}

impl Lane {
    pub fn new(task: Task, position: usize, end: u64) -> Lane {
        let next = match task.arrivals {
            Arrivals::Periodic { first } if first < end => first,
            Arrivals::Periodic { .. } | Arrivals::Sporadic => NEVER,
        };
        Lane {
            task,
            position,
            next,
            requested: VecDeque::new(),
            earliest: 0,
            waiting: VecDeque::new(),
            finished: 0,
            progress: Progress::default(),
            skips: false,
        }
    }

    /// Returns the arrival of the next job that is not visible yet.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Makes every job visible that arrives at `now` or earlier. Returns the arrival of the first of these jobs.
    pub fn release(&mut self, now: u64, end: u64) -> Option<u64> {
        let first = self.next;
        while self.next <= now && self.next != NEVER {
            self.waiting.push_back((self.next, now));
            self.next = match self.task.arrivals {
                Arrivals::Periodic { .. } => {
                    let next = self.next.saturating_add(self.task.period);
                    if next < end { next } else { NEVER }
                }
                Arrivals::Sporadic => self.requested.pop_front().unwrap_or(NEVER),
            };
        }
        (first <= now && first != NEVER).then_some(first)
    }

    /// Returns the number of waiting jobs whose deadlines are before `now` [ns].
    pub fn overdue(&self, now: u64) -> u64 {
        let late = |&&(arrival, _): &&(u64, u64)| arrival.saturating_add(self.task.deadline) < now;
        self.waiting.iter().filter(late).count() as u64
    }

    /// Requests a job of a sporadic task at `at`. Each arrival is at least T after the arrival before.
    pub fn request(&mut self, at: u64) -> Notified {
        if self.waiting.len() + self.requested.len() >= MOST_WAITING {
            return Notified::Dropped;
        }
        let arrival = at.max(self.earliest);
        self.earliest = arrival.saturating_add(self.task.period);
        match self.next {
            NEVER => self.next = arrival,
            _ => self.requested.push_back(arrival),
        }
        match arrival == at {
            true => Notified::OnTime,
            false => Notified::Delayed(arrival),
        }
    }

    /// Returns the first job that waits. `resumed` tells whether another job ran since its previous chunk.
    pub fn head(&self, resumed: bool) -> Option<Job> {
        let &(arrival, _) = self.waiting.front()?;
        Some(Job {
            task: self.position,
            number: self.finished,
            arrival,
            deadline: arrival.saturating_add(self.task.deadline),
            chunk: self.progress.chunks,
            resumed: resumed && self.progress.chunks > 0,
        })
    }

    /// Returns the time at which the first job that waits became visible.
    pub fn visible(&self) -> Option<u64> {
        Some(self.waiting.front()?.1)
    }

    /// Removes the first job that waits.
    pub fn finish(&mut self) {
        self.waiting.pop_front();
        self.finished += 1;
        self.progress = Progress::default();
    }
}
