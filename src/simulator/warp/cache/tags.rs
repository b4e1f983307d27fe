//! Tags and the state of sectors.

use std::cell::Cell;

use super::super::request::{LINE, Request, SECTOR};
use super::Geometry;
use super::recency::Recency;
use super::word_hash::WordMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sector {
    Invalid,
    Reserved,
    Valid,
    Modified,
}

#[derive(Debug, Clone)]
struct Line {
    sectors: [Sector; 4],
    readable: [bool; 4],
    modified_on_fill: [bool; 4],
    readable_on_fill: [bool; 4],
    bytes_on_fill: bool,
    dirty: [u32; 4],
}

impl Line {
    fn empty() -> Self {
        Self {
            sectors: [Sector::Invalid; 4],
            readable: [true; 4],
            modified_on_fill: [false; 4],
            readable_on_fill: [false; 4],
            bytes_on_fill: false,
            dirty: [0; 4],
        }
    }

    fn is_reserved(&self) -> bool {
        self.sectors.contains(&Sector::Reserved)
    }

    fn is_modified(&self) -> bool {
        self.sectors.contains(&Sector::Modified)
    }
}

/// Where a sector is, or could go. The numbers are indices of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Here.
    Hit(usize),
    /// On its way.
    Reserved(usize),
    /// Its line is here, the sector is not.
    Sector(usize),
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

const NO_LINE: u64 = u64::MAX;

/// The tags of a cache.
#[derive(Debug, Clone)]
pub struct Tags {
    index: super::Index,
    ways: usize,
    fifo: bool,
    dirty_percent: u64,
    tags: Vec<u64>,
    /// Where each line that is here is.
    places: WordMap<u32>,
    /// By their last use, or by when they came.
    order: Recency,
    lines: Vec<Line>,
    /// Per set, the lines that are empty; they are the first ones.
    empty: Vec<usize>,
    dirty: u64,
    /// The line found last.
    last: Cell<usize>,
}

impl Tags {
    pub fn new(geometry: &Geometry) -> Self {
        let lines = geometry.sets * geometry.ways;
        Self {
            index: geometry.index.clone(),
            ways: geometry.ways,
            fifo: geometry.fifo,
            dirty_percent: geometry.dirty_percent,
            tags: vec![NO_LINE; lines],
            places: WordMap::default(),
            order: Recency::new(geometry.sets, geometry.ways),
            lines: vec![Line::empty(); lines],
            empty: vec![geometry.ways; geometry.sets],
            dirty: 0,
            last: Cell::new(0),
        }
    }

    /// The place of the line `wanted`; neighbours are often asked for one after another.
    fn find(&self, wanted: u64) -> Option<usize> {
        let last = self.last.get();
        if self.tags.get(last) == Some(&wanted) {
            return Some(last);
        }
        let found = *self.places.get(&wanted)? as usize;
        self.last.set(found);
        Some(found)
    }

    pub fn probe(&self, address: u64, write: bool) -> Found {
        let sector = (address / SECTOR % 4) as usize;
        if let Some(line) = self.find(address & !(LINE - 1)) {
            return match self.lines[line].sectors[sector] {
                Sector::Reserved => Found::Reserved(line),
                Sector::Valid => Found::Hit(line),
                Sector::Modified if write || self.lines[line].readable[sector] => Found::Hit(line),
                Sector::Modified | Sector::Invalid => Found::Sector(line),
            };
        }
        // Empty lines are taken from the last one down, as the reference does.
        let set = (self.index.0)(address);
        if let Some(way) = self.empty[set].checked_sub(1) {
            return Found::Miss(set * self.ways + way);
        }
        let dirty_may_go = self.dirty * 100 >= self.dirty_percent * self.lines.len() as u64;
        let may_go = |line: usize| {
            let line = &self.lines[line];
            !line.is_reserved() && (dirty_may_go || !line.is_modified())
        };
        self.order.oldest(set, may_go).map_or(Found::Full, Found::Miss)
    }

    pub fn touch(&mut self, line: usize, now: u64) {
        if !self.fifo {
            self.order.touch(line, now);
        }
    }

    /// Makes room for the sector where `found` says, and marks it as on its way.
    pub fn take(&mut self, found: Found, address: u64, now: u64) -> (usize, Option<Evicted>) {
        let sector = (address / SECTOR % 4) as usize;
        match found {
            Found::Hit(line) | Found::Reserved(line) => {
                self.touch(line, now);
                (line, None)
            }
            Found::Sector(line) => {
                let was_modified = self.lines[line].is_modified();
                let state = &mut self.lines[line];
                state.modified_on_fill[sector] = state.sectors[sector] == Sector::Modified;
                state.readable_on_fill[sector] = false;
                state.readable[sector] = true;
                state.sectors[sector] = Sector::Reserved;
                if was_modified && !state.is_modified() {
                    self.dirty -= 1;
                }
                self.touch(line, now);
                (line, None)
            }
            Found::Miss(line) => {
                let old = &self.lines[line];
                let dirty = self.tags[line] != NO_LINE && old.is_modified();
                let evicted = dirty.then(|| Evicted {
                    line: self.tags[line],
                    sectors: old
                        .sectors
                        .iter()
                        .filter(|&&state| state == Sector::Modified)
                        .count() as u8,
                });
                self.dirty -= u64::from(evicted.is_some());
                match self.tags[line] {
                    NO_LINE => self.empty[line / self.ways] -= 1,
                    old => drop(self.places.remove(&old)),
                }
                self.tags[line] = address & !(LINE - 1);
                self.places.insert(self.tags[line], line as u32);
                self.order.touch(line, now);
                self.lines[line] = Line::empty();
                self.lines[line].sectors[sector] = Sector::Reserved;
                (line, evicted)
            }
            Found::Full => (0, None),
        }
    }

    /// Data are written into the sector of `request`.
    pub fn write(&mut self, line: usize, request: &Request) {
        let sector = request.sector();
        let state = &mut self.lines[line];
        self.dirty += u64::from(!state.is_modified());
        state.sectors[sector] = Sector::Modified;
        state.dirty[sector] |= request.bytes;
        if state.dirty[sector] == u32::MAX {
            state.readable[sector] = true;
        }
    }

    /// After a write to a sector that was not here: it can be read if it was written as a whole.
    pub fn write_fresh(&mut self, line: usize, request: &Request) {
        let state = &mut self.lines[line];
        state.readable[request.sector()] = state.dirty[request.sector()] == u32::MAX;
    }

    /// After a write to a sector that is on its way: what arrives completes it.
    pub fn write_pending(&mut self, line: usize, request: &Request) {
        let sector = request.sector();
        let state = &mut self.lines[line];
        state.modified_on_fill[sector] = true;
        state.bytes_on_fill = true;
        if request.bytes != u32::MAX {
            state.readable[sector] = state.dirty[sector] == u32::MAX;
            state.readable_on_fill[sector] = true;
        }
    }

    /// The sector arrived.
    pub fn fill(&mut self, line: usize, sector: usize, bytes: u32) {
        let state = &mut self.lines[line];
        let was_modified = state.is_modified();
        state.sectors[sector] = if state.modified_on_fill[sector] {
            Sector::Modified
        } else {
            Sector::Valid
        };
        if state.readable_on_fill[sector] {
            state.readable[sector] = true;
            state.readable_on_fill[sector] = false;
        }
        if state.bytes_on_fill {
            state.dirty[sector] |= bytes;
        }
        if !was_modified && state.is_modified() {
            self.dirty += 1;
        }
    }

    /// Puts `sectors` of the line at `address` in, one bit each, valid and clean.
    pub fn preload(&mut self, address: u64, sectors: u8, now: u64) {
        let first = address + u64::from(sectors.trailing_zeros()) * SECTOR;
        let found = self.probe(first, true);
        let line = match found {
            Found::Hit(line) | Found::Reserved(line) => line,
            Found::Full => return,
            Found::Sector(_) | Found::Miss(_) => self.take(found, first, now).0,
        };
        self.touch(line, now);
        for sector in (0..4).filter(|sector| sectors >> sector & 1 == 1) {
            self.fill(line, sector, 0);
        }
    }

    pub fn invalidate(&mut self) {
        self.tags.fill(NO_LINE);
        self.places.clear();
        self.order.clear();
        self.empty.fill(self.ways);
        self.dirty = 0;
    }
}
