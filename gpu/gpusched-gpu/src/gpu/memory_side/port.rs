//! The port where replies for the SMs of a cluster leave the crossbar. In each cycle, at most one
//! reply enters the port, and at most one reply leaves the port.

use crate::gpu::pace::wakes::NEVER;
use crate::memory::Crossbar;
use crate::memory::request::Request;
use crate::memory::ring::Ring;

/// Port of a cluster, where replies from memory wait for their SM.
#[derive(Debug)]
pub struct Port {
    /// Number of the port, which equals the number of the crossbar output.
    number: usize,
    /// Replies that have left the crossbar and wait for their SM.
    waiting: Ring<Request>,
    places: usize,
    /// First cycle whose transfers from the crossbar into the port are not yet simulated.
    clock: u64,
}

impl Port {
    /// Creates port `number` with room for `places` waiting replies.
    pub fn new(number: usize, places: usize) -> Self {
        Self {
            number,
            waiting: Ring::new(),
            places,
            clock: 0,
        }
    }

    /// Returns whether no reply waits at the port.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the oldest reply.
    pub fn first(&self) -> Option<&Request> {
        self.waiting.front()
    }

    /// Removes and returns the oldest reply.
    pub fn pop(&mut self) -> Option<Request> {
        self.waiting.pop_front()
    }

    /// Simulates the transfers from the crossbar into the port in all cycles before `before`. The
    /// memory side must have simulated these cycles.
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

    /// Returns the first cycle, from `cycle` on, when a reply can leave the port. Returns
    /// [`NEVER`] if the port and the crossbar output contain no reply.
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
