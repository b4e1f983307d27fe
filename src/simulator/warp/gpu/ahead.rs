//! SMs that are some cycles ahead of the rest of the GPU.
//!
//! The state of an SM fills a good part of the processor's cache, so it is used for several cycles in a row where that is the same
//! as going cycle by cycle with the others. It is, as long as
//!
//! * it is known which answers come to the SM: those that wait at its port, one per cycle. One that is not there yet comes behind
//!   them, and not before it has gone through the port ([`known`]); if nothing is under way to the port, it has to come from L2,
//!   where the next request of the SM arrives in a cycle that is known ([`after_l2`]);
//! * no block can start on it: none that waits has room, and no block of the SM ends. Blocks that end elsewhere make room there;
//! * its port has room for all that it can send. What it sends comes to the port in the cycle in which it is sent.
//!
//! The tests compare with a run in which each SM goes cycle by cycle.

use super::super::memory::Outbox;
use super::super::ring::Ring;
use super::{Gpu, NEVER};

/// What an SM did in cycles that are still to come for the others.
#[derive(Debug)]
pub struct Ahead {
    /// It is through with the cycles before this one.
    pub until: u64,
    /// The cycle from which on it has something to do if no answer comes.
    wake: u64,
    /// What it sent.
    out: Outbox,
    /// The cycles in which it took an answer.
    taken: Ring<u64>,
    /// Its requests on their way into slices of L2, with the cycle from which on they are there.
    before_l2: Ring<u64>,
    /// Its requests that are there, with those whose answers are under way.
    answered_next: usize,
    /// The most cycles it was ahead.
    #[cfg(test)]
    most: u64,
}

/// The most cycles in a row.
const MOST: u64 = 32;

/// Requests that an SM can send in a cycle, at most.
const PER_CYCLE: usize = 2;

impl Ahead {
    /// Of an SM that has done nothing.
    pub fn new() -> Self {
        Self {
            until: 0,
            wake: NEVER,
            out: Outbox::new(),
            taken: Ring::new(),
            before_l2: Ring::new(),
            answered_next: 0,
            #[cfg(test)]
            most: 0,
        }
    }

    /// A request of the SM is in a slice of L2 from cycle `at` on, which is not before that of the last one.
    pub fn asked(&mut self, at: u64) {
        self.before_l2.push_back(at);
    }

    /// An answer came to the SM; that the request was there may be counted later.
    pub fn answered(&mut self) {
        self.answered_next = self.answered_next.wrapping_sub(1);
    }

    /// The cycle, after `now`, from which on a request of the SM can be in a slice of L2, each of which takes `latency` cycles on its
    /// way in; `None` if one is there, or its answer is under way.
    fn next_in_l2(&mut self, now: u64, latency: u64) -> Option<u64> {
        while self.before_l2.front().is_some_and(|&at| at <= now) {
            self.before_l2.pop_front();
            self.answered_next = self.answered_next.wrapping_add(1);
        }
        let later = now + 1 + latency;
        (self.answered_next == 0).then(|| self.before_l2.front().map_or(later, |&at| at.min(later)))
    }

    /// Whether the SM took an answer in cycle `now`, with which it is through.
    pub fn took(&mut self, now: u64) -> bool {
        let took = self.taken.front() == Some(&now);
        if took {
            self.taken.pop_front();
        }
        took
    }
}

/// How many cycles go by, at least, before an answer comes that is not at the port yet, if `waiting` have left the crossbar and
/// `behind` are at its output: each takes a cycle, and a first one moves up for a cycle. One that comes into the crossbar's output
/// in the same instants in which answers leave it (`together`) can do so in the next cycle only.
fn known(waiting: usize, behind: usize, together: bool) -> u64 {
    let moves_up = u64::from(waiting == 0);
    let least = if together { 3 } else { 2 };
    (1 + moves_up + (waiting + behind) as u64).max(least)
}

/// The first cycle in which an answer to a request can be taken that is in a slice of L2 from cycle `at` on. If the crossbar, L2 and
/// the SMs have the same clock (`together`), it is looked up in the next cycle, and its answer sent in the one after that; it comes
/// to the port, and to the SM.
fn after_l2(at: u64, together: bool) -> u64 {
    at + if together { 4 } else { 1 }
}

impl Gpu<'_> {
    /// Whether SMs may go ahead of the others at all.
    pub(super) fn may_go_ahead(&self) -> bool {
        self.skips
            && self.enough == usize::MAX
            && self.machine.sms_per_cluster == 1
            && !self.machine.dispatch.share_sms
            && !self.classes.shares()
    }

    /// The cycle up to which what comes to SM `index` is known.
    fn horizon(&mut self, index: usize) -> u64 {
        let next = self.now + 1;
        if !self.goes_ahead {
            return next;
        }
        let clocks = &self.machine.clocks;
        let together = clocks.core_khz == clocks.interconnect_khz;
        let (waiting, behind) = (self.responses[index].len(), self.replies.at(index).len());
        let mut horizon = self.now + known(waiting, behind, together);
        let latency = u64::from(self.machine.memory.rop_latency);
        if let Some(at) = self.ahead[index].next_in_l2(self.now, latency) {
            horizon = horizon.max(after_l2(at, together && clocks.core_khz == clocks.l2_khz));
        }
        let horizon = horizon.min(self.now + MOST);
        let room = self.requests.room(index) >= MOST as usize * PER_CYCLE;
        match room && self.dispatcher.rests_until(horizon) {
            true => horizon,
            false => next,
        }
    }

    /// SM `index` goes through this cycle, and through others while it is known what comes to it and something happens.
    pub(super) fn go_ahead(&mut self, index: usize) {
        let horizon = self.horizon(index);
        let port = index / self.machine.sms_per_cluster as usize;
        let places = self.machine.interconnect.ejection_buffer as usize;
        let (sm, ahead) = (&mut self.sms[index], &mut self.ahead[index]);
        let (responses, replies) = (&self.responses[port], self.replies.at(port));
        let (mut waiting, mut behind, mut taken) = (responses.len(), replies.len(), 0);
        ahead.out.open(self.requests.room(port));
        let mut cycle = self.now;
        loop {
            sm.cycle(cycle, &mut ahead.out);
            cycle += 1;
            ahead.wake = sm.wakes_at(cycle).unwrap_or(NEVER);
            if cycle >= horizon || sm.is_empty() || sm.stops() {
                break;
            }
            // As answers are taken, in the next cycle.
            let first = responses
                .get(taken)
                .or_else(|| replies.get(taken - responses.len()));
            if waiting > 0
                && sm.accepts()
                && let Some(&answer) = first
            {
                sm.answer(answer);
                ahead.taken.push_back(cycle);
                (waiting, taken) = (waiting - 1, taken + 1);
            } else if ahead.wake > cycle {
                break;
            }
            if waiting < places && behind > 0 {
                (waiting, behind) = (waiting + 1, behind - 1);
            }
        }
        ahead.until = cycle;
        #[cfg(test)]
        {
            ahead.most = ahead.most.max(cycle - self.now);
        }
    }

    /// What SM `index` sends in this cycle comes to its port.
    pub(super) fn send(&mut self, index: usize) {
        let port = index / self.machine.sms_per_cluster as usize;
        while let Some(mut request) = self.ahead[index].out.pop(self.now) {
            request.slice = self.decoder.slice(request.address) as u16;
            self.requests.push(port, request.slice, request);
        }
    }

    /// The cycle, this one or a later one, from which on there is something to do for SM `index`.
    pub(super) fn next_of(&self, index: usize) -> u64 {
        let ahead = &self.ahead[index];
        let stopped = match self.sms[index].stops() {
            true => ahead.until - 1,
            false => NEVER,
        };
        ahead.wake.min(stopped).min(ahead.out.next().unwrap_or(NEVER))
    }
}

#[cfg(test)]
#[path = "ahead_tests.rs"]
mod tests;
