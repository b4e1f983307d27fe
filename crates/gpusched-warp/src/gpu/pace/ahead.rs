//! SMs that are some cycles ahead of the rest of the GPU.
//!
//! The state of an SM fills a good part of the processor's cache, so it is used for several cycles in a row where that is the same
//! as going cycle by cycle with the others. It is, as long as
//!
//! * it is known which answers come to the SM: those that have come to its port, or will in the cycles for which what is below
//!   the SMs is ahead of them ([`lead`](super::lead)). A later one takes a cycle to get through the port;
//! * no block can start on it: none that waits has room, and no block of the SM ends. Blocks that end elsewhere make room there;
//! * its port has room for all that it can send. What it sends comes to the port in the cycle in which it is sent.
//!
//! The tests compare with a run in which each SM goes cycle by cycle.

use crate::gpu::{Gpu, NEVER};
use crate::memory::Outbox;

/// What an SM did in cycles that are still to come for the others.
#[derive(Debug)]
pub struct Ahead {
    /// It is through with the cycles before this one.
    pub until: u64,
    /// The cycle from which on it has something to do if no answer comes.
    wake: u64,
    /// What it sent.
    out: Outbox,
    /// The most cycles it was ahead.
    #[cfg(test)]
    most: u64,
}

/// Requests that an SM can send in a cycle, at most.
const PER_CYCLE: usize = 2;

impl Ahead {
    /// Of an SM that has done nothing.
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
    /// Whether SMs may go ahead of the others at all.
    pub(in crate::gpu) fn may_go_ahead(&self) -> bool {
        self.skips
            && self.enough == usize::MAX
            && self.machine.sms_per_cluster == 1
            && !self.machine.dispatch.share_sms
            && !self.classes.shares()
    }

    /// The cycle up to which what comes to SM `index` is known, and what it sends has room.
    fn horizon(&self, index: usize) -> u64 {
        let next = self.now + 1;
        if !self.goes_ahead {
            return next;
        }
        // What comes to the crossbar's output in the instants in which answers leave it can do so in the next cycle only.
        let clocks = &self.machine.clocks;
        let together = u64::from(clocks.core_khz == clocks.interconnect_khz);
        let known = self.below.now + 1 + together;
        let room = self.requests.room(index) / PER_CYCLE;
        known
            .min(self.now + room as u64)
            .min(self.dispatcher.rests_until())
            .max(next)
    }

    /// SM `index` goes through this cycle, and through others while it is known what comes to it.
    pub(in crate::gpu) fn go_ahead(&mut self, index: usize) {
        let horizon = self.horizon(index);
        let cluster = index / self.machine.sms_per_cluster as usize;
        let (sm, ahead) = (&mut self.sms[index], &mut self.ahead[index]);
        let (port, replies) = (&mut self.ports[cluster], &mut self.below.replies);
        ahead.out.open(self.requests.room(cluster));
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
                && let Some(answer) = port.pop()
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

    /// What SM `index` sends in this cycle comes to its port.
    pub(in crate::gpu) fn send(&mut self, index: usize) {
        let port = index / self.machine.sms_per_cluster as usize;
        while let Some(mut request) = self.ahead[index].out.pop(self.now) {
            request.slice = self.decoder.slice(request.address) as u8;
            self.requests.push(port, request.slice.into(), request);
        }
    }

    /// The cycle, this one or a later one, from which on there is something to do for SM `index`.
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
