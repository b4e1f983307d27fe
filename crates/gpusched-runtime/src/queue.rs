//! The queue of records from the dispatchers to the thread that keeps them.
//!
//! A dispatcher never waits. If the queue is full, the record of a job is lost, but the job counts as completed. The receiver learns of each
//! lost record, and never calls a record lost that still arrives: it reads the numbers of the lost records before it looks into the queue. If
//! the queue is then empty, it has passed all records before them.
//!
//! Each public function is one step that other threads see, except [`Reporter::completed`] and [`Inbox::receive`], which combine them. A test
//! tries all orders of the steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;

/// Counts of completed jobs, by position of the task in the set.
#[derive(Debug)]
pub struct Progress {
    completed: Vec<AtomicU64>,
    /// One more than the number of the last job whose record found no room in the queue. 0 if each record found room.
    lost: Vec<AtomicU64>,
    /// Number of records that found no room.
    unrecorded: AtomicU64,
}

impl Progress {
    /// Creates the counts of a number of tasks.
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

/// Creates a queue with `places` for messages. `progress` counts the jobs of all dispatchers.
pub fn queue<E>(places: usize, progress: &Arc<Progress>) -> (Reporter<E>, Inbox<E>) {
    let (sender, events) = sync_channel(places);
    let reporter = Reporter {
        events: sender,
        progress: Arc::clone(progress),
    };
    let inbox = Inbox {
        events,
        progress: Arc::clone(progress),
        settled: 0,
    };
    (reporter, inbox)
}

/// The end of the queue for a dispatcher.
#[derive(Debug)]
pub struct Reporter<E> {
    events: SyncSender<E>,
    progress: Arc<Progress>,
}

impl<E> Clone for Reporter<E> {
    fn clone(&self) -> Reporter<E> {
        Reporter {
            events: self.events.clone(),
            progress: Arc::clone(&self.progress),
        }
    }
}

impl<E> Reporter<E> {
    /// Reports that job `number` of `task` has completed. The jobs of a task complete in the order of their numbers.
    pub fn completed(&self, (task, number): (usize, u64), record: E) {
        self.count(task);
        if !self.offer(record) {
            self.miss(task, number);
        }
    }

    /// Counts a completed job of `task`.
    pub fn count(&self, task: usize) {
        self.progress.completed[task].fetch_add(1, Ordering::Release);
    }

    /// Puts a record into the queue. Returns whether it found room.
    pub fn offer(&self, record: E) -> bool {
        self.events.try_send(record).is_ok()
    }

    /// States that the record of job `number` of `task` found no room.
    pub fn miss(&self, task: usize, number: u64) {
        self.progress.lost[task].store(number.saturating_add(1), Ordering::Release);
        self.progress.unrecorded.fetch_add(1, Ordering::Release);
    }

    /// Puts the last message of a dispatcher into the queue. Waits for room.
    pub fn last(&self, event: E) {
        // After the end of the receiver, the message has no use.
        let _ = self.events.send(event);
    }
}

/// The end of the queue for the thread that keeps the records.
#[derive(Debug)]
pub struct Inbox<E> {
    events: Receiver<E>,
    progress: Arc<Progress>,
    /// Number of lost records that [`Next::Lost`] has covered.
    settled: u64,
}

/// Lost records, read before a look into the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Before {
    unrecorded: u64,
    lost: Option<Vec<u64>>,
}

/// Result of a look into the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next<E> {
    /// A message.
    Event(E),
    /// By task: no record of a job with a smaller number arrives any more.
    Lost(Vec<u64>),
    /// No message at this time.
    Empty,
    /// All dispatchers have ended.
    End,
}

/// Time between two looks at lost records.
const TICK: Duration = Duration::from_millis(20);

impl<E> Inbox<E> {
    /// Returns the next message, or news about lost records. Waits for them.
    pub fn receive(&mut self) -> Next<E> {
        loop {
            let before = self.before();
            match self.look(before) {
                Next::Empty => {}
                next => return next,
            }
            match self.events.recv_timeout(TICK) {
                Ok(event) => return Next::Event(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Next::End,
            }
        }
    }

    /// Returns the lost records at this time.
    pub fn before(&self) -> Before {
        let unrecorded = self.progress.unrecorded();
        let lost = (unrecorded != self.settled).then(|| {
            let numbers = self.progress.lost.iter();
            numbers.map(|number| number.load(Ordering::Acquire)).collect()
        });
        Before { unrecorded, lost }
    }

    /// Looks into the queue. If it is empty, no record before the lost records of `before` arrives any more.
    pub fn look(&mut self, before: Before) -> Next<E> {
        match (self.events.try_recv(), before.lost) {
            (Ok(event), _) => Next::Event(event),
            (Err(TryRecvError::Disconnected), _) => Next::End,
            (Err(TryRecvError::Empty), None) => Next::Empty,
            (Err(TryRecvError::Empty), Some(lost)) => {
                self.settled = before.unrecorded;
                Next::Lost(lost)
            }
        }
    }
}
