//! Simulation of the memory side some cycles ahead of the SMs.
//!
//! A slice of L2 processes a request `rop_latency` cycles after its arrival. New requests of the
//! SMs therefore cannot affect the memory side in the next `rop_latency` cycles. gpusched can
//! simulate these cycles of the memory side before the SMs, under one condition:
//!
//! * The outputs of the crossbar have a free place for each possible reply. The cycles where the SMs accept replies
//!   are not known yet. With enough free places, these cycles do not affect the memory side. If there are too few free
//!   places, gpusched simulates all parts of the GPU in step, one cycle at a time.
//!
//! A port accepts the replies of a cycle only after the memory side has simulated this cycle. If the port frees a
//! place, this place is therefore also free in all later cycles of the memory side.
//!
//! While the memory side is ahead, the SMs need its state in an earlier cycle. Three records
//! provide the necessary data:
//!
//! * Each slice records for each cycle whether the slice could accept a request
//!   ([`Slice::accepts`](crate::memory::Slice::accepts)).
//! * Each reply records the cycle when it reaches the crossbar output.
//! * [`Meter`](crate::gpu::memory_side::meter::Meter) keeps the traffic of these cycles, because the run may end before
//!   the last of these cycles.
//!
//! The SMs then know all replies of these cycles, so gpusched can also simulate each SM ahead
//! ([`ahead`](super::ahead)). When all SMs have simulated these cycles, the memory side
//! continues.

use super::clocks::{Domain, Edges};
use crate::gpu::Gpu;
use crate::gpu::memory_side::below::Below;

/// Maximum number of cycles by which the memory side may be ahead of the SMs.
const MOST: u64 = 120;

impl Below {
    /// Returns the last cycle up to `wanted` to which the memory side can be simulated without a crossbar output that may run
    /// out of room. At most `arriving` replies arrive at an output per core cycle.
    pub fn reach(&mut self, wanted: u64, arriving: usize) -> u64 {
        let roomy = self.replies.free_places() / arriving;
        let until = wanted.min(self.now + roomy as u64);
        #[cfg(test)]
        {
            self.waits += u64::from(until < wanted);
        }
        until
    }

    /// Simulates the memory side up to cycle `until`. `edges` are the clock edges at the end of the last cycle.
    pub fn run(&mut self, mut edges: Edges, until: u64) {
        #[cfg(test)]
        let from = self.now;
        self.meter.begin(until);
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
        self.edges = edges;
        #[cfg(test)]
        {
            self.most = self.most.max(self.now - from);
        }
    }
}

impl Gpu<'_> {
    /// Returns the maximum number of cycles by which the memory side may be ahead of the SMs.
    pub(in crate::gpu) fn lead(&self) -> u64 {
        match self.may_go_ahead() {
            true => u64::from(self.machine.memory.rop_latency).min(MOST),
            false => 0,
        }
    }

    /// Simulates further cycles of the memory side ahead of the SMs, if the SMs have simulated all its earlier cycles.
    pub(in crate::gpu) fn lead_on(&mut self) {
        if self.lead == 0 || self.below.now > self.now {
            return;
        }
        let until = self.reach(self.now + self.lead);
        self.below.run(self.edges.clone(), until);
        self.wake_for_replies();
    }

    /// Returns the last cycle up to `wanted` to which the memory side can be simulated before the SMs send further requests.
    pub(in crate::gpu) fn reach(&mut self, wanted: u64) -> u64 {
        let replies = &mut self.below.replies;
        for port in &mut self.ports {
            port.move_up(self.now, replies);
        }
        let clocks = &self.machine.clocks;
        let arriving = clocks.interconnect_khz.div_ceil(clocks.core_khz.max(1)) as usize + 1;
        self.below.reach(wanted.min(self.next_restart()), arriving)
    }

    /// Wakes the SMs whose ports have further replies.
    pub(in crate::gpu) fn wake_for_replies(&mut self) {
        for (index, port) in self.ports.iter().enumerate() {
            let first = index * self.machine.sms_per_cluster as usize;
            let next = port.next(self.ahead[first].until, self.below.replies.next_at(index));
            self.sm_wakes[first] = self.sm_wakes[first].min(next);
            self.responding.set(index, !port.is_empty());
        }
    }

    /// Simulates the clock edges `ticks` of the memory side, in step with the SMs.
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
