//! The schedulers of an SM: each issues at most one instruction per cycle.

use super::super::code::{Number, Operation, Space};
use super::super::policy::{Policy, WarpSet};
use super::flight::{Memory, Unit};
use super::warps::Units;
use super::{ONE, Sm, coalescing};
use crate::model::machine::{InstructionTimes, Timing};

/// An instruction was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueEvent {
    /// Core cycle.
    pub cycle: u64,
    /// SM.
    pub sm: u16,
    /// Scheduler of the SM.
    pub scheduler: u8,
    /// Warp slot of the SM.
    pub slot: u16,
    /// Age of the warp on the SM.
    pub age: u64,
    /// Index of its kernel.
    pub kernel: usize,
    /// Address of the instruction.
    pub pc: u32,
    /// What it does.
    pub operation: Operation,
}

/// Scheduler cycles in which nothing was issued, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stalls {
    /// No warp had an instruction (or only one of the wrong path).
    pub idle: u64,
    /// All instructions waited for registers.
    pub scoreboard: u64,
    /// A warp was ready, but its unit was not.
    pub pipeline: u64,
    /// An instruction was issued.
    pub issued: u64,
}

/// The unit of an operation.
pub fn unit(operation: &Operation, units: &Units) -> Unit {
    let int = if units.int { Unit::Int } else { Unit::Sp };
    match operation {
        Operation::Div(_) | Operation::Special => Unit::Sfu,
        Operation::Add(number) | Operation::Max(number) | Operation::Mul(number) | Operation::Mad(number) => {
            match number {
                Number::Int => int,
                Number::Single => Unit::Sp,
                Number::Double if units.dp => Unit::Dp,
                Number::Double => Unit::Sfu,
            }
        }
        Operation::Tensor => Unit::Tensor,
        Operation::Load { .. } | Operation::Store { .. } | Operation::Atomic { .. } | Operation::Fence => {
            Unit::Mem
        }
        Operation::Shuffle | Operation::Other | Operation::Branch | Operation::Barrier | Operation::Exit => {
            int
        }
    }
}

/// The time of an operation.
fn timing(operation: &Operation, times: &InstructionTimes) -> Timing {
    let float = |number: &Number| match number {
        Number::Double => Some(&times.double),
        Number::Single => Some(&times.single),
        Number::Int => None,
    };
    match operation {
        Operation::Add(number) => float(number).map_or(times.int.add, |float| float.add),
        Operation::Max(number) => float(number).map_or(times.int.max, |float| float.max),
        Operation::Mul(number) => float(number).map_or(times.int.mul, |float| float.mul),
        Operation::Mad(number) => float(number).map_or(times.int.mad, |float| float.mad),
        Operation::Div(number) => float(number).map_or(times.int.div, |float| float.div),
        Operation::Special => times.special,
        Operation::Tensor => times.tensor,
        Operation::Shuffle => times.int.shuffle,
        _ => ONE,
    }
}

/// The longest latency of what `unit` does.
pub(super) fn longest(unit: Unit, times: &InstructionTimes) -> u32 {
    match unit {
        // Divisions and everything a machine without such units does elsewhere.
        Unit::Sfu | Unit::Sp => times.longest(),
        Unit::Dp => times
            .double
            .named()
            .into_iter()
            .map(|(_, timing)| timing.latency)
            .max()
            .unwrap_or(1),
        Unit::Tensor => times.tensor.latency,
        Unit::Int | Unit::Mem => {
            let int = &times.int;
            [int.add, int.max, int.mul, int.mad, int.shuffle, ONE]
                .map(|timing| timing.latency)
                .into_iter()
                .max()
                .unwrap_or(1)
        }
    }
}

fn memory(operation: &Operation) -> Memory {
    match *operation {
        Operation::Load {
            space: Space::Constant,
            ..
        } => Memory::Constant,
        Operation::Load {
            space: Space::Shared, ..
        } => Memory::Shared(true),
        Operation::Store {
            space: Space::Shared, ..
        } => Memory::Shared(false),
        Operation::Load { caching, .. } => Memory::Load(caching),
        Operation::Store { .. } => Memory::Store,
        Operation::Atomic { .. } => Memory::Atomic,
        Operation::Fence => Memory::Fence,
        _ => Memory::None,
    }
}

impl Sm {
    pub(super) fn issue(&mut self, now: u64) {
        let schedulers = self.policies.len();
        for step in 0..schedulers {
            self.issue_one((self.turn + step) % schedulers, now);
        }
        self.turn = (self.turn + 1) % schedulers;
    }

    fn issue_one(&mut self, scheduler: usize, now: u64) {
        let state = &self.warps.schedulers[scheduler];
        let (any, waiting) = (!state.any_ready.is_empty(), !state.waiting.is_empty());
        let ready = match any {
            true => state.ready_for(|unit| self.issued.is_free(unit, scheduler)),
            false => WarpSet::default(),
        };
        self.policies[scheduler].begin(&state.pool, ready);
        let mut candidates = WarpSet(ready.0 | state.stale.0);
        while !candidates.is_empty() {
            let state = &self.warps.schedulers[scheduler];
            let Some(local) = self.policies[scheduler].first(&state.pool, candidates) else {
                break;
            };
            let slot = self.warps.of_scheduler(scheduler, local);
            if state.stale.contains(local) {
                self.warps.flush(slot);
                candidates.remove(local);
                continue;
            }
            self.policies[scheduler].issued(&state.pool, local);
            self.issue_warp(scheduler, local, slot, now);
            self.stalls.issued += 1;
            return;
        }
        if any {
            self.stalls.pipeline += 1;
        } else if waiting {
            self.stalls.scoreboard += 1;
        } else {
            self.stalls.idle += 1;
        }
    }

    fn issue_warp(&mut self, scheduler: usize, local: usize, slot: usize, now: u64) {
        let Some(instruction) = self.warps.next(slot) else {
            return;
        };
        let operation = instruction.operation;
        let id = self.flights.start();
        let timing = timing(&operation, &self.machine.sm.times);
        let unit = self.warps.unit(&operation);
        let flight = self.flights.get_mut(id);
        flight.slot = slot as u16;
        flight.scheduler = scheduler as u8;
        flight.unit = unit;
        flight.latency = timing.latency as u16;
        flight.initiation = timing.initiation as u16;
        flight.memory = memory(&operation);
        flight.writes.extend_from_slice(&instruction.writes);
        for register in &instruction.reads {
            flight
                .operands
                .push(self.collectors.bank(register.bank, slot as u16, scheduler));
        }
        let kernel = self.warps.slot(slot).kernel;
        if unit == Unit::Tensor && self.machine.sm.units.tensor == 0 {
            self.without_unit = Some(kernel);
        }
        if let Some(record) = &mut self.record {
            record.push(IssueEvent {
                cycle: now,
                sm: self.number,
                scheduler: scheduler as u8,
                slot: slot as u16,
                age: self.warps.schedulers[scheduler].pool.age[local],
                kernel,
                pc: instruction.pc,
                operation,
            });
        }
        if let Some(stream) = self.warps.stream(slot) {
            stream.issue(&mut self.effect);
        }
        let lanes = self.effect.lanes;
        let counts = &mut self.instructions[kernel];
        counts.0 += 1;
        counts.1 += u64::from(lanes.count_ones());
        match operation {
            Operation::Load {
                space: Space::Shared, ..
            }
            | Operation::Store {
                space: Space::Shared, ..
            } => {
                let banks = self.machine.shared_memory.banks;
                flight.conflicts = coalescing::conflicts(lanes, &self.effect.addresses, banks);
            }
            Operation::Load {
                space: Space::Constant,
                ..
            } => {}
            Operation::Load { bytes, .. } | Operation::Store { bytes, .. } => {
                coalescing::sectors(&self.effect, bytes, &mut flight.accesses);
            }
            Operation::Atomic { bytes } => {
                coalescing::atomics(lanes, &self.effect.addresses, bytes, &mut flight.accesses);
            }
            _ => {}
        }
        if matches!(flight.memory, Memory::Load(_) | Memory::Atomic) {
            flight.remaining = flight.accesses.len() as u32;
        }
        let flight = self.flights.get(id);
        let done = self.warps.issued(slot, &flight.writes, self.effect.jumped);
        self.issued.put(unit, scheduler, id);
        match operation {
            Operation::Barrier if !done => {
                self.warps.set_barrier(slot, true);
                self.check_barrier(slot);
            }
            Operation::Fence => self.warps.fence(slot),
            Operation::Atomic { .. } if lanes != 0 => self.warps.atomic_sent(slot, lanes.count_ones()),
            _ => {}
        }
        if done {
            self.check_barrier(slot);
        }
    }
}
