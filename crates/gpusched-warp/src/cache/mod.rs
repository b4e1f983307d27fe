//! A sectored cache: tags, miss registers, a queue of misses to the level below.
//!
//! L1 writes through, L2 writes back; both allocate a line on a miss and fetch a partly written sector only when it is
//! read (the reference calls that "lazy fetch on read").

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

/// What a write does to the level below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Every write goes on at once (L1).
    Through,
    /// A line is written when it is evicted (L2).
    Back,
}

/// The set of an address.
#[derive(Clone)]
pub struct Index(pub Arc<dyn Fn(u64) -> usize + Send + Sync>);

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Index")
    }
}

/// The size and the rules of a cache.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Sets.
    pub sets: usize,
    /// Lines per set.
    pub ways: usize,
    /// The set of an address, below `sets`.
    pub index: Index,
    /// First in, first out instead of least recently used.
    pub fifo: bool,
    /// What a write does.
    pub writes: Writes,
    /// Sectors that may be on their way.
    pub mshr_entries: usize,
    /// Requests that may wait for one sector.
    pub mshr_merges: usize,
    /// Places in the queue to the level below.
    pub miss_queue: usize,
    /// Bytes the data port moves per cycle.
    pub port_bytes: u64,
    /// Below this share of dirty lines, in percent, no dirty line is evicted.
    pub dirty_percent: u64,
}

/// How the cache took a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The data are here; a write may have been passed on as well.
    Hit {
        /// The request went to the level below, which will answer it.
        sent: bool,
    },
    /// Taken; a read waits for the level below, a write is done here (back) or on its way (through).
    Miss,
    /// Not taken: some resource is full. To be tried again.
    Refused,
}

/// Accesses so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests taken.
    pub accesses: u64,
    /// Of them, those that were no hits.
    pub misses: u64,
}

/// A cache.
#[derive(Debug, Clone)]
pub struct Cache {
    geometry: Geometry,
    tags: Tags,
    mshr: Mshr,
    /// Requests for the level below.
    pub misses: Ring<Request>,
    data_port: u64,
    fill_port: u64,
    /// Requests taken and missed.
    pub counts: Counts,
}

impl Cache {
    /// An empty cache.
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

    /// Whether the data port is free in this cycle.
    pub fn data_port_free(&self) -> bool {
        self.data_port == 0
    }

    /// Whether the fill port is free in this cycle.
    pub fn fill_port_free(&self) -> bool {
        self.fill_port == 0
    }

    /// A cycle goes by for the ports.
    pub fn replenish(&mut self) {
        self.data_port = self.data_port.saturating_sub(1);
        self.fill_port = self.fill_port.saturating_sub(1);
    }

    /// Nothing is on its way or waiting.
    pub fn is_quiet(&self) -> bool {
        self.misses.is_empty() && !self.mshr.has_ready() && self.data_port == 0 && self.fill_port == 0
    }

    /// Offers a request at time `now` (any non-decreasing count; it orders the lines by their last use).
    pub fn access(&mut self, request: &Request, now: u64) -> Outcome {
        let writes = request.writes();
        // Most refusals are these, and no write needs more to be refused.
        if writes && self.misses.len() >= self.geometry.miss_queue && self.geometry.writes == Writes::Through
        {
            return Outcome::Refused;
        }
        let found = self.tags.probe(request.address, writes);
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

    /// A dirty line that made room is written to the level below.
    fn evict(&mut self, evicted: Option<tags::Evicted>, cause: &Request) {
        let Some(evicted) = evicted else { return };
        if self.geometry.writes == Writes::Through {
            return;
        }
        self.data_port += u64::from(evicted.sectors) * SECTOR / self.geometry.port_bytes;
        self.misses.push_back(Request {
            address: evicted.line,
            kind: Kind::WriteBack {
                sectors: evicted.sectors,
            },
            ..*cause
        });
    }

    /// Whether the cache waits for the sector of `request`.
    pub fn awaits(&self, request: &Request) -> bool {
        !request.writes() && self.mshr.has(request.address)
    }

    /// The level below answered the read of `request`'s sector.
    pub fn fill(&mut self, request: &Request) {
        if let Some((line, bytes, atomic)) = self.mshr.arrived(request.address) {
            self.tags.fill(line, 1 << request.sector(), bytes);
            if atomic {
                self.tags.write(line, request);
            }
        }
        self.fill_port += SECTOR / self.geometry.port_bytes;
    }

    /// Whether a request that waited can go on.
    pub fn has_ready(&self) -> bool {
        self.mshr.has_ready()
    }

    /// The next request that waited and can go on.
    pub fn next_ready(&mut self) -> Option<Request> {
        self.mshr.next_ready()
    }

    /// Puts `sectors` of a line in, one bit each, without any traffic (the copy before a kernel).
    pub fn preload(&mut self, line: u64, sectors: u8, now: u64) {
        self.tags.preload(line, sectors, now);
    }

    /// Forgets all lines.
    pub fn invalidate(&mut self) {
        self.tags.invalidate();
    }
}
