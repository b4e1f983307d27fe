//! Tags and the state of sectors.

use std::cell::Cell;

use super::super::request::{LINE, Request, SECTOR};
use super::Geometry;
use super::line::{Line, bit};
use super::recency::Recency;
use super::word_hash::hash;

/// Where a sector is, or could go. The numbers are indices of lines, or that of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Here.
    Hit(usize),
    /// On its way.
    Reserved(usize),
    /// Its line is here, the sector is not.
    Sector(usize),
    /// Not here; this set has an empty line.
    Empty(usize),
    /// Not here; this line makes room.
    Miss(usize),
    /// Not here, and no line can make room.
    Full,
}

/// A dirty line that made room.
#[derive(Debug, Clone, Copy)]
pub struct Evicted {
    /// Its address.
    pub line: u64,
    /// Dirty sectors.
    pub sectors: u8,
}

const NONE: u32 = u32::MAX;

/// The tags of a cache.
#[derive(Debug, Clone)]
pub struct Tags {
    index: super::Index,
    fifo: bool,
    dirty_percent: u64,
    /// By the hash of their addresses, the first lines; a power of two of them.
    buckets: Box<[u32]>,
    /// By their last use, or by when they came.
    order: Recency,
    /// Those that are not empty, in the order in which they were filled first: so neighbours are neighbours here, whatever their
    /// sets.
    lines: Vec<Line>,
    /// Lines in all.
    room: usize,
    ways: u32,
    /// Per set, the lines that are empty.
    empty: Vec<u32>,
    dirty: u64,
    /// The line found last.
    last: Cell<usize>,
}

impl Tags {
    pub fn new(geometry: &Geometry) -> Self {
        let room = geometry.sets * geometry.ways;
        Self {
            index: geometry.index.clone(),
            fifo: geometry.fifo,
            dirty_percent: geometry.dirty_percent,
            buckets: vec![NONE; room.next_power_of_two()].into(),
            order: Recency::new(geometry.sets, room),
            lines: Vec::with_capacity(room),
            room,
            ways: geometry.ways as u32,
            empty: vec![geometry.ways as u32; geometry.sets],
            dirty: 0,
            last: Cell::new(0),
        }
    }

    fn bucket(&self, line: u64) -> usize {
        hash(line / LINE) as usize & (self.buckets.len() - 1)
    }

    /// The place of the line `wanted`; neighbours are often asked for one after another.
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

    /// The line in place `at` leaves the list of those with its hash.
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

    pub fn probe(&self, address: u64, write: bool) -> Found {
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
        let set = (self.index.0)(address);
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

    pub fn touch(&mut self, line: usize, now: u64) {
        if !self.fifo {
            self.order.touch(line, self.lines[line].set, now);
        }
    }

    /// Makes room for the sector where `found` says, and marks it as on its way.
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

    /// What place `at`, in `set`, holds from now on: the line of `address`, with that sector on its way.
    fn begin(&mut self, at: usize, address: u64, set: u32) -> Line {
        let tag = address & !(LINE - 1);
        let bucket = self.bucket(tag);
        let next = std::mem::replace(&mut self.buckets[bucket], at as u32);
        let mut line = Line::new(tag, next, set);
        line.reserved = bit(address);
        line
    }

    /// Data are written into the sector of `request`.
    pub fn write(&mut self, line: usize, request: &Request) {
        let line = &mut self.lines[line];
        self.dirty += u64::from(line.modified == 0);
        line.write(request);
    }

    /// After a write to a sector that was not here.
    pub fn write_fresh(&mut self, line: usize, request: &Request) {
        self.lines[line].write_fresh(request);
    }

    /// After a write to a sector that is on its way.
    pub fn write_pending(&mut self, line: usize, request: &Request) {
        self.lines[line].write_pending(request);
    }

    /// `sectors` arrived, one bit each; `bytes` of each were asked for.
    pub fn fill(&mut self, line: usize, sectors: u8, bytes: u32) {
        let line = &mut self.lines[line];
        let was_modified = line.modified != 0;
        line.fill(sectors, bytes);
        self.dirty += u64::from(!was_modified && line.modified != 0);
    }

    /// Puts `sectors` of the line at `address` in, one bit each, valid and clean.
    pub fn preload(&mut self, address: u64, sectors: u8, now: u64) {
        let first = address + u64::from(sectors.trailing_zeros()) * SECTOR;
        let found = self.probe(first, true);
        let line = match found {
            Found::Hit(line) | Found::Reserved(line) => line,
            Found::Full => return,
            Found::Sector(_) | Found::Empty(_) | Found::Miss(_) => self.take(found, first, now).0,
        };
        self.touch(line, now);
        self.fill(line, sectors, 0);
    }

    pub fn invalidate(&mut self) {
        self.lines.clear();
        self.buckets.fill(NONE);
        self.order.clear();
        self.empty.fill(self.ways);
        self.dirty = 0;
    }
}

#[cfg(test)]
#[path = "tags_tests.rs"]
mod tests;
