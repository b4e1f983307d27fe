//! The warps of an SM: what each waits for, and sets of those that can do something.

use super::super::code::{Instruction, Operation, Register, Stream};
use super::super::policy::{Pool, WarpSet};
use super::flight::{UNITS, Unit};

/// Registers with a write on its way, per warp.
#[derive(Debug, Default, Clone)]
struct Scoreboard {
    words: Vec<u64>,
    count: usize,
}

impl Scoreboard {
    fn has(&self, register: Register) -> bool {
        let number = register.number as usize;
        self.words
            .get(number / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn reserve(&mut self, register: Register) {
        let number = register.number as usize;
        if self.words.len() <= number / 64 {
            self.words.resize(number / 64 + 1, 0);
        }
        if !self.has(register) {
            self.words[number / 64] |= 1 << (number % 64);
            self.count += 1;
        }
    }

    fn release(&mut self, register: Register) {
        if self.has(register) {
            self.words[register.number as usize / 64] &= !(1 << (register.number % 64));
            self.count -= 1;
        }
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.count = 0;
    }
}

/// A warp slot.
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
    scoreboard: Scoreboard,
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

impl Scheduler {
    /// Whether some warp could issue, if its unit were free, or has instructions to drop.
    pub fn can_issue(&self) -> bool {
        self.stale.0 | self.any_ready.0 != 0
    }

    /// Warps that can issue where the units that `is_free` names are free.
    pub fn ready_for(&self, is_free: impl Fn(Unit) -> bool) -> WarpSet {
        let units = Unit::ALL.into_iter().zip(self.ready);
        WarpSet(units.fold(0, |ready, (unit, warps)| match is_free(unit) {
            true => ready | warps.0,
            false => ready,
        }))
    }
}

/// All warps of an SM.
pub struct Warps {
    slots: Vec<Slot>,
    /// Per slot, its scheduler and its place there.
    places: Vec<(usize, usize)>,
    /// Per scheduler.
    pub schedulers: Vec<Scheduler>,
    /// Slots that want instructions.
    pub hungry: u64,
    /// Slots whose warp is through with everything.
    pub finished: u64,
    /// The unit of each operation on this machine.
    unit: fn(&Operation, &Units) -> Unit,
    units: Units,
}

/// Which optional units a machine has.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    /// Units for integers; without them SP units do the work.
    pub int: bool,
    /// Units for double precision; without them SFUs do the work.
    pub dp: bool,
}

impl Warps {
    pub fn new(slots: usize, schedulers: usize, unit: fn(&Operation, &Units) -> Unit, units: Units) -> Self {
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
                .map(|_| Slot {
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
                    scoreboard: Scoreboard::default(),
                    filed: Filed::Nowhere,
                })
                .collect(),
            places: (0..slots)
                .map(|slot| (slot % schedulers, slot / schedulers))
                .collect(),
            schedulers: vec![scheduler; schedulers],
            hungry: 0,
            finished: 0,
            unit,
            units,
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
        let (scheduler, local) = self.places[slot];
        let scheduler = &mut self.schedulers[scheduler];
        scheduler.pool.age[local] = age;
        scheduler.pool.group[local] = kernel;
        scheduler.pool.live.0 |= 1 << local;
        let place = &mut self.slots[slot];
        place.done = stream.next().is_none();
        place.stream = Some(stream);
        place.kernel = kernel;
        place.block = block;
        place.buffered = 0;
        place.stale = false;
        place.fence = false;
        place.at_barrier = false;
        place.scoreboard.clear();
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

    /// The unit that runs `operation`.
    pub fn unit(&self, operation: &Operation) -> Unit {
        (self.unit)(operation, &self.units)
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
            place.scoreboard.reserve(register);
        }
        place.done = place.stream.as_ref().is_none_or(|stream| stream.next().is_none());
        let done = place.done;
        if done {
            place.in_pipeline -= u32::from(place.buffered);
            place.buffered = 0;
            place.stale = false;
            let (scheduler, local) = self.places[slot];
            self.schedulers[scheduler].pool.live.0 &= !(1 << local);
        }
        self.file(slot);
        done
    }

    /// Writes to `registers` are done.
    pub fn release(&mut self, slot: usize, registers: &[Register]) {
        let place = &mut self.slots[slot];
        for &register in registers {
            place.scoreboard.release(register);
        }
        let fence_over = place.fence && place.scoreboard.count == 0;
        place.fence &= !fence_over;
        // Only who waits for registers can stand elsewhere now.
        if fence_over || place.filed == Filed::Waiting {
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
        place.fence = place.scoreboard.count > 0;
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

    /// Whether some warp could issue, if its unit were free, or has instructions to drop.
    pub fn can_issue(&self) -> bool {
        self.schedulers.iter().any(Scheduler::can_issue)
    }

    fn check_finished(&mut self, slot: usize) {
        let place = &self.slots[slot];
        if place.done
            && place.stream.is_some()
            && place.stores == 0
            && place.in_pipeline == 0
            && place.scoreboard.count == 0
        {
            self.finished |= 1 << slot;
        }
    }

    /// Puts the warp into the set it belongs to now.
    fn file(&mut self, slot: usize) {
        let (scheduler, local) = self.places[slot];
        let bit = 1_u64 << local;
        let filed = self.standing(slot);
        let place = &mut self.slots[slot];
        if place.buffered == 0 && !place.done {
            self.hungry |= 1 << slot;
        } else {
            self.hungry &= !(1 << slot);
        }
        if filed == place.filed {
            return;
        }
        let scheduler = &mut self.schedulers[scheduler];
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
    }

    fn standing(&self, slot: usize) -> Filed {
        let place = &self.slots[slot];
        if place.done || place.buffered == 0 || place.at_barrier || place.fence || place.atomics > 0 {
            return Filed::Nowhere;
        }
        if place.stale {
            return Filed::Stale;
        }
        let Some(instruction) = place.stream.as_ref().and_then(|stream| stream.next()) else {
            return Filed::Nowhere;
        };
        let waits_for = |registers: &[Register]| {
            let mut registers = registers.iter();
            registers.any(|&register| place.scoreboard.has(register))
        };
        if place.scoreboard.count > 0
            && (waits_for(&instruction.reads)
                || waits_for(&instruction.writes)
                || waits_for(instruction.guard.as_slice()))
        {
            return Filed::Waiting;
        }
        Filed::Ready((self.unit)(&instruction.operation, &self.units))
    }
}
