//! Observer that stores the maximum response times of tasks and segments.

use crate::end_to_end::{Event, Job};
use gpusched_model::Observer;
use gpusched_model::end_to_end::System;
use gpusched_model::time::Time;

/// Maximum times of one task.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskObserved {
    /// Number of completed jobs.
    pub jobs: u64,
    /// Number of jobs that missed their deadlines.
    pub misses: u64,
    /// Maximum response time, from the arrival of a job to its end [ns].
    pub response: Time,
    /// For each segment: maximum time from the arrival of the job to the end of the segment [ns]. Compare with R.
    pub ends: Vec<Time>,
    /// For each segment: maximum time from the release to the end of the segment [ns]. Compare with S.
    pub delays: Vec<Time>,
    /// For each segment: maximum number of jobs that execute the segment or wait for it. A job waits for the first segment from
    /// its arrival, and for each other segment from the end of the previous segment.
    pub queues: Vec<u64>,
}

/// Maximum times of all tasks. One observer can observe several runs of a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observed {
    /// Maximum times of each task, in the order of the system.
    pub tasks: Vec<TaskObserved>,
    /// Number of jobs that missed their deadlines.
    pub misses: u64,
    /// First job that missed its deadline.
    pub first_miss: Option<Job>,
    /// For each task and segment: present number of jobs.
    present: Vec<Vec<u64>>,
}

impl Observed {
    /// Creates an observer of `system`. All maxima are 0.
    pub fn new(system: &System) -> Observed {
        let tasks = system.tasks().iter().map(|task| TaskObserved {
            ends: vec![Time::ZERO; task.segments.len()],
            delays: vec![Time::ZERO; task.segments.len()],
            queues: vec![0; task.segments.len()],
            ..TaskObserved::default()
        });
        let present = system.tasks().iter().map(|task| vec![0; task.segments.len()]);
        Observed {
            tasks: tasks.collect(),
            present: present.collect(),
            ..Observed::default()
        }
    }

    /// Counts a job of `task` that now waits for `segment`.
    fn enter(&mut self, task: usize, segment: usize) {
        if let Some(present) = self.present[task].get_mut(segment) {
            *present += 1;
            let longest = &mut self.tasks[task].queues[segment];
            *longest = (*longest).max(*present);
        }
    }
}

impl Observer<Event> for Observed {
    #[inline]
    fn see(&mut self, now: Time, event: Event) {
        let since = |start: Time| Time::from_ns(now.ns() - start.ns());
        match event {
            Event::End { part, released } => {
                let task = &mut self.tasks[part.job.task];
                let end = &mut task.ends[part.segment];
                *end = since(part.job.arrival).max(*end);
                let delay = &mut task.delays[part.segment];
                *delay = since(released).max(*delay);
                self.present[part.job.task][part.segment] -= 1;
                self.enter(part.job.task, part.segment + 1);
            }
            Event::Arrival(job) => {
                if job.number == 0 {
                    self.present[job.task].fill(0); // a new run, after a run that may have been cut
                }
                self.enter(job.task, 0);
            }
            Event::Complete(job) => {
                let task = &mut self.tasks[job.task];
                task.jobs += 1;
                task.response = since(job.arrival).max(task.response);
            }
            Event::Miss(job) => {
                self.tasks[job.task].misses += 1;
                self.misses += 1;
                self.first_miss.get_or_insert(job);
            }
            Event::Release(_) | Event::Start(_) | Event::Ran { .. } => {}
        }
    }
}
