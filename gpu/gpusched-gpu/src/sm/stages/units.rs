//! Functional units: pipelines with an initiation interval, and result buses for the writeback.
//!
//! When a unit accepts an instruction, it fixes three cycles: when the instruction uses the result bus, when the unit
//! is free again, and when the instruction leaves the unit.

use super::pipeline_registers::PLACES;
use crate::sm::facts::Facts;
use crate::sm::flight::{FlightId, Flights, NONE};

/// Pipelines of the functional units of an SM. Each place in the pipeline registers before the units has one pipeline.
#[derive(Debug, Clone)]
pub struct Pipelines {
    /// First cycle when the pipeline of each place accepts another instruction.
    free_at: [u64; PLACES],
    /// For each future cycle, the bit mask of the places that have reserved a result bus.
    buses: Box<[u64]>,
    /// For each future cycle, the first instruction in the list of leaving instructions. Each
    /// list is sorted by place.
    leaving: Box<[FlightId]>,
    /// Number of result buses that the pipelines share.
    width: u32,
    /// Number of instructions in the pipelines.
    inside: usize,
}

impl Pipelines {
    /// Creates pipelines that share `width` result buses. `longest` is the largest latency or initiation interval
    /// [cycles]. An instruction may leave its pipeline a few cycles after this time.
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

    /// Returns the first instruction in the list of instructions that leave in cycle `now`. While
    /// the pipelines contain an instruction, the caller must call this function in every cycle.
    pub fn leave(&mut self, now: u64) -> FlightId {
        let index = self.index(now);
        self.buses[index] = 0;
        std::mem::replace(&mut self.leaving[index], NONE)
    }

    /// Records that an instruction has left its pipeline.
    pub fn left(&mut self) {
        self.inside -= 1;
    }

    /// Accepts an instruction in the pipeline of `place` if the pipeline and a result bus are free. Returns whether the
    /// instruction was accepted.
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
        // The instruction enters the pipeline after the initiation interval. If another
        // instruction would leave the pipeline in the same cycle as this instruction, this
        // instruction enters later.
        let depth = u64::from(latency.saturating_sub(initiation));
        let mut enters = now + u64::from(initiation);
        while !self.join(enters + depth + 1, id, flights) {
            enters += 1;
        }
        self.free_at[place] = enters;
        self.inside += 1;
        true
    }

    /// Schedules the instruction to leave in `cycle`. Returns false if another instruction leaves the same pipeline in
    /// this cycle.
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
