//! Instructions between issue and completion.

use super::super::code::{Instruction, RegisterSet};
use super::facts::Facts;
use super::operands::Operands;
use super::writes::Writes;

/// One sector that a warp's instruction touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Address of the sector.
    pub address: u64,
    /// Bytes touched.
    pub bytes: u32,
    /// Lanes that touch it.
    pub lanes: u8,
}

/// The number of an instruction on its way in its SM.
pub type FlightId = u32;

/// No instruction.
pub const NONE: FlightId = FlightId::MAX;

/// An instruction on its way.
#[derive(Debug, Clone)]
pub struct Flight {
    /// Rank in the order of issue.
    pub order: u64,
    pub slot: u16,
    pub scheduler: u8,
    /// Its place in the pipeline registers before the units.
    pub place: u8,
    /// What the machine does with it.
    pub facts: Facts,
    pub writes: Writes,
    /// The same registers, as a set.
    pub written: RegisterSet,
    /// What is still to be collected.
    pub operands: Operands,
    /// Sectors not yet given to the memory system; taken from the end.
    pub accesses: Vec<Access>,
    /// Answers, and sectors not yet given, that a load waits for.
    pub remaining: u32,
    /// Cycles that shared memory needs for its bank conflicts.
    pub conflicts: u32,
    /// Writes of `writes` whose bank was granted, in a writeback under way.
    pub granted: u8,
    /// The one that leaves its pipeline after it in the same cycle.
    pub next: FlightId,
}

/// All instructions on their way in an SM.
#[derive(Debug, Clone, Default)]
pub struct Flights {
    flights: Vec<Flight>,
    free: Vec<FlightId>,
    order: u64,
}

impl Flights {
    /// A place for a new instruction; nothing is to be collected, and no sector to be given.
    pub fn start(&mut self, facts: Facts, instruction: &Instruction) -> FlightId {
        self.order += 1;
        let id = self.free.pop().unwrap_or_else(|| self.add(facts));
        let flight = &mut self.flights[id as usize];
        flight.order = self.order;
        flight.facts = facts;
        flight.writes.set(&instruction.writes);
        flight.written.copy_from(instruction.written());
        flight.operands.clear();
        flight.accesses.clear();
        flight.remaining = 0;
        flight.granted = 0;
        id
    }

    #[cold]
    fn add(&mut self, facts: Facts) -> FlightId {
        self.flights.push(Flight {
            order: 0,
            slot: 0,
            scheduler: 0,
            place: 0,
            facts,
            writes: Writes::default(),
            written: RegisterSet::default(),
            operands: Operands::default(),
            accesses: Vec::new(),
            remaining: 0,
            conflicts: 0,
            granted: 0,
            next: NONE,
        });
        (self.flights.len() - 1) as FlightId
    }

    /// The instruction is through.
    pub fn end(&mut self, id: FlightId) {
        self.free.push(id);
    }

    pub fn get(&self, id: FlightId) -> &Flight {
        &self.flights[id as usize]
    }

    pub fn get_mut(&mut self, id: FlightId) -> &mut Flight {
        &mut self.flights[id as usize]
    }
}
