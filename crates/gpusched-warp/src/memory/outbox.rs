//! The way out of an SM.

use super::super::request::Request;
use super::super::ring::Ring;

/// What an SM sends: requests wait here for the cycle in which they come to its port at the crossbar.
#[derive(Debug)]
pub struct Outbox {
    sent: Ring<(u64, Request)>,
    /// Places of the port that are left.
    free: usize,
}

impl Outbox {
    /// Nothing has been sent, and nothing can be.
    pub fn new() -> Self {
        Self {
            sent: Ring::new(),
            free: 0,
        }
    }

    /// The port has `free` places now.
    pub fn open(&mut self, free: usize) {
        self.free = free;
    }

    /// Whether another request can be sent.
    pub fn has_room(&self) -> bool {
        self.free > 0
    }

    /// A request is sent in cycle `now`.
    pub fn push(&mut self, now: u64, request: Request) {
        self.free = self.free.saturating_sub(1);
        self.sent.push_back((now, request));
    }

    /// The cycle in which the next request comes to the port.
    pub fn next(&self) -> Option<u64> {
        self.sent.front().map(|&(at, _)| at)
    }

    /// The next request, if it comes to the port in cycle `now`.
    pub fn pop(&mut self, now: u64) -> Option<Request> {
        match self.next() == Some(now) {
            true => self.sent.pop_front().map(|(_, request)| request),
            false => None,
        }
    }
}
