//! The port at which the answers for the SMs of a cluster leave the crossbar of replies: one per cycle comes, and one goes.

use crate::gpu::pace::wakes::NEVER;
use crate::memory::Crossbar;
use crate::request::Request;
use crate::ring::Ring;

/// A port.
#[derive(Debug)]
pub struct Port {
    /// Its number, which is that of the crossbar's output.
    number: usize,
    /// Answers that have left the crossbar.
    waiting: Ring<Request>,
    places: usize,
    /// The cycle from which on answers are still to move up.
    clock: u64,
}

impl Port {
    /// Port `number`, at which `places` answers can wait.
    pub fn new(number: usize, places: usize) -> Self {
        Self {
            number,
            waiting: Ring::new(),
            places,
            clock: 0,
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

    /// Answers move up in the cycles before `before`, by which what is below the SMs is to have got to the last of them.
    pub fn move_up(&mut self, before: u64, replies: &mut Crossbar<Request>) {
        while self.clock < before {
            let next = match replies.next_at(self.number) {
                Some(at) if at < before && self.waiting.len() < self.places => at.max(self.clock),
                _ => {
                    self.clock = before;
                    return;
                }
            };
            if let Some(answer) = replies.pop(self.number) {
                self.waiting.push_back(answer);
            }
            self.clock = next + 1;
        }
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
