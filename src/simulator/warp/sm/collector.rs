//! Operand collectors: they take issued instructions, read their registers bank by bank, and hand them to the units.
//!
//! With sub-cores, every scheduler has its own share of collectors and banks.

use super::super::code::Register;
use super::flight::{FlightId, Flights, UNITS, Unit};
use super::operands::Operands;
use super::pipeline_registers::{LANES, PipelineRegisters};

/// The order in which a port looks at the pipeline registers before the collectors.
pub const PORT_ORDER: [Unit; UNITS] = [Unit::Sp, Unit::Sfu, Unit::Mem, Unit::Tensor, Unit::Dp, Unit::Int];

#[derive(Debug, Clone)]
struct Collector {
    flight: FlightId,
    /// Where the instruction goes from here.
    place: u8,
    scheduler: u8,
    /// The first collector of the next scheduler.
    after: u8,
}

/// The collectors of an SM.
#[derive(Debug, Clone)]
pub struct Collectors {
    units: Vec<Collector>,
    /// Collectors that hold an instruction, one bit each.
    occupied: u64,
    /// Collectors that have all operands, one bit each.
    ready: u64,
    /// Those of them that found the register behind them taken, one bit each, and these registers.
    stuck: u64,
    stuck_behind: u64,
    /// Schedulers with a free collector, one bit each.
    open: u64,
    /// Per scheduler, its collectors, one bit each.
    of_scheduler: Vec<u64>,
    ports: usize,
    /// Per output port, the collector it served last.
    served: Vec<usize>,
    /// Collectors that wait for operands, first come, first served at each bank.
    waiting: Vec<u8>,
    /// A power of two.
    banks_per_scheduler: u32,
    /// Banks that are written in this step, one bit each.
    written: u64,
}

impl Collectors {
    pub fn new(units: usize, in_ports: usize, out_ports: usize, banks: usize, schedulers: usize) -> Self {
        let per_scheduler = units / schedulers;
        Self {
            units: (0..units)
                .map(|unit| Collector {
                    flight: 0,
                    place: 0,
                    scheduler: (unit / per_scheduler) as u8,
                    after: ((unit / per_scheduler + 1) * per_scheduler % units) as u8,
                })
                .collect(),
            occupied: 0,
            ready: 0,
            stuck: 0,
            stuck_behind: 0,
            open: if per_scheduler == 0 {
                0
            } else {
                (1 << schedulers) - 1
            },
            of_scheduler: (0..schedulers)
                .map(|scheduler| {
                    (0..per_scheduler).fold(0, |set, unit| set | 1 << (scheduler * per_scheduler + unit))
                })
                .collect(),
            ports: in_ports,
            served: vec![0; out_ports],
            waiting: Vec::with_capacity(units),
            banks_per_scheduler: (banks / schedulers) as u32,
            written: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// The bank of register number `register` of the warp in `slot`, which belongs to `scheduler`.
    pub fn bank(&self, register: u16, slot: u16, scheduler: usize) -> u16 {
        let within = (u32::from(register) + u32::from(slot)) & (self.banks_per_scheduler - 1);
        (within + scheduler as u32 * self.banks_per_scheduler) as u16
    }

    /// What an instruction of the warp in `slot`, which belongs to `scheduler`, has to read.
    pub fn operands(&self, reads: &[Register], slot: u16, scheduler: usize, operands: &mut Operands) {
        let first = scheduler as u32 * self.banks_per_scheduler;
        for register in reads {
            let within = (u32::from(register.bank) + u32::from(slot)) & (self.banks_per_scheduler - 1);
            operands.add(first + within);
        }
    }

    /// Claims `bank` for a write in the next step; false if another write has it.
    pub fn write(&mut self, bank: u16) -> bool {
        let free = self.written >> bank & 1 == 0;
        self.written |= 1 << bank;
        free
    }

    /// One step: hand over, read, take in.
    pub fn step(&mut self, flights: &mut Flights, from: &mut PipelineRegisters, to: &mut PipelineRegisters) {
        if self.ready & !self.stuck != 0 || self.stuck_behind & !to.taken() != 0 {
            self.hand_over(flights, to);
        }
        if !self.waiting.is_empty() {
            self.read(flights);
        }
        self.written = 0;
        if from.schedulers() & self.open != 0 {
            self.take_in(flights, from);
        }
    }

    fn hand_over(&mut self, flights: &Flights, to: &mut PipelineRegisters) {
        if self.stuck_behind & !to.taken() != 0 {
            (self.stuck, self.stuck_behind) = (0, 0);
        }
        let mut can_go = self.ready & !self.stuck;
        for served in &mut self.served {
            // From the first collector of the scheduler after the one served last.
            let later = u64::MAX << self.units[*served].after;
            loop {
                if can_go == 0 {
                    return;
                }
                let first = if can_go & later == 0 {
                    can_go
                } else {
                    can_go & later
                };
                let bit = first & first.wrapping_neg();
                can_go &= !bit;
                let index = bit.trailing_zeros() as usize;
                let collector = &self.units[index];
                if to.is_free(collector.place) {
                    let flight = collector.flight;
                    to.put(collector.place, flight, flights.get(flight).order);
                    self.ready &= !bit;
                    self.occupied &= !bit;
                    self.open |= 1 << collector.scheduler;
                    *served = index;
                    break;
                }
                self.stuck |= bit;
                self.stuck_behind |= 1 << collector.place;
            }
        }
    }

    /// Every bank without a write reads for the first collector that wants it.
    fn read(&mut self, flights: &mut Flights) {
        let mut free = !self.written;
        let mut left = 0;
        for at in 0..self.waiting.len() {
            let index = self.waiting[at];
            let operands = &mut flights.get_mut(self.units[index as usize].flight).operands;
            free &= !operands.read(free);
            if operands.is_empty() {
                self.ready |= 1 << index;
            } else {
                self.waiting[left] = index;
                left += 1;
            }
        }
        self.waiting.truncate(left);
    }

    fn take_in(&mut self, flights: &Flights, from: &mut PipelineRegisters) {
        let mut units = from.units();
        for _ in 0..self.ports {
            let mut left = units;
            while left != 0 {
                let unit = left & left.wrapping_neg();
                left &= !unit;
                let Some(place) = from.oldest(unit.trailing_zeros() as usize) else {
                    units &= !unit;
                    continue;
                };
                let scheduler = place % LANES;
                if self.open >> scheduler & 1 == 0 {
                    // Where the oldest finds no collector now, it finds none in this step.
                    units &= !unit;
                    continue;
                }
                let flight = from.at(place);
                from.clear(place);
                self.hold(scheduler, flight, flights);
            }
            if units == 0 || from.is_empty() {
                return;
            }
        }
    }

    /// The first free collector of `scheduler`, which has one, begins with an instruction.
    fn hold(&mut self, scheduler: usize, id: FlightId, flights: &Flights) {
        let free = self.of_scheduler[scheduler] & !self.occupied;
        let index = free.trailing_zeros() as usize;
        if free & (free - 1) == 0 {
            self.open &= !(1 << scheduler);
        }
        let flight = flights.get(id);
        let collector = &mut self.units[index];
        collector.flight = id;
        collector.place = flight.place;
        self.occupied |= 1 << index;
        if flight.operands.is_empty() {
            self.ready |= 1 << index;
        } else {
            self.waiting.push(index as u8);
        }
    }
}

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;
