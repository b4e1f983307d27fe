//! Outgoing requests of an SM.

use crate::memory::request::Request;
use crate::memory::ring::Ring;

/// Requests that an SM has sent. A request waits here until the cycle when it enters the port of the SM at the
/// crossbar.
#[derive(Debug)]
pub struct Outbox {
    sent: Ring<(u64, Request)>,
    /// Number of free places at the port of the SM.
    free: usize,
}

impl Outbox {
    /// Creates an empty outbox whose port has no free place.
    pub fn new() -> Self {
        Self {
            sent: Ring::new(),
            free: 0,
        }
    }

    /// Sets the number of free places at the port.
    pub fn open(&mut self, free: usize) {
        self.free = free;
    }

    /// Returns the number of requests that have not yet entered the port.
    pub fn len(&self) -> usize {
        self.sent.len()
    }

    /// Returns the number of free places at the port.
    pub fn free(&self) -> usize {
        self.free
    }

    /// Returns whether the SM can send another request.
    pub fn has_room(&self) -> bool {
        self.free > 0
    }

    /// Sends a request in cycle `now`.
    pub fn push(&mut self, now: u64, request: Request) {
        self.free = self.free.saturating_sub(1);
        self.sent.push_back((now, request));
    }

    /// Returns the cycle when the next request enters the port; `None` if the outbox is empty.
    pub fn next(&self) -> Option<u64> {
        self.sent.front().map(|&(at, _)| at)
    }

    /// Removes and returns the next request if it enters the port in cycle `now`.
    pub fn pop(&mut self, now: u64) -> Option<Request> {
        match self.next() == Some(now) {
            true => self.sent.pop_front().map(|(_, request)| request),
            false => None,
        }
    }
}
