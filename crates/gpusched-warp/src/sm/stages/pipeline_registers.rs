//! What stands between two stages of an SM.

use crate::sm::facts::{UNITS, Unit};
use crate::sm::flight::FlightId;

/// One register per kind of unit and scheduler, between two stages.
#[derive(Debug, Clone)]
pub struct PipelineRegisters {
    /// What is in each place, and its rank in the order of issue; more of them than places, so that any bit of a word has one.
    places: [(FlightId, u64); 64],
    /// Places that are taken, one bit each: by unit, then scheduler.
    taken: u64,
    /// By unit, how many come before it.
    ranks: [u8; UNITS],
    /// The units in order.
    order: [Unit; UNITS],
}

/// Schedulers, at most; so many places has each unit.
pub const LANES: usize = 8;

/// Places in all.
pub const PLACES: usize = UNITS * LANES;

/// The first place of each unit, one bit each.
const FIRST_PLACES: u64 = 0x0000_0101_0101_0101;

impl PipelineRegisters {
    /// Empty ones, with the places of the units in `order`.
    pub fn new(order: [Unit; UNITS]) -> Self {
        let mut ranks = [0; UNITS];
        for (rank, unit) in order.into_iter().enumerate() {
            ranks[unit as usize] = rank as u8;
        }
        Self {
            places: [(0, 0); 64],
            taken: 0,
            ranks,
            order,
        }
    }

    /// The place of `unit` and `scheduler`.
    pub fn place(&self, unit: Unit, scheduler: usize) -> u8 {
        self.ranks[unit as usize] * LANES as u8 + scheduler as u8
    }

    pub fn is_free(&self, place: u8) -> bool {
        self.taken & bit(place.into()) == 0
    }

    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Places that are taken, one bit each.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The units whose place for `scheduler` is taken.
    pub fn taken_for(&self, scheduler: usize) -> impl Iterator<Item = Unit> {
        let mut bits = self.taken >> scheduler & FIRST_PLACES;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let rank = bits.trailing_zeros() as usize / LANES;
            bits &= bits - 1;
            Some(self.order[rank])
        })
    }

    /// Schedulers that have something in some place, one bit each.
    pub fn schedulers(&self) -> u64 {
        let folded = self.taken | self.taken >> 32;
        let folded = folded | folded >> 16;
        (folded | folded >> 8) & 0xff
    }

    /// The first places of those units that have something in some place, one bit each.
    pub fn units(&self) -> u64 {
        let folded = self.taken | self.taken >> 4;
        let folded = folded | folded >> 2;
        (folded | folded >> 1) & FIRST_PLACES
    }

    pub fn put(&mut self, place: u8, flight: FlightId, order: u64) {
        self.places[place as usize & 63] = (flight, order);
        self.taken |= bit(place.into());
    }

    /// What is in place `index`; to be asked of places that are taken.
    pub fn at(&self, index: usize) -> FlightId {
        self.places[index & 63].0
    }

    /// What is in place `index`, and its rank in the order of issue; as [`Self::at`].
    pub fn at_with_order(&self, index: usize) -> (FlightId, u64) {
        self.places[index & 63]
    }

    pub fn clear(&mut self, index: usize) {
        self.taken &= !bit(index as u32);
    }

    /// Of the unit whose first place is `first`: the place with the instruction that was issued first, if it has any.
    pub fn oldest(&self, first: usize) -> Option<usize> {
        let mut bits = self.taken & (0xff << first);
        if bits == 0 {
            return None;
        }
        let mut oldest = lowest(&mut bits);
        while bits != 0 {
            let place = lowest(&mut bits);
            if self.places[place & 63].1 < self.places[oldest & 63].1 {
                oldest = place;
            }
        }
        Some(oldest)
    }
}

/// The lowest of `bits`, which are some, taken out.
pub fn lowest(bits: &mut u64) -> usize {
    let lowest = bits.trailing_zeros() as usize;
    *bits &= bits.wrapping_sub(1);
    lowest
}

/// A set of one place.
fn bit(place: u32) -> u64 {
    1_u64.wrapping_shl(place)
}
