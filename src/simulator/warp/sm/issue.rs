//! The schedulers of an SM: each issues at most one instruction per cycle.

use super::super::code::{Operation, Space};
use super::super::policy::{Policy, WarpSet};
use super::flight::{Memory, Unit};
use super::{Sm, coalescing};

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

impl Sm {
    pub(super) fn issue(&mut self, now: u64) {
        let schedulers = self.policies.len();
        if self.sees_idle_cycles || self.warps.can_issue != 0 {
            for scheduler in (self.turn..schedulers).chain(0..self.turn) {
                self.issue_one(scheduler, now);
            }
        } else {
            self.count_idle(self.warps.waiting.count_ones(), schedulers as u32);
        }
        self.turn = if self.turn + 1 == schedulers {
            0
        } else {
            self.turn + 1
        };
    }

    fn issue_one(&mut self, scheduler: usize, now: u64) {
        if self.warps.can_issue >> scheduler & 1 == 0 {
            if self.sees_idle_cycles {
                let pool = &self.warps.schedulers[scheduler].pool;
                self.policies[scheduler].begin(pool, WarpSet::default());
            }
            self.count_idle((self.warps.waiting >> scheduler & 1) as u32, 1);
            return;
        }
        let state = &self.warps.schedulers[scheduler];
        let (any, waiting) = (!state.any_ready.is_empty(), !state.waiting.is_empty());
        let ready = state.ready_but_for(self.issued.taken_for(scheduler));
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

    /// Of `schedulers` that can issue nothing, `waiting` have warps that wait for registers.
    fn count_idle(&mut self, waiting: u32, schedulers: u32) {
        self.stalls.scoreboard += u64::from(waiting);
        self.stalls.idle += u64::from(schedulers - waiting);
    }

    fn issue_warp(&mut self, scheduler: usize, local: usize, slot: usize, now: u64) {
        let Some(instruction) = self.warps.next(slot) else {
            return;
        };
        let operation = instruction.operation;
        let id = self.flights.start();
        let facts = self.warps.slot(slot).facts;
        let unit = facts.unit;
        let flight = self.flights.get_mut(id);
        flight.slot = slot as u16;
        flight.scheduler = scheduler as u8;
        flight.unit = unit;
        flight.latency = facts.latency;
        flight.initiation = facts.initiation;
        flight.memory = facts.memory;
        for &register in &instruction.writes {
            flight.writes.push(register);
        }
        let reads = &instruction.reads;
        self.collectors
            .operands(reads, slot as u16, scheduler, &mut flight.operands);
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
        counts.1 += match lanes {
            u32::MAX => 32,
            _ => u64::from(lanes.count_ones()),
        };
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
        self.issued.put(unit, scheduler, id, flight.order);
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
