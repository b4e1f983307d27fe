//! Functional units: pipelines with an initiation interval, and the buses that take their results to writeback.
//!
//! When a unit takes an instruction, all that will happen to it there is decided: the cycle in which its result bus is taken,
//! the cycle in which the unit is free again, and the cycle in which the instruction leaves.

use super::pipeline_registers::PLACES;
use crate::sm::facts::Facts;
use crate::sm::flight::{FlightId, Flights, NONE};

/// The pipelines of an SM, one for each place of the pipeline registers before them.
#[derive(Debug, Clone)]
pub struct Pipelines {
    /// Per place, the cycle from which on its pipeline takes another instruction.
    free_at: [u64; PLACES],
    /// By cycle, as far ahead as can be: the places that have a result bus, one bit each.
    buses: Box<[u64]>,
    /// By cycle: the first of the instructions that leave, in the order of places; the others follow.
    leaving: Box<[FlightId]>,
    /// Result buses.
    width: u32,
    /// Instructions inside.
    inside: usize,
}

impl Pipelines {
    /// Pipelines whose instructions leave after `longest` cycles, or a few more, and share `width` result buses.
    pub fn new(longest: usize, width: u32) -> Self {
        let cycles = (longest + 4).next_power_of_two();
        Self {
            free_at: [0; PLACES],
            buses: vec![0; cycles].into(),
            leaving: vec![NONE; cycles].into(),
            width,
            inside: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.inside == 0
    }

    fn index(&self, cycle: u64) -> usize {
        cycle as usize & (self.buses.len() - 1)
    }

    /// The first of the instructions that leave in cycle `now`; to be called in each cycle while something is inside.
    pub fn leave(&mut self, now: u64) -> FlightId {
        let index = self.index(now);
        self.buses[index] = 0;
        std::mem::replace(&mut self.leaving[index], NONE)
    }

    /// An instruction that left is through.
    pub fn left(&mut self) {
        self.inside -= 1;
    }

    /// Takes an instruction in its place if the unit and a result bus are free; says whether.
    pub fn take(&mut self, place: usize, id: FlightId, flights: &mut Flights, now: u64) -> bool {
        if now < self.free_at[place] {
            return false;
        }
        let Facts {
            latency, initiation, ..
        } = flights.get(id).facts;
        let result = self.index(now + u64::from(latency));
        let buses = &mut self.buses[result];
        if *buses != 0 && (*buses >> place & 1 == 1 || buses.count_ones() >= self.width) {
            return false;
        }
        *buses |= 1 << place;
        // It enters after the initiation interval, when nothing else leaves with it.
        let depth = u64::from(latency.saturating_sub(initiation));
        let mut enters = now + u64::from(initiation);
        while !self.join(enters + depth + 1, id, flights) {
            enters += 1;
        }
        self.free_at[place] = enters;
        self.inside += 1;
        true
    }

    /// An instruction leaves in `cycle`, unless another one does in the same place; says whether.
    fn join(&mut self, cycle: u64, id: FlightId, flights: &mut Flights) -> bool {
        let index = self.index(cycle);
        let place = flights.get(id).place;
        let (mut before, mut next) = (NONE, self.leaving[index]);
        while next != NONE && flights.get(next).place < place {
            (before, next) = (next, flights.get(next).next);
        }
        if next != NONE && flights.get(next).place == place {
            return false;
        }
        flights.get_mut(id).next = next;
        match before {
            NONE => self.leaving[index] = id,
            before => flights.get_mut(before).next = id,
        }
        true
    }
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
