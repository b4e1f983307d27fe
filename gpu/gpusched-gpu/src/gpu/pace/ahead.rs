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

use rayon::prelude::*;

use crate::gpu::memory_side::port::Port;
use crate::gpu::{Gpu, NEVER};
use crate::memory::Outbox;
use crate::memory::request::Request;
use crate::memory::ring::Ring;
use crate::sm::Sm;

/// State of an SM that is ahead of the rest of the GPU: its requests and wake-up times in cycles
/// that the rest of the GPU has not yet simulated.
#[derive(Debug)]
pub struct Ahead {
    /// First cycle that the SM has not yet simulated.
    pub until: u64,
    /// Next cycle when the SM has work, even if no new reply arrives.
    pub wake: u64,
    /// Requests that the SM has sent.
    out: Outbox,
    /// Largest number of cycles by which the SM was ahead of the rest of the GPU.
    #[cfg(test)]
    most: u64,
}

/// Maximum number of requests that an SM sends per cycle.
const PER_CYCLE: usize = 2;

/// Minimum number of clusters that several threads share.
const FEWEST: usize = 8;

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

    /// Simulates `cycle` of `sm`, whose port has `room` free places. Returns the number of places that stay free.
    fn step(&mut self, sm: &mut Sm, cycle: u64, room: usize) -> usize {
        self.out.open(room);
        sm.cycle(cycle, &mut self.out);
        self.wake = sm.wakes_at(cycle + 1).unwrap_or(NEVER);
        self.out.free()
    }
}

/// Cycles that the SMs of a cluster simulate.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    from: u64,
    /// First cycle after the stretch. The SMs may stop earlier.
    until: u64,
    /// Number of requests that the port of the cluster accepts.
    room: usize,
    /// Whether the SMs have not yet received the replies of the first cycle.
    receives: bool,
}

/// A cluster while its SMs run ahead.
struct Lane<'g> {
    sms: &'g mut [Sm],
    ahead: &'g mut [Ahead],
    port: &'g mut Port,
    /// Replies at the crossbar output of the cluster.
    output: &'g mut Ring<(u64, Request)>,
}

impl Lane<'_> {
    /// Simulates the SMs in the cycles of `stretch`. Stops earlier after a cycle that the GPU must handle.
    fn run(&mut self, stretch: Stretch) {
        let count = self.sms.len();
        let Stretch {
            from: mut cycle,
            until,
            mut room,
            mut receives,
        } = stretch;
        loop {
            if receives {
                self.receive(cycle);
            }
            receives = true;
            for position in 0..count {
                let core = (position + (cycle % count as u64) as usize) % count;
                let ahead = &mut self.ahead[core];
                if ahead.wake <= cycle {
                    room = ahead.step(&mut self.sms[core], cycle, room);
                }
            }
            cycle += 1;
            if cycle >= until || self.sms.iter().any(Sm::stops) || self.sms.iter().all(Sm::is_empty) {
                break;
            }
            let wake = self.ahead.iter().map(|ahead| ahead.wake).min().unwrap_or(NEVER);
            let output = self.output.front().map(|&(at, _)| at);
            let next = wake.min(self.port.next(cycle, output)).max(cycle);
            if next >= until {
                break;
            }
            cycle = next;
        }
        for ahead in &mut *self.ahead {
            ahead.until = cycle;
        }
    }

    /// Delivers the first reply at the port in cycle `cycle`, if its SM accepts it.
    fn receive(&mut self, cycle: u64) {
        self.port.take_from(self.output, cycle);
        let Some(reply) = self.port.first() else { return };
        let core = usize::from(reply.sm) % self.sms.len();
        if self.sms[core].accepts()
            && let Some(reply) = self.port.pop(cycle)
        {
            self.sms[core].answer(reply);
            self.ahead[core].wake = cycle;
        }
    }
}

impl Gpu<'_> {
    /// Returns whether SMs may run ahead of the rest of the GPU.
    pub(in crate::gpu) fn may_go_ahead(&self) -> bool {
        self.skips
            && self.enough == usize::MAX
            && self.gpcs.is_none()
            && !self.machine.dispatch.share_sms
            && !self.classes.shares()
            // A request of a memory client can change the memory side in each cycle.
            && self.below.clients.is_empty()
            // The end of a kernel on one SM can start a kernel on other SMs.
            && self.kernels.iter().all(|kernel| kernel.queue.is_none() && !kernel.repeats)
    }

    /// Returns the first cycle that the SMs of a cluster must not yet simulate. Before this cycle, all replies to them are
    /// known, and the `room` at their port suffices for their requests from cycle `from` on.
    fn horizon(&self, from: u64, room: usize) -> u64 {
        // If the core and the crossbar have equal clocks, their edges coincide. In this case, a reply that enters the
        // crossbar output at an edge leaves the output one cycle later.
        let clocks = &self.machine.clocks;
        let together = u64::from(clocks.core_khz == clocks.interconnect_khz);
        let known = self.below.now + 1 + together;
        let cycles = room / (PER_CYCLE * self.machine.sms_per_cluster as usize);
        known
            .min(from.saturating_add(cycles as u64))
            .min(self.dispatcher.rests_until())
    }

    /// Simulates the clusters that have work in this cycle. Continues with further cycles while all replies to the SMs are
    /// known and their port has room. `led` states whether the memory side has already simulated this cycle.
    pub(in crate::gpu) fn go_ahead(&mut self, led: bool) {
        let now = self.now;
        if self
            .sm_wakes
            .iter()
            .zip(&self.ahead)
            .all(|(&wake, ahead)| wake > now || ahead.until > now)
        {
            return;
        }
        let stretch = |gpu: &Self, cluster: usize| {
            let first = cluster * gpu.machine.sms_per_cluster as usize;
            let wakes = &gpu.sm_wakes[first..first + gpu.machine.sms_per_cluster as usize];
            if gpu.ahead[first].until > now || wakes.iter().all(|&wake| wake > now) {
                return None;
            }
            let room = gpu.room(cluster);
            let until = gpu.horizon(now, room).max(now + 1);
            Some(Stretch {
                from: now,
                until,
                room,
                receives: led,
            })
        };
        self.simulate(stretch);
    }

    /// Simulates all clusters up to their horizons. The memory side must have simulated this cycle.
    pub(in crate::gpu) fn go_ahead_early(&mut self) {
        let (now, per_cluster) = (self.now, self.machine.sms_per_cluster as usize);
        let stretch = |gpu: &Self, cluster: usize| {
            let sms = cluster * per_cluster..(cluster + 1) * per_cluster;
            let ahead = &gpu.ahead[sms.clone()];
            if gpu.sms[sms.clone()].iter().any(Sm::stops) {
                return None;
            }
            let from = gpu.sm_wakes[sms]
                .iter()
                .copied()
                .min()?
                .max(ahead[0].until)
                .max(now);
            let sent: usize = ahead.iter().map(|ahead| ahead.out.len()).sum();
            let room = gpu.room(cluster).saturating_sub(sent);
            let until = gpu.horizon(from, room);
            (from < until).then_some(Stretch {
                from,
                until,
                room,
                receives: true,
            })
        };
        self.simulate(stretch);
    }

    /// Simulates the stretch of each cluster. If there are many, the threads of `rayon` share them.
    fn simulate(&mut self, stretch: impl Fn(&Self, usize) -> Option<Stretch>) {
        let per_cluster = self.machine.sms_per_cluster as usize;
        let stretches: Vec<_> = (0..self.ports.len())
            .map(|cluster| stretch(self, cluster))
            .collect();
        let mut lanes: Vec<(Lane, Stretch)> = self
            .sms
            .chunks_mut(per_cluster)
            .zip(self.ahead.chunks_mut(per_cluster))
            .zip(self.ports.iter_mut().zip(self.below.replies.outputs()))
            .zip(&stretches)
            .filter_map(|(((sms, ahead), (port, output)), stretch)| {
                Some((
                    Lane {
                        sms,
                        ahead,
                        port,
                        output,
                    },
                    (*stretch)?,
                ))
            })
            .collect();
        let run = |(lane, stretch): &mut (Lane, Stretch)| lane.run(*stretch);
        match self.parallel && lanes.len() >= FEWEST {
            true => lanes.par_iter_mut().with_max_len(1).for_each(run),
            false => lanes.iter_mut().for_each(run),
        }
        for cluster in (0..stretches.len()).filter(|&cluster| stretches[cluster].is_some()) {
            self.below.replies.note(cluster);
            for index in cluster * per_cluster..(cluster + 1) * per_cluster {
                self.sm_wakes[index] = self.next_of(index);
                #[cfg(test)]
                {
                    let ahead = &mut self.ahead[index];
                    ahead.most = ahead.most.max(ahead.until - self.now);
                }
            }
        }
    }

    /// Simulates SM `index` in this cycle.
    pub(in crate::gpu) fn step(&mut self, index: usize) {
        let room = self.room(index / self.machine.sms_per_cluster as usize);
        self.ahead[index].step(&mut self.sms[index], self.now, room);
        self.ahead[index].until = self.now + 1;
        #[cfg(test)]
        {
            self.ahead[index].most = self.ahead[index].most.max(1);
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
        let cluster = index / self.machine.sms_per_cluster as usize;
        match self.goes_ahead {
            true => next.min(self.ports[cluster].next(ahead.until, self.below.replies.next_at(cluster))),
            false => next,
        }
    }
}

#[cfg(test)]
#[path = "ahead_tests.rs"]
mod tests;
