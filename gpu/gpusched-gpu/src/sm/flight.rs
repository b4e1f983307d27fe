//! In-flight instructions: instructions that are issued but have not completed.

use super::super::code::{Instruction, RegisterSet};
use super::facts::Facts;
use super::operands::Operands;
use super::writes::Writes;

/// Access of an instruction to one sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Address of the sector.
    pub address: u64,
    /// Accessed bytes of the sector, one bit per byte.
    pub bytes: u32,
    /// Number of lanes that access the sector.
    pub lanes: u8,
}

/// Number of an in-flight instruction on its SM.
pub type FlightId = u32;

/// Placeholder number that means "no instruction".
pub const NONE: FlightId = FlightId::MAX;

/// An in-flight instruction.
#[derive(Debug, Clone)]
pub struct Flight {
    /// Position of the instruction in the order of issue.
    pub order: u64,
    pub slot: u16,
    pub scheduler: u8,
    /// Place of the instruction in the pipeline registers before the units.
    pub place: u8,
    /// Properties of the operation on this machine.
    pub facts: Facts,
    pub writes: Writes,
    /// Set of registers that the instruction writes.
    pub written: RegisterSet,
    /// Operands that the collector has not yet read.
    pub operands: Operands,
    /// Sectors that the instruction has not yet sent to the memory system, in reverse order.
    pub accesses: Vec<Access>,
    /// Number of sectors that a load still waits for, including sectors that the load has not yet requested. For an
    /// atomic on shared memory, this is the number of its lanes.
    pub remaining: u32,
    /// Number of cycles that the access occupies shared memory, including bank conflicts.
    pub conflicts: u32,
    /// During a writeback: number of registers in `writes` whose banks have already granted the write.
    pub granted: u8,
    /// Next instruction in the list of instructions that leave the pipelines in the same cycle.
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
    /// Allocates an in-flight instruction. Its lists of operands and sectors are initially empty.
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

    /// Releases the completed instruction `id`.
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
