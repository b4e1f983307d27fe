//! The completed jobs of a session. A thread that is no dispatcher receives them, so that a slow program delays no job.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::fault::{Fault, Kind};
use crate::core::{Job, Record};

/// A message of a dispatcher. Tasks are positions in the task set.
enum Event {
    /// A job completed.
    Completed(Record),
    /// The dispatcher of a partition ended, perhaps with an error.
    Ended(usize, Option<String>),
}

/// A function of the user that receives completed jobs.
pub(super) type OnComplete = Box<dyn FnMut(&Record) + Send>;

/// Messages that fit into the queue of the thread that keeps the records.
const EVENTS: usize = 8192;
/// Time between two looks at records that found no room in the queue.
const TICK: Duration = Duration::from_millis(20);

/// Counts of completed jobs, by position of the task in the set.
pub(super) struct Progress {
    completed: Vec<AtomicU64>,
    /// One more than the number of the last job whose record found no room in the queue. 0 if each record found room.
    lost: Vec<AtomicU64>,
    /// Number of records that found no room.
    unrecorded: AtomicU64,
}

impl Progress {
    pub fn new(tasks: usize) -> Progress {
        let zeros = || (0..tasks).map(|_| AtomicU64::new(0)).collect();
        Progress {
            completed: zeros(),
            lost: zeros(),
            unrecorded: AtomicU64::new(0),
        }
    }

    /// Returns the number of completed jobs of `task`.
    pub fn completed(&self, task: usize) -> u64 {
        self.completed[task].load(Ordering::Acquire)
    }

    /// Returns the number of completed jobs without a record.
    pub fn unrecorded(&self) -> u64 {
        self.unrecorded.load(Ordering::Acquire)
    }
}

/// The end of the queue for the dispatcher of one partition.
pub(super) struct Reporter {
    events: SyncSender<Event>,
    progress: Arc<Progress>,
}

impl Reporter {
    /// Reports a completed job. A dispatcher never waits for the thread that keeps the records.
    pub fn completed(&self, record: Record) {
        let Job { task, number, .. } = record.job;
        self.progress.completed[task].fetch_add(1, Ordering::Release);
        if self.events.try_send(Event::Completed(record)).is_err() {
            self.progress.lost[task].store(number.saturating_add(1), Ordering::Release);
            self.progress.unrecorded.fetch_add(1, Ordering::Release);
        }
    }

    /// Reports the end of the dispatcher of `partition`, and the error that ended it early.
    pub fn ended(&self, partition: usize, lost: Option<&str>) {
        let _ = self.events.send(Event::Ended(partition, lost.map(str::to_owned)));
    }
}

/// The end of the queue for the thread that keeps the records.
pub(super) struct Inbox {
    events: Receiver<Event>,
    progress: Arc<Progress>,
}

/// Creates the queue from the dispatchers to the thread that keeps the records. Each call of the function creates the end of one dispatcher.
pub(super) fn queue(progress: &Arc<Progress>) -> (impl Fn() -> Reporter + use<>, Inbox) {
    let (sender, events) = sync_channel(EVENTS);
    let shared = Arc::clone(progress);
    let reporter = move || Reporter {
        events: sender.clone(),
        progress: Arc::clone(&shared),
    };
    let inbox = Inbox {
        events,
        progress: Arc::clone(progress),
    };
    (reporter, inbox)
}

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
    pub fn keep(&self, inbox: &Inbox, functions: &mut [Option<OnComplete>]) {
        let Inbox { events, progress } = inbox;
        let mut settled = 0;
        loop {
            // If the queue is empty after this look, it has no record before the records that found no room until now.
            let unrecorded = progress.unrecorded();
            let lost = (unrecorded != settled).then(|| {
                let numbers = progress.lost.iter();
                numbers.map(|number| number.load(Ordering::Acquire)).collect()
            });
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {
                    if let Some(lost) = lost {
                        self.lock().settled = lost;
                        settled = unrecorded;
                        self.changed.notify_all();
                    }
                    match events.recv_timeout(TICK) {
                        Ok(event) => event,
                        Err(RecvTimeoutError::Timeout) => continue,
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            };
            if let Some(record) = self.receive(event)
                && let Some(function) = &mut functions[record.job.task]
            {
                function(&record);
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
