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
    /// First cycle when the oldest reply can leave the port.
    first_since: u64,
    /// Number of cycles where the oldest reply belongs to a kernel, for each kernel. Counts replies that have left.
    held: Vec<u64>,
}

impl Port {
    /// Creates port `number` with room for `places` waiting replies to `kernels` kernels.
    pub fn new(number: usize, places: usize, kernels: usize) -> Self {
        Self {
            number,
            waiting: Ring::new(),
            places,
            clock: 0,
            first_since: 0,
            held: vec![0; kernels],
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

    /// Removes and returns the oldest reply in cycle `cycle`.
    pub fn pop(&mut self, cycle: u64) -> Option<Request> {
        let reply = self.waiting.pop_front()?;
        if let Some(held) = self.held.get_mut(usize::from(reply.kernel)) {
            *held += (cycle + 1).saturating_sub(self.first_since);
        }
        self.first_since = cycle + 1;
        Some(reply)
    }

    /// Returns for each kernel the number of cycles before `now` where the oldest reply belongs to the kernel.
    pub fn held(&self, now: u64) -> Vec<u64> {
        let mut held = self.held.clone();
        if let Some(count) = self
            .first()
            .and_then(|reply| held.get_mut(usize::from(reply.kernel)))
        {
            *count += now.saturating_sub(self.first_since);
        }
        held
    }

    /// Simulates the transfers from the crossbar into the port in all cycles before `before`. The
    /// memory side must have simulated these cycles.
    pub fn move_up(&mut self, before: u64, replies: &mut Crossbar<Request>) {
        self.take_from(&mut replies.outputs()[self.number], before);
        replies.note(self.number);
    }

    /// Does the same as [`Port::move_up`] with the queue of the crossbar output.
    pub fn take_from(&mut self, output: &mut Ring<(u64, Request)>, before: u64) {
        while self.clock < before {
            let next = match output.front() {
                Some(&(at, _)) if at < before && self.waiting.len() < self.places => at.max(self.clock),
                _ => {
                    self.clock = before;
                    return;
                }
            };
            if let Some((_, answer)) = output.pop_front() {
                if self.waiting.is_empty() {
                    self.first_since = next + 1;
                }
                self.waiting.push_back(answer);
            }
            self.clock = next + 1;
        }
    }

    /// Returns the reply that enters the port in cycle `cycle` if the port of the GPC passes it.
    pub fn entering<'r>(&self, cycle: u64, replies: &'r Crossbar<Request>) -> Option<&'r Request> {
        let (at, reply) = replies.first(self.number)?;
        (at <= cycle && self.waiting.len() < self.places).then_some(reply)
    }

    /// Lets no reply enter the port before cycle `before`.
    pub fn pause(&mut self, before: u64) {
        self.clock = before;
    }

    /// Returns the first cycle, from `cycle` on, when a reply can leave the port. `output` is the first cycle when the
    /// next reply at the crossbar output is available. Returns [`NEVER`] if the port and the output contain no reply.
    pub fn next(&self, cycle: u64, output: Option<u64>) -> u64 {
        if !self.waiting.is_empty() {
            return cycle;
        }
        match output {
            Some(at) => (at.max(self.clock) + 1).max(cycle),
            None => NEVER,
        }
    }
}
