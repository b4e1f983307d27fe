//! What is below the SMs, some cycles ahead of them.
//!
//! A request that comes to a slice of L2 is looked at `rop_latency` cycles later. So what happens below in the cycles up to then is
//! known, as long as
//!
//! * the outputs of the crossbar of replies have room: when the SMs take answers is not known yet. With a place for each reply
//!   that can come to them, they have room whatever the SMs do; else all go in step for a cycle.
//!
//! An SM is never so far ahead that its port takes what leaves the crossbar in an instant that is still to come below, before the
//! replies of that instant: so places that its port has freed are free.
//!
//! What the SMs see of it is that of their cycle: slices say for each of these cycles whether a request could come in
//! ([`Slice::accepts`](crate::memory::Slice::accepts)), replies when they come to the output, and sectors that moved are
//! counted by cycle ([`Late`](super::late::Late)), as the run may end before.
//!
//! The SMs then know all answers of those cycles ([`ahead`](super::ahead)). When they have caught up, it goes on.

use super::clocks::{Domain, Edges};
use crate::gpu::Gpu;
use crate::gpu::memory_side::below::Below;

/// The most cycles.
const MOST: u64 = 120;

impl Below {
    /// Goes on up to cycle `wanted`, or as far as the outputs of the crossbar surely have room; `edges` are those at the end of the
    /// last cycle.
    fn run(&mut self, edges: &Edges, wanted: u64, arriving: usize) {
        #[cfg(test)]
        let from = self.now;
        let mut edges = edges.clone();
        let roomy = self.replies.free_places() / arriving;
        let until = wanted.min(self.now + roomy as u64);
        self.late.begin(self.now, until);
        while self.now < until {
            let next = self.next_event(&edges).min(until);
            if next > self.now {
                edges.skip_to(next);
                self.now = next;
                continue;
            }
            let cycle = self.now;
            while self.now == cycle {
                edges.pass_dram(self.partition_wakes.earliest());
                let ticks = edges.advance();
                self.begin(ticks, &edges, true);
                if ticks[Domain::L2 as usize] {
                    for index in self.slice_wakes.due(self.now).iter() {
                        self.slice_cycle(index, edges.count(Domain::L2));
                    }
                }
                self.end(ticks, &edges);
            }
            self.busy_until = self.now;
        }
        #[cfg(test)]
        {
            self.most = self.most.max(self.now - from);
            self.waits += u64::from(until < wanted);
        }
    }
}

impl Gpu<'_> {
    /// The most cycles for which what is below may be ahead of the SMs.
    pub(in crate::gpu) fn lead(&self) -> u64 {
        match self.may_go_ahead() && self.untouched.is_none() {
            true => u64::from(self.machine.memory.rop_latency).min(MOST),
            false => 0,
        }
    }

    /// If the SMs have caught up with what is below, that goes ahead again.
    pub(in crate::gpu) fn lead_on(&mut self) {
        if self.lead == 0 || self.below.now > self.now {
            return;
        }
        let replies = &mut self.below.replies;
        for port in &mut self.ports {
            port.move_up(self.now, replies);
        }
        let clocks = &self.machine.clocks;
        let arriving = clocks.interconnect_khz.div_ceil(clocks.core_khz.max(1)) as usize + 1;
        self.below.run(&self.edges, self.now + self.lead, arriving);
        for (index, port) in self.ports.iter().enumerate() {
            let next = port.next(self.ahead[index].until, &self.below.replies);
            self.sm_wakes[index] = self.sm_wakes[index].min(next);
            self.responding.set(index, !port.is_empty());
        }
    }

    /// The instant of `ticks` for what is below, in step with the SMs.
    pub(in crate::gpu) fn in_step(&mut self, ticks: [bool; 4]) {
        if ticks[Domain::Core as usize] {
            self.take_responses();
        }
        self.below.begin(ticks, &self.edges, self.skips);
        if ticks[Domain::L2 as usize] {
            self.l2_cycle();
        }
        self.below.end(ticks, &self.edges);
    }
}
