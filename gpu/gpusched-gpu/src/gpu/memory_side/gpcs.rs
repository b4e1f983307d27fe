//! Ports of GPCs between the ports of clusters and the crossbar ([`machine::Gpcs`]).
//!
//! Requests wait before the port of the GPC in a queue of their cluster, and replies wait at the crossbar output of their
//! cluster. A packet without a sector only waits for earlier packets of its cluster. If fewer sectors may pass in a cycle
//! than wait, the clusters take turns, and the cluster after the last served cluster is the next one.

use crate::gpu::Gpu;
use crate::machine;
use crate::memory::request::{Kind, Request};
use crate::memory::ring::Ring;
use crate::memory::{Crossbar, Ports};

use super::port::Port;

/// Ports of all GPCs of a GPU.
#[derive(Debug)]
pub struct Gpcs {
    /// Clusters of each GPC.
    clusters: Vec<Vec<usize>>,
    reads: Direction,
    writes: Direction,
    /// For each cluster, the requests that wait for the port of its GPC.
    waiting: Vec<Ring<Request>>,
    /// Number of waiting requests of all clusters.
    count: usize,
}

/// One direction of the ports: to the SMs, with sectors of reads, or to the slices, with sectors of writes.
#[derive(Debug)]
struct Direction {
    /// Number of sectors per core cycle, as a fraction (numerator, denominator).
    rate: (u64, u64),
    /// For each GPC, the position of the cluster that goes first.
    next: Vec<usize>,
}

impl Direction {
    /// Returns the number of sectors that a port passes in cycle `now`. In any window of cycles, the sum of these numbers
    /// differs from the rate times the length of the window by less than 1.
    fn sectors(&self, now: u64) -> u64 {
        let (numerator, denominator) = self.rate;
        let before = |cycle: u64| u128::from(cycle) * u128::from(numerator) / u128::from(denominator);
        u64::try_from(before(now + 1) - before(now)).unwrap_or(u64::MAX)
    }
}

impl Gpcs {
    /// Creates idle ports for the first `clusters` clusters of a machine with `gpcs`.
    pub fn new(gpcs: &machine::Gpcs, clusters: usize) -> Self {
        let count = gpcs.of_cluster.iter().max().map_or(0, |&last| last as usize + 1);
        let mut of_gpc = vec![Vec::new(); count];
        for (cluster, &gpc) in gpcs.of_cluster.iter().take(clusters).enumerate() {
            of_gpc[gpc as usize].push(cluster);
        }
        let direction = |rate: gpusched_model::Factor| Direction {
            rate: rate.ratio(),
            next: vec![0; count],
        };
        Self {
            clusters: of_gpc,
            reads: direction(gpcs.reads_per_cycle),
            writes: direction(gpcs.writes_per_cycle),
            waiting: vec![Ring::new(); clusters],
            count: 0,
        }
    }

    /// Returns whether no request waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Moves requests of cycle `now` into the crossbar.
    fn pass_requests(&mut self, now: u64, requests: &mut Crossbar<Request>) {
        if self.count == 0 {
            return;
        }
        let sectors = self.writes.sectors(now);
        for (clusters, next) in self.clusters.iter().zip(&mut self.writes.next) {
            let (mut left, mut position, mut idle) = (sectors, *next, 0);
            while idle < clusters.len() {
                let cluster = clusters[position];
                position = (position + 1) % clusters.len();
                idle += 1;
                while let Some(request) = self.waiting[cluster].front().copied() {
                    let sector = !matches!(request.kind, Kind::Read { .. });
                    if sector && left == 0 {
                        break;
                    }
                    self.waiting[cluster].pop_front();
                    self.count -= 1;
                    requests.push(cluster, request.slice.into(), request);
                    if sector {
                        (left, *next, idle) = (left - 1, position, 0);
                        break;
                    }
                }
            }
        }
    }

    /// Moves replies of cycle `now` from the crossbar into the ports of the clusters in `waiting`.
    fn pass_replies(
        &mut self,
        now: u64,
        waiting: Ports,
        ports: &mut [Port],
        replies: &mut Crossbar<Request>,
    ) {
        let sectors = self.reads.sectors(now);
        for (clusters, next) in self.clusters.iter().zip(&mut self.reads.next) {
            let (mut left, first) = (sectors, *next);
            let order = clusters
                .iter()
                .enumerate()
                .cycle()
                .skip(first)
                .take(clusters.len());
            for (position, &cluster) in order.filter(|(_, cluster)| waiting.contains(**cluster)) {
                let port = &mut ports[cluster];
                let sector = |reply: &Request| matches!(reply.kind, Kind::Read { .. });
                match port.entering(now, replies).map(sector) {
                    Some(true) if left == 0 => port.pause(now + 1),
                    Some(true) => {
                        (left, *next) = (left - 1, (position + 1) % clusters.len());
                        port.move_up(now + 1, replies);
                    }
                    Some(false) | None => port.move_up(now + 1, replies),
                }
            }
        }
    }
}

impl Gpu<'_> {
    /// Returns the number of requests that the port of `cluster` accepts.
    pub(in crate::gpu) fn room(&self, cluster: usize) -> usize {
        let waiting = self.gpcs.as_ref().map_or(0, |gpcs| gpcs.waiting[cluster].len());
        self.requests.room(cluster).saturating_sub(waiting)
    }

    /// Adds a request to the port of `cluster`.
    pub(in crate::gpu) fn request(&mut self, cluster: usize, request: Request) {
        match &mut self.gpcs {
            None => self.requests.push(cluster, request.slice.into(), request),
            Some(gpcs) => {
                gpcs.waiting[cluster].push_back(request);
                gpcs.count += 1;
            }
        }
    }

    /// Moves the requests of this cycle through the ports of GPCs.
    pub(in crate::gpu) fn pass_requests(&mut self) {
        if let Some(gpcs) = &mut self.gpcs {
            gpcs.pass_requests(self.now, &mut self.requests);
        }
    }

    /// Moves the replies of this cycle to the ports of the clusters in `waiting`.
    pub(in crate::gpu) fn pass_replies(&mut self, waiting: Ports) {
        let replies = &mut self.below.replies;
        match &mut self.gpcs {
            Some(gpcs) => gpcs.pass_replies(self.now, waiting, &mut self.ports, replies),
            None => waiting
                .iter()
                .for_each(|cluster| self.ports[cluster].move_up(self.now + 1, replies)),
        }
    }

    /// Returns whether no request is on its way to the slices.
    pub(in crate::gpu) fn has_no_requests(&self) -> bool {
        self.requests.is_empty() && self.gpcs.as_ref().is_none_or(Gpcs::is_empty)
    }
}

#[cfg(test)]
#[path = "gpcs_tests.rs"]
mod tests;
