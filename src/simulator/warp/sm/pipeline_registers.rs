//! What stands between two stages of an SM.

use super::flight::{FlightId, Unit};

/// One register per kind of unit and scheduler, between two stages.
#[derive(Debug, Clone)]
pub struct PipelineRegisters {
    /// What is in each place, and its rank in the order of issue.
    places: [(FlightId, u64); 64],
    /// Places that are taken, one bit each: by unit, then scheduler.
    taken: u64,
}

/// Schedulers, at most; so many places has each unit.
pub const LANES: usize = 8;

/// The first place of each unit, one bit each.
const FIRST_PLACES: u64 = 0x0000_0101_0101_0101;

impl PipelineRegisters {
    pub fn new() -> Self {
        Self {
            places: [(0, 0); 64],
            taken: 0,
        }
    }

    fn index(unit: Unit, scheduler: usize) -> usize {
        unit as usize * LANES + scheduler
    }

    pub fn is_free(&self, unit: Unit, scheduler: usize) -> bool {
        self.taken >> Self::index(unit, scheduler) & 1 == 0
    }

    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Places that are taken, one bit each: eight for each unit, one for each scheduler.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The units whose place for `scheduler` is taken.
    pub fn taken_for(&self, scheduler: usize) -> impl Iterator<Item = usize> + use<> {
        let mut bits = self.taken >> scheduler & FIRST_PLACES;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let unit = bits.trailing_zeros() as usize / LANES;
            bits &= bits - 1;
            Some(unit)
        })
    }

    /// Schedulers that have something in some place, one bit each.
    pub fn schedulers(&self) -> u64 {
        let folded = self.taken | self.taken >> 32;
        let folded = folded | folded >> 16;
        (folded | folded >> 8) & 0xff
    }

    pub fn put(&mut self, unit: Unit, scheduler: usize, flight: FlightId, order: u64) {
        let index = Self::index(unit, scheduler);
        self.places[index] = (flight, order);
        self.taken |= 1 << index;
    }

    /// What is in place `index`; to be asked of places that are taken.
    pub fn at(&self, index: usize) -> FlightId {
        self.places[index].0
    }

    pub fn clear(&mut self, index: usize) {
        self.taken &= !(1 << index);
    }

    /// The place of `unit` whose instruction was issued first, and its scheduler.
    pub fn oldest(&self, unit: Unit) -> Option<(usize, usize)> {
        let first = unit as usize * LANES;
        let mut bits = self.taken >> first & 0xff;
        if bits == 0 {
            return None;
        }
        let mut oldest = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        while bits != 0 {
            let scheduler = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if self.places[first + scheduler].1 < self.places[first + oldest].1 {
                oldest = scheduler;
            }
        }
        Some((first + oldest, oldest))
    }
}
