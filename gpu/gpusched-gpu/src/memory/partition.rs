//! Memory partition: a DRAM channel with its slices of L2.

use super::channel::{Channel, Place};
use super::credits::Credits;
use super::slice::Slice;
use crate::machine::Dram;
use crate::memory::events::Issued;
use crate::memory::request::Request;
use crate::memory::ring::Ring;

/// Parameters of a partition.
#[derive(Debug, Clone, Copy)]
pub struct PartitionParameters {
    /// Number of slices in the partition.
    pub slices: usize,
    /// Parameters of the DRAM channel of the partition.
    pub dram: Dram,
    /// Latency of requests from a slice to the channel [core cycles].
    pub dram_latency: u64,
}

/// Channel of a partition, and the paths between its slices and the channel.
#[derive(Debug)]
pub struct Partition {
    channel: Channel,
    credits: Credits,
    /// Requests on their way from the slices to the channel. Each entry contains the core cycle
    /// when the request arrives.
    latency: Ring<(u64, Request)>,
    dram_latency: u64,
    /// Requests of memory clients on their way to the channel, as in `latency`.
    from_clients: Ring<(u64, Request)>,
    /// Requests of memory clients that have ended since the caller last took them.
    pub ended: Vec<Request>,
    /// First command cycle when the channel may be active.
    quiet_until: u64,
}

impl Partition {
    pub fn new(parameters: &PartitionParameters) -> Self {
        let dram = &parameters.dram;
        let limit = (dram.queue > 0 && dram.return_queue > 0).then(|| {
            let writes = dram.write_queue.as_ref().map_or(0, |queue| queue.size);
            (dram.queue + dram.return_queue + writes) as usize - (parameters.slices - 1)
        });
        Self {
            channel: Channel::new(*dram),
            credits: Credits::new(parameters.slices, limit),
            latency: Ring::new(),
            dram_latency: parameters.dram_latency,
            from_clients: Ring::new(),
            ended: Vec::new(),
            quiet_until: 0,
        }
    }

    /// Returns a lower bound on the next command cycle when the partition may be active, provided that the slices send
    /// no new request. The value 0 means the next command cycle. `None` means that the partition is empty. `tick` is
    /// the number of command cycles up to core cycle `now`. `ticks(cycles)` must return a lower bound on the number of
    /// command cycles within `cycles` core cycles.
    pub fn wakes_at(&self, now: u64, tick: u64, ticks: impl Fn(u64) -> u64) -> Option<u64> {
        let arrival = self.next_arrival().map(|at| match at > now {
            true => tick + ticks(at - now),
            false => 0,
        });
        match arrival {
            Some(arrival) => Some(arrival.min(self.quiet_until)),
            None if self.channel.is_idle() => None,
            None => Some(self.quiet_until),
        }
    }

    /// Forces the simulation of the channel in the next command cycle.
    pub fn wake(&mut self) {
        self.quiet_until = 0;
    }

    /// Returns whether the channel is inactive in command cycle `tick`, and no request arrives by core cycle `now`.
    pub fn is_quiet(&self, now: u64, tick: u64) -> bool {
        tick < self.quiet_until && self.next_arrival().is_none_or(|at| at > now)
    }

    /// Returns the next core cycle when a request arrives at the channel.
    fn next_arrival(&self) -> Option<u64> {
        let fronts = [self.latency.front(), self.from_clients.front()];
        fronts.into_iter().flatten().map(|&(at, _)| at).min()
    }

    /// Adds a request that a memory client sends in core cycle `now`.
    pub fn send(&mut self, request: Request, now: u64) {
        self.from_clients.push_back((now + self.dram_latency, request));
    }

    /// Removes and returns the request that enters the channel in core cycle `now`: the request that arrived first, among
    /// the oldest request of the slices and the oldest request of the clients. If both arrived at the same time, the
    /// request of the slices enters.
    fn enter(&mut self, now: u64) -> Option<Request> {
        let channel = &self.channel;
        let arrived = |queue: &Ring<(u64, Request)>| {
            let front = queue
                .front()
                .filter(|(at, request)| now >= *at && !channel.is_full(request.writes()));
            front.map(|&(at, _)| at)
        };
        let queue = match (arrived(&self.latency), arrived(&self.from_clients)) {
            (None, None) => return None,
            (Some(of_slices), Some(of_clients)) if of_clients < of_slices => &mut self.from_clients,
            (Some(_), _) => &mut self.latency,
            (None, Some(_)) => &mut self.from_clients,
        };
        queue.pop_front().map(|(_, request)| request)
    }

    /// Simulates command cycle `tick` in core cycle `now`. `slices` are the slices of the partition, and `first` is the
    /// number of the first slice. Returns the commands that the channel issues.
    pub fn cycle(
        &mut self,
        slices: &mut [Slice],
        first: usize,
        now: u64,
        tick: u64,
        place: impl Fn(&Request) -> Place,
    ) -> Issued {
        if let Some(&answer) = self.channel.answers.front()
            && answer.is_of_client()
        {
            self.ended.push(answer);
            self.channel.take_answer();
            self.quiet_until = 0;
        } else if let Some(&answer) = self.channel.answers.front() {
            let slice = answer.slice as usize - first;
            if slices[slice].takes_answers() {
                slices[slice].from_dram.push_back(answer);
                self.credits.give_back(slice);
                self.channel.take_answer();
                self.quiet_until = 0;
            }
        }
        if tick >= self.quiet_until {
            match self.channel.cycle(tick) {
                Some(written) if written.is_of_client() => self.ended.push(written),
                Some(written) => self.credits.give_back(written.slice as usize - first),
                None => {}
            }
            self.quiet_until = self.channel.quiet_until();
        }
        let mut slice = self.credits.last;
        for _ in 0..slices.len() {
            slice = if slice + 1 < slices.len() { slice + 1 } else { 0 };
            let Some(&request) = slices[slice].to_dram.front() else {
                continue;
            };
            if slices[slice].takes_answers() && self.credits.available(slice) {
                if !self.channel.is_full(request.writes()) {
                    slices[slice].to_dram.pop_front();
                    self.latency.push_back((now + self.dram_latency, request));
                    self.credits.take(slice);
                }
                break;
            }
        }
        if let Some(request) = self.enter(now) {
            self.channel.push(request, place(&request));
            self.quiet_until = 0;
        }
        std::mem::take(&mut self.channel.issued)
    }
}
