//! Instructions between issue and completion.

use super::super::code::{Caching, Register};
use super::operands::Operands;

/// A kind of functional unit. The order is that in which units work within a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Sp,
    Dp,
    Int,
    Sfu,
    Tensor,
    Mem,
}

/// Kinds of units.
pub const UNITS: usize = 6;

impl Unit {
    /// Those with a pipeline per scheduler: all but the load-store unit, which an SM has one of.
    pub const PIPELINES: [Unit; UNITS - 1] = [Unit::Sp, Unit::Dp, Unit::Int, Unit::Sfu, Unit::Tensor];
}

/// What the load-store unit does with an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// It does not get it.
    None,
    /// Global or local memory.
    Load(Caching),
    /// Global or local memory.
    Store,
    /// In L2.
    Atomic,
    /// Always in its cache.
    Constant,
    /// Shared memory; a load if true.
    Shared(bool),
    /// Waits for the warp's loads.
    Fence,
}

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

/// An instruction on its way.
#[derive(Debug, Clone)]
pub struct Flight {
    /// Rank in the order of issue.
    pub order: u64,
    pub slot: u16,
    pub scheduler: u8,
    pub unit: Unit,
    pub latency: u16,
    pub initiation: u16,
    pub memory: Memory,
    pub writes: Vec<Register>,
    /// What is to be collected, until a collector takes it over.
    pub operands: Operands,
    /// Sectors not yet given to the memory system; taken from the end.
    pub accesses: Vec<Access>,
    /// Answers, and sectors not yet given, that a load waits for.
    pub remaining: u32,
    /// Cycles that shared memory needs for its bank conflicts.
    pub conflicts: u32,
    /// Writes of `writes` whose bank was granted, in a writeback under way.
    pub granted: u8,
}

/// All instructions on their way in an SM.
#[derive(Debug, Clone, Default)]
pub struct Flights {
    flights: Vec<Flight>,
    free: Vec<FlightId>,
    order: u64,
}

impl Flights {
    /// A place for a new instruction; its vectors are empty.
    pub fn start(&mut self) -> FlightId {
        self.order += 1;
        let id = self.free.pop().unwrap_or_else(|| {
            self.flights.push(Flight {
                order: 0,
                slot: 0,
                scheduler: 0,
                unit: Unit::Int,
                latency: 1,
                initiation: 1,
                memory: Memory::None,
                writes: Vec::new(),
                operands: Operands::default(),
                accesses: Vec::new(),
                remaining: 0,
                conflicts: 0,
                granted: 0,
            });
            (self.flights.len() - 1) as FlightId
        });
        let flight = &mut self.flights[id as usize];
        flight.order = self.order;
        flight.writes.clear();
        flight.operands.clear();
        flight.accesses.clear();
        flight.remaining = 0;
        flight.granted = 0;
        id
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
