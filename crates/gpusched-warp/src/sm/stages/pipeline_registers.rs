//! Pipeline registers between two stages of an SM.

use crate::sm::facts::{UNITS, Unit};
use crate::sm::flight::FlightId;

/// Pipeline registers between two stages, one for each unit kind and scheduler.
#[derive(Debug, Clone)]
pub struct PipelineRegisters {
    /// Instruction in each place, with the position of the instruction in the order of issue.
    /// The array has 64 entries, more than the number of places. Therefore, every bit number of the
    /// mask `taken` is a valid index.
    places: [(FlightId, u64); 64],
    /// Bit mask of the occupied places. Places are ordered by unit kind, then by scheduler.
    taken: u64,
    /// For each unit kind, the number of kinds that precede it in `order`.
    ranks: [u8; UNITS],
    /// Unit kinds, in the order of their places.
    order: [Unit; UNITS],
}

/// Maximum number of schedulers, which is the number of places of each unit kind.
pub const LANES: usize = 8;

/// Total number of places.
pub const PLACES: usize = UNITS * LANES;

/// Bit mask of the first place of each unit kind.
const FIRST_PLACES: u64 = 0x0000_0101_0101_0101;

impl PipelineRegisters {
    /// Creates empty registers. `order` is the order of the unit kinds.
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

    /// Returns the place for `unit` and `scheduler`.
    pub fn place(&self, unit: Unit, scheduler: usize) -> u8 {
        self.ranks[unit as usize] * LANES as u8 + scheduler as u8
    }

    pub fn is_free(&self, place: u8) -> bool {
        self.taken & bit(place.into()) == 0
    }

    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Returns the bit mask of the occupied places.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the unit kinds whose place for `scheduler` is occupied.
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

    /// Returns the bit mask of the schedulers with at least one occupied place.
    pub fn schedulers(&self) -> u64 {
        let folded = self.taken | self.taken >> 32;
        let folded = folded | folded >> 16;
        (folded | folded >> 8) & 0xff
    }

    /// Returns the unit kinds with at least one occupied place. The bit of the first place of a
    /// unit kind represents the unit kind.
    pub fn units(&self) -> u64 {
        let folded = self.taken | self.taken >> 4;
        let folded = folded | folded >> 2;
        (folded | folded >> 1) & FIRST_PLACES
    }

    pub fn put(&mut self, place: u8, flight: FlightId, order: u64) {
        self.places[place as usize & 63] = (flight, order);
        self.taken |= bit(place.into());
    }

    /// Returns the instruction in place `index`, which must be occupied.
    pub fn at(&self, index: usize) -> FlightId {
        self.places[index & 63].0
    }

    /// Returns the instruction in place `index` and its position in the order of issue. The place must be occupied.
    pub fn at_with_order(&self, index: usize) -> (FlightId, u64) {
        self.places[index & 63]
    }

    pub fn clear(&mut self, index: usize) {
        self.taken &= !bit(index as u32);
    }

    /// Returns the place of the oldest instruction among the places of one unit kind. `first` is
    /// the first place of this kind. Returns `None` if all places of this kind are empty.
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

/// Clears the lowest set bit of `bits` and returns its number. At least one bit must be set.
pub fn lowest(bits: &mut u64) -> usize {
    let lowest = bits.trailing_zeros() as usize;
    *bits &= bits.wrapping_sub(1);
    lowest
}

/// Returns the bit mask of `place`.
fn bit(place: u32) -> u64 {
    1_u64.wrapping_shl(place)
}
