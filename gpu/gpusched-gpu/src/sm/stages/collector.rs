//! Operand collectors. A collector accepts an issued instruction, reads its registers bank by bank, and passes the
//! instruction to its unit.
//!
//! Each scheduler (sub-core) has its own collectors and register banks.

use super::pipeline_registers::{PipelineRegisters, lowest};
use crate::code::Register;
use crate::sm::flight::{FlightId, Flights};
use crate::sm::operands::Operands;

#[derive(Debug, Clone, Copy, Default)]
struct Collector {
    flight: FlightId,
    /// Destination of the instruction in the pipeline registers before the units.
    place: u8,
    /// Position of the instruction in the order of issue.
    order: u64,
    /// Bit mask with only the scheduler that owns the collector.
    scheduler: u64,
    /// Bit mask of the collectors of all schedulers with higher numbers.
    later: u64,
}

/// Operand collectors of an SM.
#[derive(Debug, Clone)]
pub struct Collectors {
    units: [Collector; 64],
    /// Bit mask of the collectors that contain an instruction.
    occupied: u64,
    /// Bit mask of the collectors whose instruction has all operands.
    ready: u64,
    /// Bit mask of the ready collectors whose destination is occupied. The field `stuck_behind`
    /// contains these destinations.
    stuck: u64,
    stuck_behind: u64,
    /// Bit mask of the schedulers that have a free collector.
    open: u64,
    /// Bit mask of the collectors of each scheduler.
    of_scheduler: Vec<u64>,
    ports: usize,
    /// For each output port, the bit mask of the collectors that the port checks first. They belong to the schedulers
    /// after the scheduler that the port served last.
    later: Vec<u64>,
    /// Collectors that wait for operands, in order of arrival. Each bank serves these collectors first-come,
    /// first-served.
    waiting: Vec<u8>,
    /// Number of banks per scheduler, a power of two.
    banks_per_scheduler: u32,
    /// Bit mask of the register banks that are written in this step.
    written: u64,
}

impl Collectors {
    pub fn new(units: usize, in_ports: usize, out_ports: usize, banks: usize, schedulers: usize) -> Self {
        let per_scheduler = units / schedulers;
        let mut collectors = [Collector::default(); 64];
        for (unit, collector) in collectors.iter_mut().enumerate().take(units) {
            let after = (unit / per_scheduler + 1) * per_scheduler % units;
            collector.scheduler = 1 << (unit / per_scheduler);
            collector.later = u64::MAX << after;
        }
        Self {
            later: vec![collectors[0].later; out_ports],
            units: collectors,
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
            waiting: Vec::with_capacity(units),
            banks_per_scheduler: (banks / schedulers) as u32,
            written: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Returns the bank of `register` of the warp in `slot`. The warp belongs to `scheduler`.
    pub fn bank(&self, register: u16, slot: u16, scheduler: usize) -> u16 {
        let within = (u32::from(register) + u32::from(slot)) & (self.banks_per_scheduler - 1);
        (within + scheduler as u32 * self.banks_per_scheduler) as u16
    }

    /// Adds the reads of an instruction to `operands`, per bank. The instruction belongs to the warp in `slot` and to
    /// `scheduler`.
    pub fn operands(&self, reads: &[Register], slot: u16, scheduler: usize, operands: &mut Operands) {
        let first = scheduler as u32 * self.banks_per_scheduler;
        for register in reads {
            let within = (u32::from(register.bank) + u32::from(slot)) & (self.banks_per_scheduler - 1);
            operands.add(first + within);
        }
    }

    /// Claims `bank` for a write in the next step. Returns false if another write has already claimed the bank.
    pub fn write(&mut self, bank: u16) -> bool {
        let free = self.written >> bank & 1 == 0;
        self.written |= 1 << bank;
        free
    }

    /// Simulates one step. Collectors pass instructions to the units, read operands, and accept instructions.
    pub fn step(&mut self, flights: &mut Flights, from: &mut PipelineRegisters, to: &mut PipelineRegisters) {
        if self.ready & !self.stuck != 0 || self.stuck_behind & !to.taken() != 0 {
            self.hand_over(to);
        }
        if !self.waiting.is_empty() {
            self.read(flights);
        }
        self.written = 0;
        if from.schedulers() & self.open != 0 {
            self.take_in(flights, from);
        }
    }

    fn hand_over(&mut self, to: &mut PipelineRegisters) {
        if self.stuck_behind & !to.taken() != 0 {
            (self.stuck, self.stuck_behind) = (0, 0);
        }
        let mut can_go = self.ready & !self.stuck;
        for later in &mut self.later {
            while can_go != 0 {
                let first = match can_go & *later {
                    0 => can_go,
                    first => first,
                };
                let bit = first & first.wrapping_neg();
                can_go &= !bit;
                let collector = &self.units[bit.trailing_zeros() as usize & 63];
                if to.is_free(collector.place) {
                    to.put(collector.place, collector.flight, collector.order);
                    self.ready &= !bit;
                    self.occupied &= !bit;
                    self.open |= collector.scheduler;
                    *later = collector.later;
                    break;
                }
                self.stuck |= bit;
                self.stuck_behind |= 1 << collector.place;
            }
            if can_go == 0 {
                return;
            }
        }
    }

    /// Lets each bank without a write serve the first waiting collector that reads this bank.
    fn read(&mut self, flights: &mut Flights) {
        let mut free = !self.written;
        let mut left = 0;
        for at in 0..self.waiting.len() {
            let index = self.waiting[at];
            let operands = &mut flights.get_mut(self.units[index as usize & 63].flight).operands;
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
                let unit = lowest(&mut left);
                // Collectors never become free within this step. An instruction without a free
                // collector must therefore wait for the next step.
                let oldest = from.oldest(unit);
                match oldest.filter(|&place| self.open >> from.scheduler(place) & 1 == 1) {
                    Some(place) => {
                        self.hold(from.scheduler(place), from.at_with_order(place), flights);
                        from.clear(place);
                    }
                    None => units &= !(1 << unit),
                }
            }
            if units == 0 || from.is_empty() {
                return;
            }
        }
    }

    /// Puts the instruction into the first free collector of `scheduler`. At least one collector must be free.
    fn hold(&mut self, scheduler: usize, (id, order): (FlightId, u64), flights: &Flights) {
        let free = self.of_scheduler[scheduler] & !self.occupied;
        let bit = free & free.wrapping_neg();
        let index = bit.trailing_zeros() as usize & 63;
        let flight = flights.get(id);
        let collector = &mut self.units[index];
        if free == bit {
            self.open &= !collector.scheduler;
        }
        collector.flight = id;
        collector.place = flight.place;
        collector.order = order;
        self.occupied |= bit;
        if flight.operands.is_empty() {
            self.ready |= bit;
        } else {
            self.waiting.push(index as u8);
        }
    }
}

#[cfg(test)]
#[path = "collector_tests.rs"]
mod tests;
