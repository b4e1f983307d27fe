//! In-flight instructions, between issue and completion.

use super::super::code::{Instruction, RegisterSet};
use super::facts::Facts;
use super::operands::Operands;
use super::writes::Writes;

/// An access of an instruction to one sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Address of the sector.
    pub address: u64,
    /// Accessed bytes, one bit each.
    pub bytes: u32,
    /// Number of lanes that access the sector.
    pub lanes: u8,
}

/// Number of an in-flight instruction on its SM.
pub type FlightId = u32;

/// The number for no instruction.
pub const NONE: FlightId = FlightId::MAX;

/// An in-flight instruction.
#[derive(Debug, Clone)]
pub struct Flight {
    /// Position in the order of issue.
    pub order: u64,
    pub slot: u16,
    pub scheduler: u8,
    /// Place of the instruction in the pipeline registers before the units.
    pub place: u8,
    /// How the machine executes the instruction.
    pub facts: Facts,
    pub writes: Writes,
    /// Written registers, as a set.
    pub written: RegisterSet,
    /// Operands that are not yet collected.
    pub operands: Operands,
    /// Sectors that are not yet sent to the memory system, in reverse order.
    pub accesses: Vec<Access>,
    /// Number of pending answers and unsent sectors that a load waits for.
    pub remaining: u32,
    /// Cycles of shared memory, including bank conflicts.
    pub conflicts: u32,
    /// Number of writes in `writes` whose bank was granted, during a writeback.
    pub granted: u8,
    /// Next instruction that leaves the pipeline in the same cycle.
    pub next: FlightId,
}

/// All in-flight instructions of an SM.
#[derive(Debug, Clone, Default)]
pub struct Flights {
    flights: Vec<Flight>,
    free: Vec<FlightId>,
    order: u64,
}

impl Flights {
    /// Allocates a new in-flight instruction without operands and sectors.
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

    /// Releases a completed instruction.
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
