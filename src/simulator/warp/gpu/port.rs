//! The port at which the answers for the SMs of a cluster leave the crossbar of replies: one per cycle comes, and one goes.

use super::super::memory::Crossbar;
use super::super::request::Request;
use super::super::ring::Ring;
use super::wakes::NEVER;

/// A port. It may be ahead of the crossbar, which then learns later that places became free at its output.
#[derive(Debug)]
pub struct Port {
    /// Its number, which is that of the crossbar's output.
    number: usize,
    /// Answers that have left the crossbar.
    waiting: Ring<Request>,
    places: usize,
    /// The cycle from which on answers are still to move up.
    clock: u64,
    /// Cycles from `since` on in which an answer left the crossbar that still occupies its place there, one bit each.
    left: u64,
    since: u64,
}

impl Port {
    /// The most cycles that a port can be ahead.
    pub const MOST: u64 = 62;

    /// Port `number`, at which `places` answers can wait.
    pub fn new(number: usize, places: usize) -> Self {
        Self {
            number,
            waiting: Ring::new(),
            places,
            clock: 0,
            left: 0,
            since: 0,
        }
    }

    /// Whether no answer waits here.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The answer that waited longest.
    pub fn first(&self) -> Option<&Request> {
        self.waiting.front()
    }

    /// The answer that waited longest, taken away.
    pub fn pop(&mut self) -> Option<Request> {
        self.waiting.pop_front()
    }

    /// Answers move up in the cycles before `before`. Where that is before cycle `now`, they free their places in the crossbar at
    /// once; later cycles are still to come there.
    pub fn move_up(&mut self, before: u64, now: u64, replies: &mut Crossbar<Request>) {
        while self.clock < before {
            let next = match replies.next_at(self.number) {
                Some(at) if at < before && self.waiting.len() < self.places => at.max(self.clock),
                _ => {
                    self.clock = before;
                    return;
                }
            };
            if let Some(answer) = replies.take(self.number) {
                self.waiting.push_back(answer);
            }
            if next < now {
                replies.free(self.number, 1);
            } else {
                self.left |= 1_u64.wrapping_shl(next.wrapping_sub(self.since) as u32);
            }
            self.clock = next + 1;
        }
    }

    /// What left the crossbar before cycle `now` has freed its place.
    pub fn release(&mut self, now: u64, replies: &mut Crossbar<Request>) {
        let cycles = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        if self.left == 0 {
            return;
        }
        let rest = self
            .left
            .checked_shr(u32::try_from(cycles).unwrap_or(u32::MAX))
            .unwrap_or(0);
        let released = self.left.count_ones() - rest.count_ones();
        replies.free(self.number, released as usize);
        self.left = rest;
    }

    /// The first cycle from `cycle` on in which an answer can be taken; [`NEVER`] if none is here.
    pub fn next(&self, cycle: u64, replies: &Crossbar<Request>) -> u64 {
        if !self.waiting.is_empty() {
            return cycle;
        }
        match replies.next_at(self.number) {
            Some(at) => (at.max(self.clock) + 1).max(cycle),
            None => NEVER,
        }
    }
}
