//! A sectored cache with tags, miss status holding registers, and a queue of misses to the next
//! level.
//!
//! L1 writes through, and L2 writes back. L1 and L2 allocate a line on a miss. If a sector is
//! partly written, the cache fetches the other bytes only when a read requires them (GPGPU-Sim:
//! "lazy fetch on read").

mod line;
mod mshr;
mod recency;
mod tags;
mod word_hash;

use std::fmt;
use std::sync::Arc;

use self::mshr::{Mshr, Room};
use self::tags::{Found, Tags};
use super::request::{Kind, Request, SECTOR};
use super::ring::Ring;

/// Write policy towards the next level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Each write is sent to the next level immediately (L1).
    Through,
    /// A line is written to the next level when it is evicted (L2).
    Back,
}

/// Function that maps a kernel number and an address to the index of a set.
#[derive(Clone)]
pub struct Index(pub Arc<dyn Fn(u8, u64) -> usize + Send + Sync>);

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Index")
    }
}

/// Size and policies of a cache.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Number of lines of each set.
    pub ways: Vec<u32>,
    /// Function that returns the index of the set where a kernel allocates the line of an address. The index is less
    /// than the number of sets.
    pub index: Index,
    /// Whether the replacement policy is first in, first out. If false, the policy is least
    /// recently used.
    pub fifo: bool,
    /// Write policy of the cache.
    pub writes: Writes,
    /// Maximum number of sectors with a pending fill.
    pub mshr_entries: usize,
    /// Maximum number of requests that may wait for one sector.
    pub mshr_merges: usize,
    /// Maximum number of requests in the queue to the next level.
    pub miss_queue: usize,
    /// Number of bytes that the data port transfers per cycle.
    pub port_bytes: u64,
    /// The cache may evict dirty lines if at least this share of its lines is dirty [percent]. Below this share, it
    /// evicts only clean lines.
    pub dirty_percent: u64,
}

/// Result of an access to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The sector is present. A write may also be sent to the next level.
    Hit {
        /// Whether the request was also sent to the next level. If true, the next level answers the request.
        sent: bool,
    },
    /// The request is accepted, but the sector is absent. A read waits for the next level. A
    /// write is complete in a write-back cache. A write-through cache sends the write to the next
    /// level.
    Miss,
    /// The request is rejected because a resource is full. The caller must repeat the request
    /// later.
    Refused,
}

/// Counts of the accesses to a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of requests that the cache accepted.
    pub accesses: u64,
    /// Number of accepted requests whose sector was absent.
    pub misses: u64,
}

/// A sectored cache.
#[derive(Debug, Clone)]
pub struct Cache {
    geometry: Geometry,
    tags: Tags,
    mshr: Mshr,
    /// Requests that wait to be sent to the next level.
    pub misses: Ring<Request>,
    data_port: u64,
    fill_port: u64,
    /// Numbers of accesses and misses.
    pub counts: Counts,
}

impl Cache {
    /// Creates an empty cache.
    pub fn new(geometry: Geometry) -> Self {
        Self {
            tags: Tags::new(&geometry),
            mshr: Mshr::new(geometry.mshr_entries, geometry.mshr_merges),
            misses: Ring::new(),
            data_port: 0,
            fill_port: 0,
            counts: Counts::default(),
            geometry,
        }
    }

    /// Returns whether the data port is free in the current cycle.
    pub fn data_port_free(&self) -> bool {
        self.data_port == 0
    }

    /// Returns whether the fill port is free in the current cycle.
    pub fn fill_port_free(&self) -> bool {
        self.fill_port == 0
    }

    /// Advances the data port and the fill port by one cycle.
    pub fn replenish(&mut self) {
        self.data_port = self.data_port.saturating_sub(1);
        self.fill_port = self.fill_port.saturating_sub(1);
    }

    /// Returns whether the cache is idle. Its ports are then free, and no request waits to be sent or to continue.
    pub fn is_quiet(&self) -> bool {
        self.misses.is_empty() && !self.mshr.has_ready() && self.data_port == 0 && self.fill_port == 0
    }

    /// Accesses the cache at time `now`. The cache orders its lines by the time of their last use, so `now` must not
    /// decrease from call to call.
    pub fn access(&mut self, request: &Request, now: u64) -> Outcome {
        let writes = request.writes();
        // Most rejections occur because the miss queue is full, so this check precedes the slower
        // checks.
        if writes && self.misses.len() >= self.geometry.miss_queue && self.geometry.writes == Writes::Through
        {
            return Outcome::Refused;
        }
        let found = match self.tags.probe(request.kernel, request.address, writes) {
            Found::Full => self
                .tags
                .abandoned(request.kernel, request.address, |sector| self.mshr.has(sector)),
            found => found,
        };
        let outcome = if writes {
            self.write(request, found, now)
        } else {
            self.read(request, found, now)
        };
        match outcome {
            Outcome::Hit { .. } => {
                self.counts.accesses += 1;
                self.data_port += SECTOR.div_ceil(self.geometry.port_bytes);
            }
            Outcome::Miss => {
                self.counts.accesses += 1;
                self.counts.misses += 1;
            }
            Outcome::Refused => {}
        }
        outcome
    }

    fn write(&mut self, request: &Request, found: Found, now: u64) -> Outcome {
        let through = self.geometry.writes == Writes::Through;
        if let Found::Hit(line) = found {
            self.tags.touch(line, now);
            self.tags.write(line, request);
            if through {
                self.misses.push_back(*request);
            }
            return Outcome::Hit { sent: through };
        }
        if found == Found::Full || self.misses.len() >= self.geometry.miss_queue {
            return Outcome::Refused;
        }
        if through {
            self.misses.push_back(*request);
        }
        let (line, evicted) = self.tags.take(found, request.address, now);
        self.tags.write(line, request);
        match found {
            Found::Reserved(_) => self.tags.write_pending(line, request),
            _ => self.tags.write_fresh(line, request),
        }
        self.evict(evicted, request);
        Outcome::Miss
    }

    fn read(&mut self, request: &Request, found: Found, now: u64) -> Outcome {
        if let Found::Hit(line) = found {
            self.tags.touch(line, now);
            if request.kind == Kind::Atomic {
                self.tags.write(line, request);
            }
            return Outcome::Hit { sent: false };
        }
        if found == Found::Full || self.misses.len() + 1 >= self.geometry.miss_queue {
            return Outcome::Refused;
        }
        let room = self.mshr.room(request.address);
        if room == Room::None {
            return Outcome::Refused;
        }
        let (line, evicted) = self.tags.take(found, request.address, now);
        self.mshr.add(request, room, line);
        if room == Room::New {
            self.misses.push_back(*request);
        }
        self.evict(evicted, request);
        Outcome::Miss
    }

    /// Sends an evicted dirty line to the next level, if the cache writes back.
    fn evict(&mut self, evicted: Option<tags::Evicted>, cause: &Request) {
        let Some(evicted) = evicted else { return };
        if self.geometry.writes == Writes::Through {
            return;
        }
        self.data_port += u64::from(evicted.sectors) * SECTOR / self.geometry.port_bytes;
        self.misses.push_back(Request {
            address: evicted.line,
            kernel: evicted.writer,
            kind: Kind::WriteBack {
                sectors: evicted.sectors,
            },
            ..*cause
        });
    }

    /// Returns whether the cache waits for the sector of `request`.
    pub fn awaits(&self, request: &Request) -> bool {
        !request.writes() && self.mshr.has(request.address)
    }

    /// Fills the sector of `request` after the reply of the next level.
    pub fn fill(&mut self, request: &Request) {
        if let Some((line, bytes, atomic)) = self.mshr.arrived(request.address) {
            self.tags.fill(line, 1 << request.sector(), bytes);
            if atomic {
                self.tags.write(line, request);
            }
        }
        self.fill_port += SECTOR / self.geometry.port_bytes;
    }

    /// Returns whether a waiting request can continue.
    pub fn has_ready(&self) -> bool {
        self.mshr.has_ready()
    }

    /// Removes and returns the next waiting request that can continue.
    pub fn next_ready(&mut self) -> Option<Request> {
        self.mshr.next_ready()
    }

    /// Fills sectors of line `line` without memory traffic. `sectors` has one bit per sector. The
    /// fill models a copy to the GPU before a kernel starts.
    pub fn preload(&mut self, kernel: u8, line: u64, sectors: u8, now: u64) {
        self.tags.preload(kernel, line, sectors, now);
    }

    /// For each line, returns the last kernel that wrote to it and its number of dirty sectors.
    pub fn dirty(&self) -> impl Iterator<Item = (u8, u32)> {
        self.tags.dirty()
    }

    /// Invalidates all sectors whose fill is not pending.
    pub fn forget(&mut self) {
        self.tags.forget();
    }

    /// Changes the size of the cache and invalidates all lines. No request may wait for the next level.
    pub fn resize(&mut self, geometry: Geometry) {
        self.tags = Tags::new(&geometry);
        self.geometry = geometry;
    }

    /// Invalidates all lines.
    pub fn invalidate(&mut self) {
        self.tags.invalidate();
    }
}

#[cfg(test)]
impl Geometry {
    /// Creates the geometry of a small cache that writes back. Successive lines belong to successive sets.
    fn small(sets: usize, ways: usize) -> Geometry {
        Geometry {
            ways: vec![ways as u32; sets],
            index: Index(Arc::new(move |_, address| {
                (address / super::request::LINE) as usize % sets
            })),
            fifo: false,
            writes: Writes::Back,
            mshr_entries: 8,
            mshr_merges: 8,
            miss_queue: 8,
            port_bytes: 32,
            dirty_percent: 0,
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
