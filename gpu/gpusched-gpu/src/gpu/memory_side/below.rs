//! The memory side of the GPU: the slices of L2, the DRAM channels, and the crossbar of replies.

use std::sync::Arc;

use super::camping::Servers;
use super::clients::{Client, Clients};
use super::geometry;
use super::meter::Meter;
use super::parts::Parts;
use crate::gpu::pace::clocks::{self, Domain, Edges};
use crate::gpu::pace::wakes::{NEVER, Wakes};
use crate::machine::MachineShape;
use crate::memory::request::Request;
use crate::memory::{Crossbar, Partition, PartitionParameters, Place, Ports, Slice};

/// Memory side of the GPU: slices of L2, DRAM channels and the crossbar of replies.
#[derive(Debug)]
pub struct Below {
    machine: Arc<MachineShape>,
    parts: Arc<Parts>,
    pub slices: Vec<Slice>,
    pub slice_wakes: Wakes,
    pub partitions: Vec<Partition>,
    pub partition_wakes: Wakes,
    pub replies: Crossbar<Request>,
    /// Slices that have replies to send.
    replying: Ports,
    /// First core cycle that the memory side has not yet simulated.
    pub now: u64,
    /// Clock edges at the end of the last cycle that the memory side has simulated ahead of the SMs.
    pub edges: Edges,
    /// The memory side has been inactive in every simulated cycle from this cycle on.
    pub busy_until: u64,
    /// Traffic of each kernel.
    pub meter: Meter,
    /// Memory clients.
    pub clients: Clients,
    /// Largest number of cycles by which the memory side was ahead of the SMs.
    #[cfg(test)]
    pub most: u64,
    /// Number of times that the memory side had too little room for replies and waited for the SMs.
    #[cfg(test)]
    pub waits: u64,
}

impl Below {
    /// Creates an idle memory side for `kernels` kernels and for `clients`. If `camping` is true, the memory side computes the largest
    /// share of the traffic that one slice, channel or bank receives.
    pub fn new(
        machine: &Arc<MachineShape>,
        parts: &Arc<Parts>,
        kernels: usize,
        clients: &[Client],
        camping: bool,
    ) -> Self {
        let (memory, net) = (&machine.memory, &machine.interconnect);
        let slices = memory.slices() as usize;
        let l2 = geometry::l2(machine, parts);
        let parameters = PartitionParameters {
            slices: memory.slices_per_channel as usize,
            dram: memory.dram,
            dram_latency: u64::from(memory.dram_latency),
        };
        Self {
            slices: (0..slices)
                .map(|_| Slice::new(l2.clone(), u64::from(memory.rop_latency), memory.queues))
                .collect(),
            slice_wakes: Wakes::new(slices),
            partitions: (0..memory.channels)
                .map(|_| Partition::new(&parameters))
                .collect(),
            partition_wakes: Wakes::new(memory.channels as usize),
            replies: Crossbar::new(
                slices,
                machine.clusters as usize,
                net.input_buffer as usize,
                net.output_buffer as usize,
                net.arbiter,
            ),
            replying: Ports::default(),
            now: 0,
            edges: Edges::new(&machine.clocks),
            busy_until: 0,
            meter: Meter::new(
                kernels,
                camping.then_some(Servers {
                    slices,
                    channels: memory.channels as usize,
                    banks: memory.dram.timing.banks as usize,
                }),
            ),
            clients: Clients::new(clients, kernels),
            #[cfg(test)]
            most: 0,
            #[cfg(test)]
            waits: 0,
            parts: Arc::clone(parts),
            machine: machine.clone(),
        }
    }

    /// Moves all that the SMs need to know of the cycles before `now` to `front`. Until [`Below::take_back`], `front` takes the
    /// place of the memory side for the SMs.
    pub fn lend(&mut self, front: &mut Below) {
        front.now = self.now;
        // The front always has work, so nothing skips the cycles after `now`.
        front.replying.insert(0);
        self.replies.swap_outputs(&mut front.replies);
        self.meter.lend(&mut front.meter);
        for (slice, front) in self.slices.iter_mut().zip(&mut front.slices) {
            slice.lend(front);
        }
    }

    /// Takes all back that [`Below::lend`] moved, and the requests that `front` received. The SMs have simulated all cycles
    /// before `now`.
    pub fn take_back(&mut self, front: &mut Below, now: u64) {
        front.replies.append_outputs(&mut self.replies);
        self.replies.swap_outputs(&mut front.replies);
        self.meter.take_back(&mut front.meter, now);
        for (index, (slice, front)) in self.slices.iter_mut().zip(&mut front.slices).enumerate() {
            if let Some(at) = slice.take_back(front) {
                self.slice_wakes.set_earlier(index, at, self.now);
            }
        }
    }

    /// Simulates the first part of a clock edge: replies enter the crossbar, memory clients send requests, and DRAM
    /// channels execute a cycle. `ticks` states which clocks have an edge. If `skips` is true, the
    /// function skips inactive channels.
    pub fn begin(&mut self, ticks: [bool; 4], edges: &Edges, skips: bool) {
        if ticks[Domain::Interconnect as usize] {
            self.send_replies();
        }
        if ticks[Domain::Core as usize] {
            self.send_of_clients(edges);
        }
        if ticks[Domain::Dram as usize] {
            self.dram_cycle(edges.count(Domain::Dram), skips);
        }
    }

    /// Simulates the last part of a clock edge: replies pass through the crossbar. A port can
    /// accept these replies from the next core edge on.
    pub fn end(&mut self, ticks: [bool; 4], edges: &Edges) {
        let after = self.now + u64::from(ticks[Domain::Core as usize]);
        if ticks[Domain::Interconnect as usize] {
            self.replies.advance(edges.count(Domain::Interconnect) - 1, after);
        }
        self.now = after;
    }

    fn send_replies(&mut self) {
        let per_cluster = self.machine.sms_per_cluster as u16;
        for index in self.replying.iter() {
            let slice = &mut self.slices[index];
            if self.replies.has_room(index)
                && let Some(reply) = slice.outgoing.pop_front()
            {
                self.replies.push(index, reply.sm / per_cluster, reply);
            }
            self.replying.set(index, !slice.outgoing.is_empty());
        }
    }

    /// Moves the requests of memory clients in this core cycle to their channels.
    fn send_of_clients(&mut self, edges: &Edges) {
        let (now, tick) = (self.now, edges.count(Domain::Dram));
        let per_channel = self.machine.memory.slices_per_channel;
        let clocks = &self.machine.clocks;
        let ticks = |cycles| clocks::edges_before(cycles, clocks.core_khz, clocks.dram_khz);
        let (parts, partitions, wakes) = (&self.parts, &mut self.partitions, &mut self.partition_wakes);
        self.clients.send(now, |request| {
            let channel = (parts.slice(request.kernel, request.address) / per_channel) as usize;
            let partition = &mut partitions[channel];
            partition.send(request, now);
            if let Some(wake) = partition.wakes_at(now, tick, ticks) {
                wakes.set_earlier(channel, wake, tick);
            }
        });
    }

    fn dram_cycle(&mut self, tick: u64, skips: bool) {
        let due = self.partition_wakes.due(tick);
        if due.is_empty() {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        let parts = &self.parts;
        let clocks = &self.machine.clocks;
        let ticks = |cycles| clocks::edges_before(cycles, clocks.core_khz, clocks.dram_khz);
        for channel in due.iter() {
            let partition = &mut self.partitions[channel];
            let first = channel * per_channel;
            let slices = &mut self.slices[first..first + per_channel];
            if !skips {
                partition.wake();
            } else if partition.is_quiet(self.now, tick)
                && slices.iter().all(|slice| slice.to_dram.is_empty())
            {
                continue;
            }
            let issued = partition.cycle(slices, first, self.now, tick, |request| {
                let location = parts.locate(request.kernel, request.address);
                Place {
                    bank: location.bank,
                    row: location.row,
                }
            });
            self.meter.issue(self.now, channel, issued);
            for ended in partition.ended.drain(..) {
                self.clients.end(&ended, self.now);
            }
            let mut busy = !skips;
            for (index, slice) in slices.iter().enumerate() {
                busy |= !slice.to_dram.is_empty();
                if !slice.from_dram.is_empty() {
                    self.slice_wakes.set(first + index, self.now, self.now);
                }
            }
            let wake = match busy {
                true => 0,
                false => partition.wakes_at(self.now, tick, ticks).unwrap_or(NEVER),
            };
            self.partition_wakes.set(channel, wake, tick + 1);
        }
    }

    /// Adds a request that arrives in cycle `now` to slice `index`.
    pub fn push(&mut self, index: usize, request: Request, now: u64) {
        let at = self.slices[index].push(request, now);
        self.slice_wakes.set_earlier(index, at, self.now);
    }

    /// Simulates L2 cycle `edge` of slice `index` if the slice has work.
    pub fn slice_cycle(&mut self, index: usize, edge: u64) {
        if !self.slice_wakes.is_due(index, self.now) {
            return;
        }
        let slice = &mut self.slices[index];
        if let Some(access) = slice.cycle(self.now, edge) {
            self.meter.look_up(self.now, index, access);
        }
        let wake = slice.wakes_at(self.now + 1).unwrap_or(NEVER);
        self.slice_wakes.set(index, wake, self.now + 1);
        self.replying.set(index, !slice.outgoing.is_empty());
        if !slice.to_dram.is_empty() {
            let channel = index / self.machine.memory.slices_per_channel as usize;
            self.partition_wakes.set(channel, 0, 0);
        }
    }

    /// Returns whether the memory side contains no request or reply. Replies at the outputs of
    /// the crossbar do not count.
    pub fn is_idle(&self) -> bool {
        self.replies.rests()
            && self.replying.is_empty()
            && self.partition_wakes.earliest() == NEVER
            && self.slice_wakes.earliest() == NEVER
    }

    /// Returns a lower bound on the next core cycle when the memory side can be active. Replies
    /// at the outputs of the crossbar do not count. `edges` are the clock edges at the end of the
    /// last cycle.
    pub fn next_event(&self, edges: &Edges) -> u64 {
        if !self.replies.rests() || !self.replying.is_empty() {
            return self.now;
        }
        let clocks = &self.machine.clocks;
        let dram = match self.partition_wakes.earliest() {
            NEVER => NEVER,
            wake => {
                let ticks = wake.saturating_sub(edges.count(Domain::Dram));
                self.now + clocks::edges_before(ticks, clocks.dram_khz, clocks.core_khz)
            }
        };
        let clients = self.clients.next();
        dram.min(self.slice_wakes.earliest()).min(clients).max(self.now)
    }
}
