//! The completed jobs of a session. A thread that is no dispatcher receives them, so that a slow program delays no job.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::fault::{Fault, Kind};
use crate::core::Record;
use crate::queue::{Inbox, Next};

/// A message of a dispatcher. Tasks are positions in the task set.
pub(super) enum Event {
    /// A job completed.
    Completed(Record),
    /// The dispatcher of a partition ended, perhaps with an error.
    Ended(usize, Option<String>),
}

/// A function of the user that receives completed jobs.
pub(super) type OnComplete = Box<dyn FnMut(&Record) + Send>;

/// Messages that fit into the queue of the thread that keeps the records.
pub(super) const EVENTS: usize = 8192;

/// The last completed jobs of each task.
pub(super) struct Records {
    state: Mutex<State>,
    changed: Condvar,
    /// Largest number of jobs per task.
    most: usize,
}

struct State {
    /// Completed jobs by position of the task in the set, in the order of their numbers.
    tasks: Vec<VecDeque<Record>>,
    /// By position of the task: a job with a smaller number gets no record any more.
    settled: Vec<u64>,
    /// For each partition whose dispatcher has ended, the error that ended it early.
    ended: Vec<Option<Option<String>>>,
}

impl Records {
    pub fn new(tasks: usize, partitions: usize, most: usize) -> Records {
        Records {
            state: Mutex::new(State {
                tasks: vec![VecDeque::new(); tasks],
                settled: vec![0; tasks],
                ended: vec![None; partitions],
            }),
            changed: Condvar::new(),
            most: most.max(1),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives all messages until the last dispatcher has ended. Calls the functions of the user without a lock.
    pub fn keep(&self, inbox: &mut Inbox<Event>, functions: &mut [Option<OnComplete>]) {
        loop {
            match inbox.receive() {
                Next::Event(event) => {
                    if let Some(record) = self.receive(event)
                        && let Some(function) = &mut functions[record.job.task]
                    {
                        function(&record);
                    }
                }
                Next::Lost(settled) => {
                    self.lock().settled = settled;
                    self.changed.notify_all();
                }
                Next::Empty => {}
                Next::End => return,
            }
        }
    }

    /// Stores a message. Returns the record that it contains.
    fn receive(&self, event: Event) -> Option<Record> {
        let mut state = self.lock();
        let completed = match event {
            Event::Completed(record) => {
                let records = &mut state.tasks[record.job.task];
                if records.len() >= self.most {
                    records.pop_front();
                }
                records.push_back(record);
                Some(record)
            }
            Event::Ended(partition, lost) => {
                state.ended[partition].get_or_insert(lost);
                None
            }
        };
        drop(state);
        self.changed.notify_all();
        completed
    }

    /// Waits for job `number` of `task`, which is on `partition`. Returns its record.
    pub fn wait(
        &self,
        (task, partition): (usize, usize),
        number: u64,
        timeout: Duration,
    ) -> Result<Record, Fault> {
        let end = Instant::now().checked_add(timeout);
        let mut state = self.lock();
        loop {
            let records = &state.tasks[task];
            if let Ok(index) = records.binary_search_by_key(&number, |record| record.job.number) {
                return Ok(records[index]);
            }
            if records.back().is_some_and(|last| last.job.number > number) {
                let expected = format!("one of the last {} jobs of the task", records.len());
                return Err(Fault::usage("number", number, expected));
            }
            if number < state.settled[task] {
                let expected =
                    "a job with a record: functions of the program took too long, so records found no room";
                return Err(Fault::usage("number", number, expected));
            }
            match &state.ended[partition] {
                Some(Some(lost)) => {
                    let text = format!("partition {partition}: {lost}");
                    return Err(Fault {
                        kind: Kind::Lost,
                        text,
                    });
                }
                Some(None) => {
                    let expected = "a job that completed before the stop";
                    return Err(Fault::usage("number", number, expected));
                }
                None => {}
            }
            let now = Instant::now();
            let rest = end.map_or(Duration::from_secs(3600), |end| {
                end.saturating_duration_since(now)
            });
            if rest.is_zero() {
                let expected = format!("its completion within {timeout:?}");
                return Err(Fault::new(Kind::Timeout, "number", number, expected));
            }
            let waited = self.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns whether the dispatcher of `partition` has ended, and its error.
    pub fn ended(&self, partition: usize) -> Option<Option<String>> {
        self.lock().ended[partition].clone()
    }

    /// Returns all kept jobs of `task`.
    pub fn of(&self, task: usize) -> Vec<Record> {
        self.lock().tasks[task].iter().copied().collect()
    }
}
