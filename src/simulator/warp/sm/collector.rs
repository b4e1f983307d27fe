//! Operand collectors: they take issued instructions, read their registers bank by bank, and hand them to the units.
//!
//! With sub-cores, every scheduler has its own share of collectors and banks.

use super::super::code::Register;
use super::flight::{FlightId, Flights, UNITS, Unit};
use super::operands::Operands;
use super::pipeline_registers::PipelineRegisters;

/// The order in which a port looks at the pipeline registers.
const PORT_ORDER: [Unit; UNITS] = [Unit::Sp, Unit::Sfu, Unit::Mem, Unit::Tensor, Unit::Dp, Unit::Int];

#[derive(Debug, Clone)]
struct Collector {
    flight: FlightId,
    /// Operands to be read.
    operands: Operands,
    /// The rank of the instruction in the order of issue.
    order: u64,
    unit: Unit,
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
                    operands: Operands::default(),
                    order: 0,
                    unit: Unit::Int,
                    scheduler: (unit / per_scheduler) as u8,
                    after: ((unit / per_scheduler + 1) * per_scheduler % units) as u8,
                })
                .collect(),
            occupied: 0,
            ready: 0,
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
        for register in reads {
            operands.add(self.bank(register.bank, slot, scheduler));
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
        if self.ready != 0 {
            self.hand_over(to);
        }
        if !self.waiting.is_empty() {
            self.read();
        }
        self.written = 0;
        if !from.is_empty() {
            self.take_in(flights, from);
        }
    }

    fn hand_over(&mut self, to: &mut PipelineRegisters) {
        for served in &mut self.served {
            if self.ready == 0 {
                return;
            }
            // From the first collector of the scheduler after the one served last.
            let later = u64::MAX << self.units[*served].after;
            let can_go = |mut bits: u64| {
                while bits != 0 {
                    let index = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let collector = &self.units[index];
                    if to.is_free(collector.unit, collector.scheduler as usize) {
                        return Some((index, collector));
                    }
                }
                None
            };
            let found = can_go(self.ready & later).or_else(|| can_go(self.ready & !later));
            let Some((index, collector)) = found else { return };
            *served = index;
            to.put(
                collector.unit,
                collector.scheduler as usize,
                collector.flight,
                collector.order,
            );
            self.ready &= !(1 << index);
            self.occupied &= !(1 << index);
            self.open |= 1 << collector.scheduler;
        }
    }

    /// Every bank without a write reads for the first collector that wants it.
    fn read(&mut self) {
        let mut free = !self.written;
        let (units, ready) = (&mut self.units, &mut self.ready);
        self.waiting.retain(|&index| {
            let operands = &mut units[index as usize].operands;
            free &= !operands.read(free);
            let waits = !operands.is_empty();
            *ready |= u64::from(!waits) << index;
            waits
        });
    }

    fn take_in(&mut self, flights: &mut Flights, from: &mut PipelineRegisters) {
        for _ in 0..self.ports {
            if from.schedulers() & self.open == 0 {
                return;
            }
            let before = from.taken();
            for unit in PORT_ORDER {
                let Some((place, scheduler)) = from.oldest(unit) else {
                    continue;
                };
                if self.open >> scheduler & 1 == 1 {
                    let flight = from.at(place);
                    from.clear(place);
                    self.hold(scheduler, flight, unit, flights);
                }
            }
            if from.taken() == before {
                return;
            }
        }
    }

    /// The first free collector of `scheduler`, which has one, begins with an instruction for `unit`.
    fn hold(&mut self, scheduler: usize, id: FlightId, unit: Unit, flights: &mut Flights) {
        let free = self.of_scheduler[scheduler] & !self.occupied;
        let index = free.trailing_zeros() as usize;
        if free & (free - 1) == 0 {
            self.open &= !(1 << scheduler);
        }
        let flight = flights.get_mut(id);
        let collector = &mut self.units[index];
        collector.flight = id;
        collector.order = flight.order;
        collector.unit = unit;
        std::mem::swap(&mut collector.operands, &mut flight.operands);
        self.occupied |= 1 << index;
        if collector.operands.is_empty() {
            self.ready |= 1 << index;
        } else {
            self.waiting.push(index as u8);
        }
    }
}
