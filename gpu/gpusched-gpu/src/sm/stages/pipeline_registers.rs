//! Pipeline registers between two stages of an SM.

use crate::sm::facts::{UNITS, Unit};
use crate::sm::flight::FlightId;

/// Pipeline registers between two stages, one for each unit kind and scheduler.
#[derive(Debug, Clone)]
pub struct PipelineRegisters {
    /// Instruction in each place, with its position in the order of issue. The array has 64 entries, more than the
    /// number of places. Therefore, every bit number of the mask `taken` is a valid index.
    places: [(FlightId, u64); 64],
    /// Bit mask of the occupied places. Places are ordered by unit kind, then by scheduler.
    taken: u64,
    /// First place of each unit kind.
    first: [u8; UNITS],
    /// Unit kinds, in the order of their places.
    order: [Unit; UNITS],
    /// Binary logarithm of the number of places of each unit kind: 2 for at most 4 schedulers, otherwise 3.
    lanes_log: u32,
    /// Bit mask of the first place of each unit kind.
    firsts: u64,
    /// First place of the last unit kind.
    last: u8,
}

/// Maximum number of schedulers.
pub const MAX_SCHEDULERS: usize = 8;

/// Maximum number of schedulers of an SM with specialized units. Up to this number, each kind of unit has one place per
/// scheduler.
pub const FEW_SCHEDULERS: usize = 4;

/// Length of arrays with one entry per place.
pub const PLACES: usize = 64;

impl PipelineRegisters {
    /// Creates empty registers for `schedulers` schedulers. `order` is the order of the unit kinds.
    pub fn new(order: &[Unit], schedulers: usize) -> Self {
        let lanes_log = if schedulers <= FEW_SCHEDULERS { 2 } else { 3 };
        let mut registers = Self {
            places: [(0, 0); PLACES],
            taken: 0,
            first: [0; UNITS],
            order: [Unit::Mem; UNITS],
            lanes_log,
            firsts: 0,
            last: 0,
        };
        for (rank, &unit) in order.iter().enumerate() {
            let first = rank << lanes_log;
            registers.order[rank] = unit;
            registers.first[unit as usize] = first as u8;
            registers.firsts |= 1 << first;
            registers.last = first as u8;
        }
        registers
    }

    /// Returns the place for `unit` and `scheduler`.
    pub fn place(&self, unit: Unit, scheduler: usize) -> u8 {
        self.first[unit as usize] + scheduler as u8
    }

    /// Returns the scheduler of `place`.
    pub fn scheduler(&self, place: usize) -> usize {
        place & ((1 << self.lanes_log) - 1)
    }

    /// Returns the first place of the last unit kind.
    pub fn last(&self) -> usize {
        self.last.into()
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
        let mut bits = self.taken >> scheduler & self.firsts;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let rank = (bits.trailing_zeros() >> self.lanes_log) as usize;
            bits &= bits - 1;
            Some(self.order[rank])
        })
    }

    /// Returns the bit mask of the schedulers with at least one occupied place.
    pub fn schedulers(&self) -> u64 {
        let folded = self.taken | self.taken >> 32;
        let folded = folded | folded >> 16;
        let folded = folded | folded >> 8;
        match self.lanes_log {
            2 => (folded | folded >> 4) & 0xf,
            _ => folded & 0xff,
        }
    }

    /// Returns the unit kinds with at least one occupied place. The bit of the first place of a
    /// unit kind represents the unit kind.
    pub fn units(&self) -> u64 {
        let folded = match self.lanes_log {
            2 => self.taken,
            _ => self.taken | self.taken >> 4,
        };
        let folded = folded | folded >> 2;
        (folded | folded >> 1) & self.firsts
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
        let lanes = (1 << (1 << self.lanes_log)) - 1;
        let mut bits = self.taken & (lanes << first);
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
