//! Simulation of SMs some cycles ahead of the rest of the GPU.
//!
//! The state of an SM occupies a large part of the cache of the host processor. For speed, gpusched therefore simulates
//! several cycles of one SM before it continues with the next SM. The results equal the results of a cycle-by-cycle
//! simulation under three conditions:
//!
//! * All replies that the SM can receive in these cycles are known. A known reply waits at the
//!   port, or it reaches the port in a cycle that the memory side has already simulated
//!   ([`lead`](super::lead)). Every other reply needs one more cycle to pass the port.
//! * No block can start on the SM: no waiting block has room on the SM, and no block of the SM
//!   ends. Blocks that end on other SMs do not free resources on this SM.
//! * The port has room for all requests that the SM can send. Each request enters the port in the cycle when the SM
//!   sends it.
//!
//! The tests compare the results with a cycle-by-cycle simulation of each SM.

use crate::gpu::{Gpu, NEVER};
use crate::memory::Outbox;

/// State of an SM that is ahead of the rest of the GPU: its requests and wake-up times in cycles
/// that the rest of the GPU has not yet simulated.
#[derive(Debug)]
pub struct Ahead {
    /// First cycle that the SM has not yet simulated.
    pub until: u64,
    /// Next cycle when the SM has work, even if no new reply arrives.
    wake: u64,
    /// Requests that the SM has sent.
    out: Outbox,
    /// Largest number of cycles by which the SM was ahead of the rest of the GPU.
    #[cfg(test)]
    most: u64,
}

/// Maximum number of requests that an SM sends per cycle.
const PER_CYCLE: usize = 2;

impl Ahead {
    /// Creates the state of an SM that has not started.
    pub fn new() -> Self {
        Self {
            until: 0,
            wake: NEVER,
            out: Outbox::new(),
            #[cfg(test)]
            most: 0,
        }
    }
}

impl Gpu<'_> {
    /// Returns whether SMs may run ahead of the rest of the GPU.
    pub(in crate::gpu) fn may_go_ahead(&self) -> bool {
        self.skips
            && self.enough == usize::MAX
            && self.machine.sms_per_cluster == 1
            && self.gpcs.is_none()
            && !self.machine.dispatch.share_sms
            && !self.classes.shares()
            // A request of a memory client can change the memory side in each cycle.
            && self.below.clients.is_empty()
            // The end of a kernel on one SM can start a kernel on other SMs.
            && self.kernels.iter().all(|kernel| kernel.queue.is_none() && !kernel.repeats)
    }

    /// Returns the first cycle that SM `index` must not yet simulate. Before this cycle, all replies to the SM are
    /// known, and its port has room for its requests.
    fn horizon(&self, index: usize) -> u64 {
        let next = self.now + 1;
        if !self.goes_ahead {
            return next;
        }
        // If the core and the crossbar have equal clocks, their edges coincide. In this case, a reply that enters the
        // crossbar output at an edge leaves the output one cycle later.
        let clocks = &self.machine.clocks;
        let together = u64::from(clocks.core_khz == clocks.interconnect_khz);
        let known = self.below.now + 1 + together;
        let room = self.requests.room(index) / PER_CYCLE;
        known
            .min(self.now + room as u64)
            .min(self.dispatcher.rests_until())
            .max(next)
    }

    /// Simulates SM `index` in this cycle. Continues with further cycles while all replies to the
    /// SM are known and its port has room.
    pub(in crate::gpu) fn go_ahead(&mut self, index: usize) {
        let horizon = self.horizon(index);
        let cluster = index / self.machine.sms_per_cluster as usize;
        let room = self.room(cluster);
        let (sm, ahead) = (&mut self.sms[index], &mut self.ahead[index]);
        let (port, replies) = (&mut self.ports[cluster], &mut self.below.replies);
        ahead.out.open(room);
        let mut cycle = self.now;
        loop {
            sm.cycle(cycle, &mut ahead.out);
            cycle += 1;
            ahead.wake = sm.wakes_at(cycle).unwrap_or(NEVER);
            if cycle >= horizon || sm.is_empty() || sm.stops() {
                break;
            }
            let next = ahead.wake.min(port.next(cycle, replies)).max(cycle);
            if next >= horizon {
                break;
            }
            cycle = next;
            port.move_up(cycle, replies);
            if sm.accepts()
                && let Some(answer) = port.pop(cycle)
            {
                sm.answer(answer);
            }
        }
        ahead.until = cycle;
        #[cfg(test)]
        {
            ahead.most = ahead.most.max(cycle - self.now);
        }
    }

    /// Moves the requests that SM `index` sends in this cycle to the port of its cluster.
    pub(in crate::gpu) fn send(&mut self, index: usize) {
        let port = index / self.machine.sms_per_cluster as usize;
        while let Some(mut request) = self.ahead[index].out.pop(self.now) {
            request.slice = self.parts.slice(request.kernel, request.address) as u8;
            self.request(port, request);
        }
    }

    /// Returns the next cycle when SM `index` has work. The result may be the current cycle.
    pub(in crate::gpu) fn next_of(&self, index: usize) -> u64 {
        let ahead = &self.ahead[index];
        let stopped = match self.sms[index].stops() {
            true => ahead.until - 1,
            false => NEVER,
        };
        let next = ahead.wake.min(stopped).min(ahead.out.next().unwrap_or(NEVER));
        match self.goes_ahead {
            true => next.min(self.ports[index].next(ahead.until, &self.below.replies)),
            false => next,
        }
    }
}

#[cfg(test)]
#[path = "ahead_tests.rs"]
mod tests;
