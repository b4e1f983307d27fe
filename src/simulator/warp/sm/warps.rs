//! The warps of an SM: what each waits for, and sets of those that can do something.

use super::super::code::{Instruction, Operation, Register, RegisterSet, Stream};
use super::super::policy::{Pool, WarpSet};
use super::facts::{Facts, FactsTable};
use super::flight::{UNITS, Unit};

/// A warp slot.
#[derive(Clone)]
pub struct Slot {
    /// The instructions; `None` if the slot is free.
    pub stream: Option<Box<dyn Stream + Send>>,
    /// Index of its kernel.
    pub kernel: usize,
    /// Place of its block in the SM.
    pub block: usize,
    /// Instructions in the instruction buffer.
    buffered: u8,
    /// Those (or the next ones fetched) are of the wrong path.
    stale: bool,
    in_pipeline: u32,
    stores: u32,
    atomics: u32,
    fence: bool,
    at_barrier: bool,
    done: bool,
    /// Registers with a write on its way.
    writing: RegisterSet,
    /// Those of the lowest ones that the next instruction waits for, one bit each.
    blocked: u128,
    /// The next instruction waits for other registers, too; looked at again when one is released.
    blocked_by_more: bool,
    /// What the machine does with the next instruction.
    pub facts: Facts,
    /// Its scheduler, and its place there.
    scheduler: u8,
    local: u8,
    /// Where the masks have the warp's next instruction.
    filed: Filed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filed {
    Nowhere,
    Stale,
    Waiting,
    Ready(Unit),
}

/// What a scheduler's warps can do.
#[derive(Debug, Default, Clone)]
pub struct Scheduler {
    /// Age, group and liveness, as policies see them.
    pub pool: Pool,
    /// Warps that must drop their buffered instructions.
    pub stale: WarpSet,
    /// Warps whose next instruction waits for a register.
    pub waiting: WarpSet,
    /// Warps whose next instruction waits for nothing but its unit, whatever the unit.
    pub any_ready: WarpSet,
    /// The same by unit.
    pub ready: [WarpSet; UNITS],
}

impl Slot {
    /// What is known of the instruction that is the next one now; the end, if there is none.
    fn come_to_next(&mut self, facts: &FactsTable) {
        match self.stream.as_ref().and_then(|stream| stream.next()) {
            Some(next) => {
                (self.blocked, self.blocked_by_more) = self.writing.common(next.waits());
                self.facts = facts.of(&next.operation);
            }
            None => self.done = true,
        }
    }

    /// Writes to `registers` are done.
    fn release(&mut self, registers: &[Register]) {
        for &register in registers {
            self.writing.remove(register);
            self.blocked &= !RegisterSet::bit(register);
        }
        if self.blocked_by_more {
            let next = self.stream.as_ref().and_then(|stream| stream.next());
            self.blocked_by_more = next.is_some_and(|next| self.writing.common(next.waits()).1);
        }
    }

    fn waits(&self) -> bool {
        self.blocked != 0 || self.blocked_by_more
    }

    fn standing(&self) -> Filed {
        if self.done || self.buffered == 0 || self.at_barrier || self.fence || self.atomics > 0 {
            Filed::Nowhere
        } else if self.stale {
            Filed::Stale
        } else if self.waits() {
            Filed::Waiting
        } else {
            Filed::Ready(self.facts.unit)
        }
    }
}

impl Scheduler {
    /// Whether some warp could issue, if its unit were free, or has instructions to drop.
    fn can_issue(&self) -> bool {
        self.stale.0 | self.any_ready.0 != 0
    }

    /// Warps that can issue while the units of `taken` are not free.
    pub fn ready_but_for(&self, taken: impl Iterator<Item = usize>) -> WarpSet {
        WarpSet(taken.fold(self.any_ready.0, |ready, unit| ready & !self.ready[unit].0))
    }
}

/// All warps of an SM.
#[derive(Clone)]
pub struct Warps {
    slots: Vec<Slot>,
    /// Per scheduler.
    pub schedulers: Vec<Scheduler>,
    /// Schedulers with a warp that could issue, if its unit were free, or that has instructions to drop; one bit each.
    pub can_issue: u64,
    /// Schedulers with a warp whose next instruction waits for a register, one bit each.
    pub waiting: u64,
    /// Slots that want instructions.
    pub hungry: u64,
    /// Slots whose warp is through with everything.
    pub finished: u64,
    /// What the machine does with each operation.
    facts: FactsTable,
}

impl Warps {
    pub fn new(slots: usize, schedulers: usize, facts: FactsTable) -> Self {
        let per_scheduler = slots.div_ceil(schedulers);
        let scheduler = Scheduler {
            pool: Pool {
                age: vec![0; per_scheduler],
                group: vec![0; per_scheduler],
                live: WarpSet::default(),
            },
            ..Scheduler::default()
        };
        Self {
            slots: (0..slots)
                .map(|slot| Slot {
                    stream: None,
                    kernel: 0,
                    block: 0,
                    buffered: 0,
                    stale: false,
                    in_pipeline: 0,
                    stores: 0,
                    atomics: 0,
                    fence: false,
                    at_barrier: false,
                    done: true,
                    writing: RegisterSet::default(),
                    blocked: 0,
                    blocked_by_more: false,
                    facts: facts.of(&Operation::Other),
                    scheduler: (slot % schedulers) as u8,
                    local: (slot / schedulers) as u8,
                    filed: Filed::Nowhere,
                })
                .collect(),
            schedulers: vec![scheduler; schedulers],
            can_issue: 0,
            waiting: 0,
            hungry: 0,
            finished: 0,
            facts,
        }
    }

    /// Slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn slot(&self, slot: usize) -> &Slot {
        &self.slots[slot]
    }

    /// The slot of place `local` of `scheduler`.
    pub fn of_scheduler(&self, scheduler: usize, local: usize) -> usize {
        local * self.schedulers.len() + scheduler
    }

    /// A warp starts in a free slot.
    pub fn start(
        &mut self,
        slot: usize,
        stream: Box<dyn Stream + Send>,
        kernel: usize,
        block: usize,
        age: u64,
    ) {
        let place = &mut self.slots[slot];
        let local = place.local as usize;
        let scheduler = &mut self.schedulers[place.scheduler as usize];
        scheduler.pool.age[local] = age;
        scheduler.pool.group[local] = kernel;
        scheduler.pool.live.0 |= 1 << local;
        place.stream = Some(stream);
        place.kernel = kernel;
        place.block = block;
        place.buffered = 0;
        place.stale = false;
        place.fence = false;
        place.at_barrier = false;
        place.writing.clear();
        place.done = false;
        place.come_to_next(&self.facts);
        self.file(slot);
        self.check_finished(slot);
    }

    /// The warp in `slot` is through and leaves.
    pub fn leave(&mut self, slot: usize) {
        self.slots[slot].stream = None;
        self.finished &= !(1 << slot);
    }

    /// Instructions of the next two places in memory come into the buffer.
    pub fn decode(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        if place.done {
            return;
        }
        place.buffered = 2;
        place.in_pipeline += 2;
        self.file(slot);
    }

    /// Drops instructions of the wrong path.
    pub fn flush(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        place.in_pipeline -= u32::from(place.buffered);
        place.buffered = 0;
        place.stale = false;
        self.file(slot);
    }

    /// The next instruction of `slot`, to be issued.
    pub fn next(&self, slot: usize) -> Option<&Instruction> {
        self.slots[slot].stream.as_ref()?.next()
    }

    /// The stream of `slot`.
    pub fn stream(&mut self, slot: usize) -> Option<&mut Box<dyn Stream + Send>> {
        self.slots[slot].stream.as_mut()
    }

    /// An instruction of `slot` was issued that writes `writes`; `jumped` if the next one stands elsewhere.
    /// Says whether it was the last one.
    pub fn issued(&mut self, slot: usize, writes: &[Register], jumped: bool) -> bool {
        let place = &mut self.slots[slot];
        place.buffered -= 1;
        place.stale |= jumped;
        for &register in writes {
            place.writing.insert(register);
        }
        place.come_to_next(&self.facts);
        let done = place.done;
        if done {
            place.in_pipeline -= u32::from(place.buffered);
            place.buffered = 0;
            place.stale = false;
            let local = place.local;
            self.schedulers[place.scheduler as usize].pool.live.0 &= !(1 << local);
        }
        self.file(slot);
        done
    }

    /// Writes to `registers` are done.
    pub fn release(&mut self, slot: usize, registers: &[Register]) {
        let place = &mut self.slots[slot];
        place.release(registers);
        let fence_over = place.fence && place.writing.is_empty();
        place.fence &= !fence_over;
        // Only who waits for registers can stand elsewhere now.
        if fence_over || place.filed == Filed::Waiting && !place.waits() {
            self.file(slot);
        }
        self.check_finished(slot);
    }

    /// An issued instruction left the pipeline.
    pub fn left_pipeline(&mut self, slot: usize) {
        self.slots[slot].in_pipeline -= 1;
        self.check_finished(slot);
    }

    /// A store is on its way to memory.
    pub fn store_sent(&mut self, slot: usize) {
        self.slots[slot].stores += 1;
    }

    /// A store was acknowledged.
    pub fn store_acknowledged(&mut self, slot: usize) {
        self.slots[slot].stores -= 1;
        self.check_finished(slot);
    }

    /// Atomics of `lanes` lanes were issued; the warp waits for them.
    pub fn atomic_sent(&mut self, slot: usize, lanes: u32) {
        self.slots[slot].atomics += lanes;
        self.file(slot);
    }

    /// Atomics of `lanes` lanes are done.
    pub fn atomic_done(&mut self, slot: usize, lanes: u32) {
        let place = &mut self.slots[slot];
        place.atomics = place.atomics.saturating_sub(lanes);
        self.file(slot);
    }

    /// The warp waits until its loads are done.
    pub fn fence(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        place.fence = !place.writing.is_empty();
        self.file(slot);
    }

    /// The warp waits at its block's barrier, or goes on.
    pub fn set_barrier(&mut self, slot: usize, waits: bool) {
        self.slots[slot].at_barrier = waits;
        self.file(slot);
    }

    /// Whether the warp waits at its block's barrier.
    pub fn at_barrier(&self, slot: usize) -> bool {
        self.slots[slot].at_barrier
    }

    /// Whether the warp has issued its last instruction.
    pub fn is_done(&self, slot: usize) -> bool {
        self.slots[slot].done
    }

    fn check_finished(&mut self, slot: usize) {
        let place = &self.slots[slot];
        if place.done
            && place.stream.is_some()
            && place.stores == 0
            && place.in_pipeline == 0
            && place.writing.is_empty()
        {
            self.finished |= 1 << slot;
        }
    }

    /// Puts the warp into the set it belongs to now.
    fn file(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        let bit = 1_u64 << place.local;
        if place.buffered == 0 && !place.done {
            self.hungry |= 1 << slot;
        } else {
            self.hungry &= !(1 << slot);
        }
        let filed = place.standing();
        if filed == place.filed {
            return;
        }
        let scheduler = &mut self.schedulers[place.scheduler as usize];
        match place.filed {
            Filed::Nowhere => {}
            Filed::Stale => scheduler.stale.0 &= !bit,
            Filed::Waiting => scheduler.waiting.0 &= !bit,
            Filed::Ready(unit) => {
                scheduler.ready[unit as usize].0 &= !bit;
                scheduler.any_ready.0 &= !bit;
            }
        }
        match filed {
            Filed::Nowhere => {}
            Filed::Stale => scheduler.stale.0 |= bit,
            Filed::Waiting => scheduler.waiting.0 |= bit,
            Filed::Ready(unit) => {
                scheduler.ready[unit as usize].0 |= bit;
                scheduler.any_ready.0 |= bit;
            }
        }
        place.filed = filed;
        let bit = 1_u64 << place.scheduler;
        self.can_issue = self.can_issue & !bit | u64::from(scheduler.can_issue()) << place.scheduler;
        self.waiting = self.waiting & !bit | u64::from(!scheduler.waiting.is_empty()) << place.scheduler;
    }
}
