//! Queue of events in time order. The queue returns events with equal times in the order of their
//! insertion.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use gpusched_model::time::Time;

/// A queue of events in time order. If several events have equal times, the queue first returns the event that
/// was scheduled first.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Entry<E>>>,
    scheduled: u64,
}

#[derive(Clone, Debug)]
struct Entry<E> {
    /// Time of the event and its sequence number, packed into one integer. Therefore one
    /// comparison determines the order.
    key: u128,
    event: E,
}

impl<E> Entry<E> {
    fn time(&self) -> Time {
        Time::from_ns((self.key >> 64) as u64)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Entry<E>) -> bool {
        self.key == other.key
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Entry<E>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Entry<E>) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> EventQueue<E> {
        EventQueue {
            heap: BinaryHeap::new(),
            scheduled: 0,
        }
    }
}

impl<E> EventQueue<E> {
    /// Schedules `event` for time `time`.
    pub fn push(&mut self, time: Time, event: E) {
        let key = u128::from(time.ns()) << 64 | u128::from(self.scheduled);
        self.scheduled += 1;
        self.heap.push(Reverse(Entry { key, event }));
    }

    /// Returns the time of the next event, or `None` if the queue is empty.
    pub fn next_time(&self) -> Option<Time> {
        self.heap.peek().map(|entry| entry.0.time())
    }

    /// Removes the next event and returns it with its time.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let Reverse(entry) = self.heap.pop()?;
        Some((entry.time(), entry.event))
    }

    /// Removes and returns the next event if its time is at most `time`. Returns `None` if no
    /// such event exists.
    pub fn pop_until(&mut self, time: Time) -> Option<E> {
        match self.next_time()? <= time {
            true => self.pop().map(|(_, event)| event),
            false => None,
        }
    }
}
