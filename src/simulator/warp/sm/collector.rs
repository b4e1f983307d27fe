//! Operand collectors: they take issued instructions, read their registers bank by bank, and hand them to the units.
//!
//! With sub-cores, every scheduler has its own share of collectors and banks.

use std::collections::VecDeque;

use super::flight::{FlightId, Flights, UNITS, Unit};

/// The order in which a port looks at the pipeline registers.
const PORT_ORDER: [Unit; UNITS] = [Unit::Sp, Unit::Sfu, Unit::Mem, Unit::Tensor, Unit::Dp, Unit::Int];

/// One register per kind of unit and scheduler, between two stages.
#[derive(Debug)]
pub struct PipelineRegisters {
    places: Vec<FlightId>,
    /// Per unit, its first place.
    first: [usize; UNITS],
    /// Per unit, its places, one bit each.
    of_unit: [u64; UNITS],
    /// Places that are taken, one bit each, by unit, then scheduler.
    taken: u64,
}

impl PipelineRegisters {
    pub fn new(schedulers: usize) -> Self {
        Self {
            places: vec![0; schedulers * UNITS],
            first: std::array::from_fn(|unit| unit * schedulers),
            of_unit: std::array::from_fn(|unit| ((1 << schedulers) - 1) << (unit * schedulers)),
            taken: 0,
        }
    }

    fn index(&self, unit: Unit, scheduler: usize) -> usize {
        self.first[unit as usize] + scheduler
    }

    pub fn is_free(&self, unit: Unit, scheduler: usize) -> bool {
        self.taken >> self.index(unit, scheduler) & 1 == 0
    }

    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Places that are taken, one bit each, by unit, then scheduler.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    pub fn put(&mut self, unit: Unit, scheduler: usize, flight: FlightId) {
        let index = self.index(unit, scheduler);
        self.places[index] = flight;
        self.taken |= 1 << index;
    }

    /// What is in place `index`, by unit, then scheduler; to be asked of places that are taken.
    pub fn at(&self, index: usize) -> FlightId {
        self.places[index]
    }

    pub fn clear(&mut self, index: usize) {
        self.taken &= !(1 << index);
    }

    /// The place of `unit` whose instruction was issued first, and its scheduler.
    pub fn oldest(&self, unit: Unit, flights: &Flights) -> Option<(usize, usize)> {
        let mut bits = self.taken & self.of_unit[unit as usize];
        if bits == 0 {
            return None;
        }
        let mut oldest = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        while bits != 0 {
            let index = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if flights.get(self.places[index]).order < flights.get(self.places[oldest]).order {
                oldest = index;
            }
        }
        Some((oldest, oldest - self.first[unit as usize]))
    }
}

#[derive(Debug, Clone, Copy)]
struct Collector {
    flight: FlightId,
    waiting: u32,
    unit: Unit,
}

/// The collectors of an SM.
#[derive(Debug)]
pub struct Collectors {
    units: Vec<Collector>,
    /// Collectors that hold an instruction, one bit each.
    occupied: u64,
    /// Collectors that have all operands, one bit each.
    ready: u64,
    /// Per scheduler, its collectors, one bit each.
    of_scheduler: Vec<u64>,
    /// Per collector, its scheduler.
    scheduler_of: Vec<usize>,
    /// Per collector, the first one of the next scheduler.
    after: Vec<usize>,
    ports: usize,
    /// Per output port, the collector it served last.
    served: Vec<usize>,
    /// Per bank, the collectors that want to read it.
    queues: Vec<VecDeque<u8>>,
    /// Banks that somebody wants to read, one bit each.
    wanted: u64,
    /// A power of two.
    banks_per_scheduler: usize,
    /// Banks that are written in this step, one bit each.
    written: u64,
}

impl Collectors {
    pub fn new(units: usize, in_ports: usize, out_ports: usize, banks: usize, schedulers: usize) -> Self {
        let per_scheduler = units / schedulers;
        Self {
            units: vec![
                Collector {
                    flight: 0,
                    waiting: 0,
                    unit: Unit::Int,
                };
                units
            ],
            occupied: 0,
            ready: 0,
            of_scheduler: (0..schedulers)
                .map(|scheduler| {
                    (0..per_scheduler).fold(0, |set, unit| set | 1 << (scheduler * per_scheduler + unit))
                })
                .collect(),
            scheduler_of: (0..units).map(|unit| unit / per_scheduler).collect(),
            after: (0..units)
                .map(|unit| (unit / per_scheduler + 1) * per_scheduler % units)
                .collect(),
            ports: in_ports,
            served: vec![0; out_ports],
            queues: vec![VecDeque::new(); banks],
            wanted: 0,
            banks_per_scheduler: banks / schedulers,
            written: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// The bank of register number `register` of the warp in `slot`, which belongs to `scheduler`.
    pub fn bank(&self, register: u16, slot: u16, scheduler: usize) -> u16 {
        let within = (usize::from(register) + usize::from(slot)) & (self.banks_per_scheduler - 1);
        (within + scheduler * self.banks_per_scheduler) as u16
    }

    /// Claims `bank` for a write in the next step; false if another write has it.
    pub fn write(&mut self, bank: u16) -> bool {
        let free = self.written >> bank & 1 == 0;
        self.written |= 1 << bank;
        free
    }

    /// One step: hand over, read, take in.
    pub fn step(&mut self, flights: &Flights, from: &mut PipelineRegisters, to: &mut PipelineRegisters) {
        if self.occupied != 0 {
            self.hand_over(to);
            self.read();
        }
        self.written = 0;
        if !from.is_empty() {
            self.take_in(flights, from);
        }
    }

    fn hand_over(&mut self, to: &mut PipelineRegisters) {
        for port in 0..self.served.len() {
            if self.ready == 0 {
                return;
            }
            // From the first collector of the scheduler after the one served last.
            let first = self.after[self.served[port]];
            let later = self.ready & (u64::MAX << first);
            let found = [later, self.ready & !later].into_iter().find_map(|mut bits| {
                while bits != 0 {
                    let index = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let unit = self.units[index].unit;
                    if to.is_free(unit, self.scheduler_of[index]) {
                        return Some((index, unit));
                    }
                }
                None
            });
            let Some((index, unit)) = found else { return };
            self.served[port] = index;
            to.put(unit, self.scheduler_of[index], self.units[index].flight);
            self.ready &= !(1 << index);
            self.occupied &= !(1 << index);
        }
    }

    /// Every bank without a write reads for the first collector that wants it.
    fn read(&mut self) {
        let mut banks = self.wanted & !self.written;
        while banks != 0 {
            let bank = banks.trailing_zeros() as usize;
            banks &= banks - 1;
            let queue = &mut self.queues[bank];
            if let Some(collector) = queue.pop_front() {
                let unit = &mut self.units[collector as usize];
                unit.waiting -= 1;
                self.ready |= u64::from(unit.waiting == 0) << collector;
            }
            if queue.is_empty() {
                self.wanted &= !(1 << bank);
            }
        }
    }

    fn take_in(&mut self, flights: &Flights, from: &mut PipelineRegisters) {
        for _ in 0..self.ports {
            let before = from.taken();
            for unit in PORT_ORDER {
                let Some((place, scheduler)) = from.oldest(unit, flights) else {
                    continue;
                };
                let free = self.of_scheduler[scheduler] & !self.occupied;
                if free != 0 {
                    let flight = from.at(place);
                    from.clear(place);
                    self.hold(free.trailing_zeros() as usize, flight, unit, flights);
                }
            }
            if from.taken() == before || from.is_empty() {
                return;
            }
        }
    }

    /// Collector `index` begins with an instruction for `unit`.
    fn hold(&mut self, index: usize, flight: FlightId, unit: Unit, flights: &Flights) {
        let operands = &flights.get(flight).operands;
        self.units[index] = Collector {
            flight,
            waiting: operands.len() as u32,
            unit,
        };
        self.occupied |= 1 << index;
        self.ready |= u64::from(operands.is_empty()) << index;
        for &bank in operands {
            self.queues[bank as usize].push_back(index as u8);
            self.wanted |= 1 << bank;
        }
    }
}
