//! CSV form of a simulation, with one row per job.

use std::collections::VecDeque;

use crate::report::Growing;
use crate::report::Output;
use gpusched_model::Observer;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::tasks::{Event, Job};

/// CSV columns.
pub const COLUMNS: &str = "set,partition,task,job,arrival_ns,release_ns,start_ns,finish_ns,execution_ns,response_ns,deadline_ns,preemptions,missed";

/// Observer of a simulation. It writes a CSV row when a job completes.
pub struct Rows<'a> {
    set: u64,
    partition: usize,
    /// For each task of the current partition: its position in the task set.
    positions: Vec<usize>,
    /// Incomplete jobs, by task.
    waiting: Vec<VecDeque<Waiting>>,
    rows: Growing<'a>,
}

#[derive(Copy, Clone, Default)]
struct Waiting {
    release: u64,
    start: u64,
    preemptions: u64,
}

impl<'a> Rows<'a> {
    /// Creates an observer for task set `set`. `columns` is the header, or `None` if the output
    /// already has a header.
    pub fn new(set: u64, output: &'a mut Output, columns: Option<&str>) -> Rows<'a> {
        Rows {
            set,
            partition: 0,
            positions: Vec::new(),
            waiting: Vec::new(),
            rows: Growing::new(output, columns),
        }
    }

    /// Starts partition `partition`, which contains the tasks at `positions`.
    pub fn begin(&mut self, partition: usize, positions: &[usize]) {
        self.partition = partition;
        self.positions = positions.to_vec();
        self.waiting = vec![VecDeque::new(); positions.len()];
    }

    /// # Errors
    /// Fails with the first error that occurred while rows were written.
    pub fn finish(self) -> Result<()> {
        self.rows.finish()
    }

    fn first(&mut self, job: Job) -> Option<&mut Waiting> {
        self.waiting.get_mut(job.task)?.front_mut()
    }

    /// Adds the row of `job`, which completed at `now`.
    fn row(&mut self, now: Time, job: Job, execution: Time) {
        let waiting = self.waiting.get_mut(job.task).and_then(VecDeque::pop_front);
        let Waiting {
            release,
            start,
            preemptions,
        } = waiting.unwrap_or_default();
        let task = self.positions.get(job.task).copied().unwrap_or(job.task);
        self.rows.row(format_args!(
            "{},{},{task},{},{},{release},{start},{},{},{},{},{preemptions},{}",
            self.set,
            self.partition,
            job.number,
            job.arrival.ns(),
            now.ns(),
            execution.ns(),
            now.ns() - job.arrival.ns(),
            job.deadline.ns(),
            now > job.deadline
        ));
    }
}

impl Observer<Event> for Rows<'_> {
    #[inline(always)]
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Release(job) => {
                if let Some(waiting) = self.waiting.get_mut(job.task) {
                    waiting.push_back(Waiting {
                        release: now.ns(),
                        ..Waiting::default()
                    });
                }
            }
            Event::Start(job) => {
                if let Some(first) = self.first(job) {
                    first.start = now.ns();
                }
            }
            Event::Preempt(job, _) => {
                if let Some(first) = self.first(job) {
                    first.preemptions += 1;
                }
            }
            Event::Complete(job, execution) => self.row(now, job, execution),
            Event::Resume(_) | Event::Miss(_) => {}
        }
    }

    fn goes_on(&self) -> bool {
        !self.rows.has_failed()
    }
}
