//! Tags of a cache, and states of its sectors.

use std::cell::Cell;

use super::super::request::{LINE, Request, SECTOR};
use super::Geometry;
use super::line::{Line, bit};
use super::recency::Recency;
use super::word_hash::hash;

/// Result of a search for a sector. The number in [`Found::Empty`] is the index of a set; all other numbers are indices
/// of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The sector is present in this line.
    Hit(usize),
    /// The sector is reserved in this line, so its fill is pending.
    Reserved(usize),
    /// The line is present, but the sector is absent.
    Sector(usize),
    /// The line is absent. The set with this index has an empty line.
    Empty(usize),
    /// The line is absent. The line with this index can be evicted.
    Miss(usize),
    /// The line is absent, and no line of its set can be evicted.
    Full,
}

/// Dirty line that was evicted.
#[derive(Debug, Clone, Copy)]
pub struct Evicted {
    /// Address of the line.
    pub line: u64,
    /// Number of dirty sectors.
    pub sectors: u8,
    /// Index of the last kernel that wrote to the line.
    pub writer: u8,
}

const NONE: u32 = u32::MAX;

/// Tags of a cache.
#[derive(Debug, Clone)]
pub struct Tags {
    index: super::Index,
    fifo: bool,
    dirty_percent: u64,
    /// First line for each hash of an address. The number of buckets is a power of two.
    buckets: Box<[u32]>,
    /// Order of the lines of each set by last use, or by allocation if the policy is first in, first out.
    order: Recency,
    /// Lines that are not empty, in the order of their first fill. Lines that were filled in
    /// succession are adjacent, even if they belong to different sets.
    lines: Vec<Line>,
    /// Total number of lines of all sets.
    room: usize,
    /// Number of lines of each set.
    ways: Box<[u32]>,
    /// Number of empty lines of each set.
    empty: Vec<u32>,
    dirty: u64,
    /// Index of the line that the last successful search found.
    last: Cell<usize>,
}

impl Tags {
    pub fn new(geometry: &Geometry) -> Self {
        let room = geometry.ways.iter().map(|&ways| ways as usize).sum::<usize>();
        Self {
            index: geometry.index.clone(),
            fifo: geometry.fifo,
            dirty_percent: geometry.dirty_percent,
            buckets: vec![NONE; room.next_power_of_two()].into(),
            order: Recency::new(geometry.ways.len(), room),
            lines: Vec::with_capacity(room),
            room,
            ways: geometry.ways.clone().into(),
            empty: geometry.ways.clone(),
            dirty: 0,
            last: Cell::new(0),
        }
    }

    fn bucket(&self, line: u64) -> usize {
        hash(line / LINE) as usize & (self.buckets.len() - 1)
    }

    /// Returns the index of the line with address `wanted`. First tries the last result, because
    /// accesses to neighboring sectors often follow each other.
    fn find(&self, wanted: u64) -> Option<usize> {
        let last = self.last.get();
        if self.lines.get(last).is_some_and(|line| line.tag == wanted) {
            return Some(last);
        }
        let mut at = self.buckets[self.bucket(wanted)];
        while let Some(line) = self.lines.get(at as usize) {
            if line.tag == wanted {
                self.last.set(at as usize);
                return Some(at as usize);
            }
            at = line.next;
        }
        None
    }

    /// Removes the line at index `at` from the chain of lines with the same hash.
    fn unlink(&mut self, at: usize) {
        let Line { tag, next, .. } = self.lines[at];
        let bucket = self.bucket(tag);
        let mut before = self.buckets[bucket];
        if before == at as u32 {
            self.buckets[bucket] = next;
            return;
        }
        while let Some(line) = self.lines.get_mut(before as usize) {
            if line.next == at as u32 {
                line.next = next;
                return;
            }
            before = line.next;
        }
    }

    pub fn probe(&self, kernel: u8, address: u64, write: bool) -> Found {
        if let Some(at) = self.find(address & !(LINE - 1)) {
            let (line, bit) = (&self.lines[at], bit(address));
            let here = line.valid | line.modified & if write { u8::MAX } else { line.readable };
            return if here & bit != 0 {
                Found::Hit(at)
            } else if line.reserved & bit != 0 {
                Found::Reserved(at)
            } else {
                Found::Sector(at)
            };
        }
        let set = (self.index.0)(kernel, address);
        if self.empty[set] > 0 {
            return Found::Empty(set);
        }
        let dirty_may_go = self.dirty * 100 >= self.dirty_percent * self.room as u64;
        let may_go = |line: usize| {
            let line = &self.lines[line];
            line.reserved == 0 && (dirty_may_go || line.modified == 0)
        };
        self.order.oldest(set, may_go).map_or(Found::Full, Found::Miss)
    }

    /// Returns a line to evict for `address` if its set is full, some of its lines have reserved sectors, and no fill of these
    /// sectors is pending. Returns [`Found::Full`] otherwise. `pending` states whether the fill of a sector is pending.
    ///
    /// After its fill, a line can be evicted while requests for its sector still wait. If a read then reserves the
    /// sector again, the read joins these requests, so no fill of the new line follows. GPGPU-Sim has the same rules.
    /// Without this function, a set would stay full forever if all its lines were in this state or dirty, and the kernel would
    /// not end. A set with one line often reaches this state. A larger set of L1 also reaches it, if many loads use this set.
    pub fn abandoned(&self, kernel: u8, address: u64, pending: impl Fn(u64) -> bool) -> Found {
        let set = (self.index.0)(kernel, address);
        let is_pending = |line: usize| {
            let line = &self.lines[line];
            let sectors = (0..LINE).step_by(SECTOR as usize).map(|at| line.tag + at);
            let mut reserved = sectors.filter(|&sector| line.reserved & bit(sector) != 0);
            reserved.any(&pending)
        };
        let is_reserved = |line: usize| self.lines[line].reserved != 0;
        match self.order.oldest(set, is_pending) {
            Some(_) => Found::Full,
            None => self
                .order
                .oldest(set, is_reserved)
                .map_or(Found::Full, Found::Miss),
        }
    }

    pub fn touch(&mut self, line: usize, now: u64) {
        if !self.fifo {
            self.order.touch(line, self.lines[line].set, now);
        }
    }

    /// Allocates the sector that the search result `found` describes, and marks its fill as
    /// pending. Returns the index of its line, and the evicted line if it was dirty.
    pub fn take(&mut self, found: Found, address: u64, now: u64) -> (usize, Option<Evicted>) {
        let bit = bit(address);
        match found {
            Found::Hit(line) | Found::Reserved(line) => {
                self.touch(line, now);
                (line, None)
            }
            Found::Sector(line) => {
                let state = &mut self.lines[line];
                let was_modified = state.modified != 0;
                state.expect(bit);
                if was_modified && state.modified == 0 {
                    self.dirty -= 1;
                }
                self.touch(line, now);
                (line, None)
            }
            Found::Empty(set) => {
                self.empty[set] -= 1;
                let line = self.lines.len();
                let begun = self.begin(line, address, set as u32);
                self.lines.push(begun);
                self.order.add();
                self.order.touch(line, set as u32, now);
                (line, None)
            }
            Found::Miss(line) => {
                let old = &self.lines[line];
                let (set, dirty) = (old.set, old.modified != 0);
                let evicted = dirty.then(|| Evicted {
                    line: old.tag,
                    sectors: old.modified.count_ones() as u8,
                    writer: old.writer,
                });
                self.dirty -= u64::from(dirty);
                self.unlink(line);
                self.lines[line] = self.begin(line, address, set);
                self.order.touch(line, set, now);
                (line, evicted)
            }
            Found::Full => (0, None),
        }
    }

    /// Creates the line of `address` in set `set`, for index `at`. The fill of the addressed
    /// sector is pending.
    fn begin(&mut self, at: usize, address: u64, set: u32) -> Line {
        let tag = address & !(LINE - 1);
        let bucket = self.bucket(tag);
        let next = std::mem::replace(&mut self.buckets[bucket], at as u32);
        let mut line = Line::new(tag, next, set);
        line.reserved = bit(address);
        line
    }

    /// Writes data to the sector that `request` accesses.
    pub fn write(&mut self, line: usize, request: &Request) {
        let line = &mut self.lines[line];
        self.dirty += u64::from(line.modified == 0);
        line.write(request);
    }

    /// Updates the line after a write to a sector that was absent.
    pub fn write_fresh(&mut self, line: usize, request: &Request) {
        self.lines[line].write_fresh(request);
    }

    /// Updates the line after a write to a sector whose fill is pending.
    pub fn write_pending(&mut self, line: usize, request: &Request) {
        self.lines[line].write_pending(request);
    }

    /// Fills the sectors in `sectors`. `bytes` is a bit mask of the requested bytes, equal for each of these sectors.
    pub fn fill(&mut self, line: usize, sectors: u8, bytes: u32) {
        let line = &mut self.lines[line];
        let was_modified = line.modified != 0;
        line.fill(sectors, bytes);
        self.dirty += u64::from(!was_modified && line.modified != 0);
    }

    /// Fills sectors of the line at `address`, so that they are valid and clean. `sectors` has
    /// one bit per sector.
    pub fn preload(&mut self, kernel: u8, address: u64, sectors: u8, now: u64) {
        let first = address + u64::from(sectors.trailing_zeros()) * SECTOR;
        let found = self.probe(kernel, first, true);
        let line = match found {
            Found::Hit(line) | Found::Reserved(line) => line,
            Found::Full => return,
            Found::Sector(_) | Found::Empty(_) | Found::Miss(_) => self.take(found, first, now).0,
        };
        self.touch(line, now);
        self.fill(line, sectors, 0);
    }

    /// For each line, returns the last kernel that wrote to it and its number of dirty sectors.
    pub fn dirty(&self) -> impl Iterator<Item = (u8, u32)> {
        self.lines
            .iter()
            .map(|line| (line.writer, line.modified.count_ones()))
    }

    /// Invalidates all sectors whose fill is not pending. The lines keep their places.
    pub fn forget(&mut self) {
        for line in &mut self.lines {
            line.forget(!line.reserved);
        }
        self.dirty = 0;
    }

    pub fn invalidate(&mut self) {
        self.lines.clear();
        self.buckets.fill(NONE);
        self.order.clear();
        self.empty.copy_from_slice(&self.ways);
        self.dirty = 0;
    }
}

#[cfg(test)]
#[path = "tags_tests.rs"]
mod tests;
