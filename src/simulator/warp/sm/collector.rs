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
    places: Vec<Option<FlightId>>,
    schedulers: usize,
    occupied: usize,
}

impl PipelineRegisters {
    pub fn new(schedulers: usize) -> Self {
        Self {
            places: vec![None; schedulers * UNITS],
            schedulers,
            occupied: 0,
        }
    }

    pub fn is_free(&self, unit: Unit, scheduler: usize) -> bool {
        self.places[unit as usize * self.schedulers + scheduler].is_none()
    }

    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    pub fn put(&mut self, unit: Unit, scheduler: usize, flight: FlightId) {
        self.places[unit as usize * self.schedulers + scheduler] = Some(flight);
        self.occupied += 1;
    }

    pub fn get(&self, unit: Unit, scheduler: usize) -> Option<FlightId> {
        self.places[unit as usize * self.schedulers + scheduler]
    }

    pub fn take(&mut self, unit: Unit, scheduler: usize) -> Option<FlightId> {
        let flight = self.places[unit as usize * self.schedulers + scheduler].take();
        self.occupied -= usize::from(flight.is_some());
        flight
    }

    /// The scheduler whose register of `unit` holds the instruction issued first.
    pub fn oldest(&self, unit: Unit, flights: &Flights) -> Option<usize> {
        let first = unit as usize * self.schedulers;
        self.places[first..first + self.schedulers]
            .iter()
            .enumerate()
            .filter_map(|(scheduler, place)| place.map(|flight| (flights.get(flight).order, scheduler)))
            .min()
            .map(|(_, scheduler)| scheduler)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Collector {
    flight: Option<FlightId>,
    waiting: u32,
}

/// The collectors of an SM.
#[derive(Debug)]
pub struct Collectors {
    units: Vec<Collector>,
    occupied: usize,
    per_scheduler: usize,
    ports: usize,
    /// Per output port, the collector it served last.
    served: Vec<usize>,
    /// Per bank, the collectors that want to read it.
    queues: Vec<VecDeque<u8>>,
    /// Reads in all queues.
    queued: usize,
    banks_per_scheduler: usize,
    /// Banks that are written in this step, one bit each.
    written: u64,
}

impl Collectors {
    pub fn new(units: usize, in_ports: usize, out_ports: usize, banks: usize, schedulers: usize) -> Self {
        Self {
            units: vec![Collector::default(); units],
            occupied: 0,
            per_scheduler: units / schedulers,
            ports: in_ports,
            served: vec![0; out_ports],
            queues: vec![VecDeque::new(); banks],
            queued: 0,
            banks_per_scheduler: banks / schedulers,
            written: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// The bank of register number `register` of the warp in `slot`, which belongs to `scheduler`.
    pub fn bank(&self, register: u16, slot: u16, scheduler: usize) -> u16 {
        let within = (register as usize + slot as usize) % self.banks_per_scheduler;
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
        if self.occupied > 0 {
            self.hand_over(flights, to);
            self.read();
        }
        self.written = 0;
        if !from.is_empty() {
            self.take_in(flights, from);
        }
    }

    fn hand_over(&mut self, flights: &Flights, to: &mut PipelineRegisters) {
        let count = self.units.len();
        for port in 0..self.served.len() {
            let last = self.served[port];
            let first = last + self.per_scheduler - last % self.per_scheduler;
            let found = (0..count).map(|step| (first + step) % count).find(|&index| {
                let unit = &self.units[index];
                unit.waiting == 0
                    && unit.flight.is_some_and(|flight| {
                        to.is_free(flights.get(flight).unit, index / self.per_scheduler)
                    })
            });
            let Some(index) = found else { return };
            self.served[port] = index;
            if let Some(flight) = self.units[index].flight.take() {
                to.put(flights.get(flight).unit, index / self.per_scheduler, flight);
                self.occupied -= 1;
            }
        }
    }

    /// Every bank without a write reads for the first collector that wants it.
    fn read(&mut self) {
        if self.queued == 0 {
            return;
        }
        for (bank, queue) in self.queues.iter_mut().enumerate() {
            if self.written >> bank & 1 == 0
                && let Some(collector) = queue.pop_front()
            {
                self.units[collector as usize].waiting -= 1;
                self.queued -= 1;
            }
        }
    }

    fn take_in(&mut self, flights: &Flights, from: &mut PipelineRegisters) {
        for _ in 0..self.ports {
            let mut any = false;
            for unit in PORT_ORDER {
                let Some(scheduler) = from.oldest(unit, flights) else {
                    continue;
                };
                let first = scheduler * self.per_scheduler;
                let free =
                    (first..first + self.per_scheduler).find(|&index| self.units[index].flight.is_none());
                let (Some(index), Some(flight)) = (free, from.get(unit, scheduler)) else {
                    continue;
                };
                from.take(unit, scheduler);
                let operands = &flights.get(flight).operands;
                self.units[index] = Collector {
                    flight: Some(flight),
                    waiting: operands.len() as u32,
                };
                for &bank in operands {
                    self.queues[bank as usize].push_back(index as u8);
                }
                self.queued += operands.len();
                self.occupied += 1;
                any = true;
            }
            if !any {
                return;
            }
        }
    }
}
