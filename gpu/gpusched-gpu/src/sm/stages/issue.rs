//! Warp schedulers of an SM. Each scheduler issues at most one instruction per cycle.

use super::coalescing;
use crate::code::Operation;
use crate::sm::Sm;
use crate::sm::facts::{Memory, SharedAccess, Unit};
use gpusched_sim::warps::policy::Policy;

/// Record of one issued instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueEvent {
    /// Core cycle of the issue.
    pub cycle: u64,
    /// Number of the SM.
    pub sm: u16,
    /// Number of the scheduler on the SM.
    pub scheduler: u8,
    /// Slot of the warp on the SM.
    pub slot: u16,
    /// Age of the warp: number of warps that started on the SM before this warp.
    pub age: u64,
    /// Index of the kernel.
    pub kernel: usize,
    /// Address of the instruction in the program.
    pub pc: u32,
    /// Kind of operation of the instruction.
    pub operation: Operation,
}

/// Numbers of scheduler cycles, per outcome of the cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stalls {
    /// Cycles when no warp had an available instruction. Reasons are an empty buffer, a wrong
    /// path, a barrier, a fence or an atomic.
    pub idle: u64,
    /// Cycles when every available instruction waited for registers.
    pub scoreboard: u64,
    /// Cycles without an issue, when at least one instruction waited only for an occupied unit.
    pub pipeline: u64,
    /// Cycles when an instruction was issued.
    pub issued: u64,
}

impl Sm {
    pub(in crate::sm) fn issue(&mut self, now: u64) {
        let schedulers = self.policies.len();
        if std::mem::take(&mut self.warps.fence_over) && self.machine.l1.flush {
            self.load_store.l1.forget();
        }
        if self.sees_idle_cycles || self.warps.states.can_act() {
            for scheduler in (self.turn..schedulers).chain(0..self.turn) {
                self.issue_one(scheduler, now);
            }
        } else {
            self.count_idle(1);
        }
        self.turn = if self.turn + 1 == schedulers {
            0
        } else {
            self.turn + 1
        };
    }

    /// Counts `cycles` cycles for every scheduler. No scheduler can issue in these cycles.
    pub(in crate::sm) fn count_idle(&mut self, cycles: u64) {
        let waiting = self.warps.states.waiting();
        for scheduler in 0..self.policies.len() {
            match waiting.and(self.warps.states.of(scheduler)).is_empty() {
                true => self.stalls.idle += cycles,
                false => self.stalls.scoreboard += cycles,
            }
        }
    }

    fn issue_one(&mut self, scheduler: usize, now: u64) {
        let states = &self.warps.states;
        let own = states.of(scheduler);
        let (able, stale) = (states.ready().and(own), states.stale().and(own));
        let mut ready = able;
        for unit in self.issued.taken_for(scheduler) {
            ready = ready.without(states.needing(unit));
        }
        let mut candidates = ready.or(stale);
        if self.sees_idle_cycles || !candidates.is_empty() {
            self.policies[scheduler].begin(&self.warps.pools[scheduler], ready);
        }
        while !candidates.is_empty() {
            let (policy, pool) = (&mut self.policies[scheduler], &self.warps.pools[scheduler]);
            let Some(slot) = policy.first(pool, candidates) else {
                break;
            };
            if stale.contains(slot) {
                self.warps.flush(slot);
                candidates.remove(slot);
                continue;
            }
            policy.issued(pool, slot);
            self.issue_warp(scheduler, slot, now);
            self.stalls.issued += 1;
            return;
        }
        if !able.is_empty() {
            self.stalls.pipeline += 1;
        } else if !self.warps.states.waiting().and(own).is_empty() {
            self.stalls.scoreboard += 1;
        } else {
            self.stalls.idle += 1;
        }
    }

    fn issue_warp(&mut self, scheduler: usize, slot: usize, now: u64) {
        let warp = self.warps.slot(slot);
        let Some(instruction) = self.warps.next(slot) else {
            return;
        };
        let operation = instruction.operation;
        let (kernel, facts) = (warp.kernel, warp.facts);
        let id = self.flights.start(facts, instruction);
        let flight = self.flights.get_mut(id);
        flight.slot = slot as u16;
        flight.scheduler = scheduler as u8;
        flight.place = self.collected.place(facts.unit, scheduler);
        self.collectors
            .operands(&instruction.reads, slot as u16, scheduler, &mut flight.operands);
        if facts.unit == Unit::Tensor && self.machine.sm.units.tensor == 0 {
            self.without_unit = Some(kernel);
        }
        if let Some(record) = &mut self.record {
            record.push(IssueEvent {
                cycle: now,
                sm: self.number,
                scheduler: scheduler as u8,
                slot: slot as u16,
                age: self.warps.pools[scheduler].age[slot],
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
        let done = self.warps.issued(slot, &flight.written, self.effect.jumped);
        let place = self.issued.place(facts.unit, scheduler);
        self.issued.put(place, id, flight.order);
        match facts.memory {
            Memory::None => {}
            Memory::Shared(access) => {
                let banks = self.machine.shared_memory.banks;
                flight.conflicts = coalescing::conflicts(lanes, &self.effect.addresses, banks);
                if access == SharedAccess::Atomic && lanes != 0 {
                    flight.remaining = lanes.count_ones();
                    self.warps.atomic_sent(slot, lanes.count_ones());
                }
            }
            Memory::Constant => {}
            Memory::Load(_) | Memory::Store => {
                coalescing::sectors(&self.effect, operation.bytes(), &mut flight.accesses);
                flight.remaining = flight.accesses.len() as u32;
            }
            Memory::Atomic => {
                let bytes = operation.bytes();
                coalescing::atomics(lanes, &self.effect.addresses, bytes, &mut flight.accesses);
                flight.remaining = flight.accesses.len() as u32;
                if lanes != 0 {
                    self.warps.atomic_sent(slot, lanes.count_ones());
                }
            }
            Memory::Fence => self.warps.fence(slot),
        }
        if operation == Operation::Barrier && !done {
            self.warps.set_barrier(slot, true);
            self.check_barrier(slot);
        }
        if done {
            self.check_barrier(slot);
        }
    }
}
