//! Slice of L2 (a memory sub-partition) with its queues.

use crate::machine::PartitionQueues;
use crate::memory::cache::{Cache, Geometry, Outcome};
use crate::memory::events::LookedUp;
use crate::memory::request::{Kind, Request};
use crate::memory::ring::Ring;

/// Slice of L2 with its queues.
#[derive(Debug)]
pub struct Slice {
    l2: Cache,
    /// Requests that have not yet arrived at the input queue. Each entry contains the core cycle
    /// when the request arrives.
    rop: Ring<(u64, Request)>,
    rop_latency: u64,
    incoming: Ring<Request>,
    /// Misses and write-backs that wait for the DRAM channel.
    pub to_dram: Ring<Request>,
    /// Replies that have arrived from the DRAM channel.
    pub from_dram: Ring<Request>,
    /// Replies that wait to enter the crossbar of replies.
    pub outgoing: Ring<Request>,
    queues: PartitionQueues,
    /// Number of lines loaded before the start of the run. Replacement treats these lines as older than every accessed
    /// line.
    preloaded: u64,
    /// Whether the slice accepted requests in the cycle of the last call of [`Slice::accepts`].
    open: bool,
    /// Whether the slice accepts requests after the last simulated cycle.
    opens: bool,
    /// L2 cycles after which `opens` changed. A cycle is stored as the number of its clock edge.
    changes: Ring<u64>,
}

impl Slice {
    pub fn new(geometry: Geometry, rop_latency: u64, queues: PartitionQueues) -> Self {
        Self {
            l2: Cache::new(geometry),
            rop: Ring::new(),
            rop_latency,
            incoming: Ring::new(),
            to_dram: Ring::new(),
            from_dram: Ring::new(),
            outgoing: Ring::new(),
            queues,
            preloaded: 0,
            open: true,
            opens: true,
            changes: Ring::new(),
        }
    }

    /// For each line, returns the last kernel that wrote to it and its number of dirty sectors.
    pub fn dirty(&self) -> impl Iterator<Item = (u8, u32)> {
        self.l2.dirty()
    }

    /// Returns whether a request can enter in L2 cycle `edge`. A request can enter if the input
    /// queue had at least four free places after the previous cycle. `edge` may be earlier than
    /// the last simulated cycle. Successive calls must not decrease `edge`.
    pub fn accepts(&mut self, edge: u64) -> bool {
        while self.changes.front().is_some_and(|&change| change < edge) {
            self.changes.pop_front();
            self.open = !self.open;
        }
        self.open
    }

    /// Adds a request and returns the core cycle when the request arrives at the input queue.
    pub fn push(&mut self, request: Request, now: u64) -> u64 {
        let at = now + self.rop_latency;
        self.rop.push_back((at, request));
        at
    }

    /// Moves the record of the cycles when the slice accepts requests to `front`. Until [`Slice::take_back`], `front` accepts
    /// the requests.
    pub fn lend(&mut self, front: &mut Slice) {
        front.open = self.open;
        std::mem::swap(&mut self.changes, &mut front.changes);
    }

    /// Takes the requests and the record of `front` back. Returns the core cycle when the first of these requests arrives
    /// at the input queue.
    pub fn take_back(&mut self, front: &mut Slice) -> Option<u64> {
        self.open = front.open;
        while let Some(change) = self.changes.pop_front() {
            front.changes.push_back(change);
        }
        std::mem::swap(&mut self.changes, &mut front.changes);
        let first = front.rop.front().map(|&(at, _)| at);
        while let Some(request) = front.rop.pop_front() {
            self.rop.push_back(request);
        }
        first
    }

    /// Returns whether the slice accepts another reply from the DRAM channel.
    pub fn takes_answers(&self) -> bool {
        self.from_dram.len() < self.queues.dram_to_l2 as usize
    }

    /// Loads sectors of the line at `address` for kernel `kernel`, before the start of the run. `sectors` has one bit per
    /// sector.
    pub fn preload(&mut self, kernel: u8, address: u64, sectors: u8) {
        self.l2.preload(kernel, address, sectors, self.preloaded);
        self.preloaded += 1;
    }

    /// Returns the next core cycle when the slice may be active; `None` if the slice is empty.
    pub fn wakes_at(&self, now: u64) -> Option<u64> {
        let busy = !self.incoming.is_empty() || !self.from_dram.is_empty() || !self.l2.is_quiet();
        if busy {
            Some(now)
        } else {
            self.rop.front().map(|&(at, _)| at)
        }
    }

    /// Simulates L2 cycle `edge`, which falls into core cycle `now`. Returns the access to the cache, if there is one.
    pub fn cycle(&mut self, now: u64, edge: u64) -> Option<LookedUp> {
        let places = self.queues.l2_to_icnt as usize;
        if self.l2.has_ready()
            && self.outgoing.len() < places
            && let Some(ready) = self.l2.next_ready()
        {
            self.outgoing.push_back(ready);
        }
        if let Some(&answer) = self.from_dram.front() {
            if self.l2.awaits(&answer) {
                if self.l2.fill_port_free() {
                    self.l2.fill(&answer);
                    self.from_dram.pop_front();
                }
            } else if self.outgoing.len() < places {
                self.outgoing.push_back(answer);
                self.from_dram.pop_front();
            }
        }
        if self.to_dram.len() < self.queues.l2_to_dram as usize
            && let Some(miss) = self.l2.misses.pop_front()
        {
            self.to_dram.push_back(miss);
        }
        self.l2.replenish();
        let looked_up = match self.to_dram.len() < self.queues.l2_to_dram as usize {
            true => self.look_up(now),
            false => None,
        };
        if let Some(&(at, request)) = self.rop.front()
            && now >= at
            && self.incoming.len() < self.queues.icnt_to_l2 as usize
        {
            self.rop.pop_front();
            self.incoming.push_back(request);
        }
        let opens = self.incoming.len() + 3 < self.queues.icnt_to_l2 as usize;
        if opens != self.opens {
            self.opens = opens;
            self.changes.push_back(edge);
        }
        looked_up
    }

    fn look_up(&mut self, now: u64) -> Option<LookedUp> {
        let request = *self.incoming.front()?;
        if self.outgoing.len() >= self.queues.l2_to_icnt as usize || !self.l2.data_port_free() {
            return None;
        }
        let sent = self.l2.misses.len();
        let outcome = self.l2.access(&request, now + self.preloaded);
        match outcome {
            Outcome::Refused => return None,
            Outcome::Hit { .. } => self.outgoing.push_back(request),
            Outcome::Miss if request.kind == Kind::Write => self.outgoing.push_back(request),
            Outcome::Miss => {}
        }
        self.incoming.pop_front();
        Some(LookedUp {
            kernel: request.kernel,
            writes: !matches!(request.kind, Kind::Read { .. }),
            missed: outcome == Outcome::Miss,
            evicted: match self.l2.misses.back() {
                Some(&Request {
                    kernel,
                    kind: Kind::WriteBack { sectors },
                    ..
                }) if self.l2.misses.len() > sent => Some((kernel, sectors)),
                _ => None,
            },
        })
    }
}
