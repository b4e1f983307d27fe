//! Warps of an SM: the state of each warp, and sets of warps by state.

use super::super::code::{Instruction, Operation, RegisterSet, Stream};
use super::facts::{Facts, FactsTable};
use super::warp_states::WarpStates;
use gpusched_sim::warps::policy::{Pool, WarpSet};

/// Slot for one warp.
#[derive(Clone)]
pub struct Slot {
    /// Instruction stream; `None` if the slot is free.
    pub stream: Option<Box<dyn Stream + Send>>,
    /// Index of the kernel.
    pub kernel: usize,
    /// Place of the block on the SM.
    pub block: usize,
    /// Number of instructions in the instruction buffer of the warp.
    buffered: u8,
    /// Whether the buffered instructions, or the instructions that are fetched next, belong to a
    /// wrong path after a jump.
    stale: bool,
    in_pipeline: u32,
    stores: u32,
    atomics: u32,
    fence: bool,
    at_barrier: bool,
    done: bool,
    /// Registers whose write is pending.
    writing: RegisterSet,
    /// Bit mask of the registers with numbers below 128 that the next instruction waits for.
    blocked: u128,
    /// Whether the next instruction also waits for a register with number 128 or higher. The
    /// release of a register updates this field.
    blocked_by_more: bool,
    /// Properties of the operation of the next instruction.
    pub facts: Facts,
    scheduler: u8,
    /// Set that contains only this slot.
    bit: WarpSet,
}

impl Slot {
    /// Marks the writes to `registers` as completed.
    fn release(&mut self, registers: &RegisterSet) {
        self.writing.remove_all(registers);
        self.blocked &= !registers.lowest();
        if self.blocked_by_more {
            let next = self.stream.as_ref().and_then(|stream| stream.next());
            self.blocked_by_more = next.is_some_and(|next| self.writing.common(next.waits()).1);
        }
    }

    fn waits(&self) -> bool {
        self.blocked != 0 || self.blocked_by_more
    }

    /// Returns whether the warp has a buffered instruction and does not wait for a barrier, fence
    /// or atomic.
    fn is_able(&self) -> bool {
        self.buffered > 0 && !(self.done || self.at_barrier || self.fence || self.atomics > 0)
    }
}

/// All warps of an SM.
#[derive(Clone)]
pub struct Warps {
    slots: Vec<Slot>,
    /// For each scheduler: age and group of its warps, and which warps have instructions left. The policies read these
    /// values.
    pub pools: Vec<Pool>,
    /// States of the warps.
    pub states: WarpStates,
    /// Slots whose warp has an empty instruction buffer but has not yet issued its last instruction.
    pub hungry: WarpSet,
    /// Slots whose warp has finished and can be removed.
    pub finished: WarpSet,
    /// Whether the fence of a warp has ended, and the SM has not yet handled this end.
    pub fence_over: bool,
    /// Properties of each operation on this machine.
    facts: FactsTable,
}

impl Warps {
    pub fn new(slots: usize, schedulers: usize, facts: FactsTable) -> Self {
        let pool = Pool {
            age: vec![0; slots],
            kernel: vec![0; slots],
            live: WarpSet::default(),
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
                    facts: facts.of(Operation::Other.kind()),
                    scheduler: (slot % schedulers) as u8,
                    bit: WarpSet(1 << slot),
                })
                .collect(),
            pools: vec![pool; schedulers],
            states: WarpStates::new(slots, schedulers),
            hungry: WarpSet::default(),
            finished: WarpSet::default(),
            fence_over: false,
            facts,
        }
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the index of the kernel of the warp in slot `slot`. A run has at most 256 kernels.
    pub fn kernel(&self, slot: usize) -> u8 {
        self.slots[slot].kernel as u8
    }

    pub fn slot(&self, slot: usize) -> &Slot {
        &self.slots[slot]
    }

    /// Starts a warp in the free slot `slot`.
    pub fn start(
        &mut self,
        slot: usize,
        stream: Box<dyn Stream + Send>,
        kernel: usize,
        block: usize,
        age: u64,
    ) {
        let place = &mut self.slots[slot];
        let pool = &mut self.pools[place.scheduler as usize];
        pool.age[slot] = age;
        pool.kernel[slot] = kernel;
        pool.live.insert(slot);
        place.stream = Some(stream);
        place.kernel = kernel;
        place.block = block;
        place.buffered = 0;
        place.stale = false;
        place.fence = false;
        place.at_barrier = false;
        place.writing.clear();
        place.done = false;
        self.come_to_next(slot);
        self.settle(slot);
        self.check_finished(slot);
    }

    /// Removes the finished warp in `slot`.
    pub fn leave(&mut self, slot: usize) {
        self.slots[slot].stream = None;
        self.finished.remove(slot);
    }

    /// Adds two instructions to the buffer: the next instruction of the warp and the following
    /// instruction in memory.
    pub fn decode(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        if place.done {
            return;
        }
        place.buffered = 2;
        place.in_pipeline += 2;
        self.settle(slot);
    }

    /// Drops the buffered instructions, which belong to a wrong path.
    pub fn flush(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        place.in_pipeline -= u32::from(place.buffered);
        place.buffered = 0;
        place.stale = false;
        self.settle(slot);
    }

    /// Returns the next instruction of the warp in `slot`.
    pub fn next(&self, slot: usize) -> Option<&Instruction> {
        self.slots[slot].stream.as_ref()?.next()
    }

    /// Returns the instruction stream of the warp in `slot`.
    pub fn stream(&mut self, slot: usize) -> Option<&mut Box<dyn Stream + Send>> {
        self.slots[slot].stream.as_mut()
    }

    /// Records the issue of an instruction that writes the registers `writes`. `jumped` is true if the next instruction
    /// does not follow in memory. Returns whether the issued instruction was the last instruction of the warp.
    pub fn issued(&mut self, slot: usize, writes: &RegisterSet, jumped: bool) -> bool {
        let place = &mut self.slots[slot];
        place.buffered -= 1;
        place.stale |= jumped;
        place.writing.insert_all(writes);
        let done = self.come_to_next(slot);
        if done {
            let place = &mut self.slots[slot];
            place.in_pipeline -= u32::from(place.buffered);
            place.buffered = 0;
            place.stale = false;
            let pool = &mut self.pools[place.scheduler as usize];
            pool.live.remove(slot);
        }
        self.settle(slot);
        done
    }

    /// Marks the writes of the warp to `registers` as completed.
    pub fn release(&mut self, slot: usize, registers: &RegisterSet) {
        let place = &mut self.slots[slot];
        place.release(registers);
        self.states.set_blocked(place.bit, place.waits());
        if place.fence && place.writing.is_empty() {
            place.fence = false;
            self.fence_over = true;
            self.settle(slot);
        }
        self.check_finished(slot);
    }

    /// Records that an issued instruction has left the pipeline.
    pub fn left_pipeline(&mut self, slot: usize) {
        self.slots[slot].in_pipeline -= 1;
        self.check_finished(slot);
    }

    /// Records that a store of the warp was sent to memory.
    pub fn store_sent(&mut self, slot: usize) {
        self.slots[slot].stores += 1;
    }

    /// Records that memory acknowledged a store of the warp.
    pub fn store_acknowledged(&mut self, slot: usize) {
        self.slots[slot].stores -= 1;
        self.check_finished(slot);
    }

    /// Records that the warp issued an atomic for `lanes` lanes. The warp waits until the atomic completes.
    pub fn atomic_sent(&mut self, slot: usize, lanes: u32) {
        self.slots[slot].atomics += lanes;
        self.settle(slot);
    }

    /// Records that an atomic completed for `lanes` lanes.
    pub fn atomic_done(&mut self, slot: usize, lanes: u32) {
        let place = &mut self.slots[slot];
        place.atomics = place.atomics.saturating_sub(lanes);
        self.settle(slot);
    }

    /// Makes the warp wait until its pending loads have completed.
    pub fn fence(&mut self, slot: usize) {
        let place = &mut self.slots[slot];
        place.fence = !place.writing.is_empty();
        self.fence_over |= !place.fence;
        self.settle(slot);
    }

    /// Sets whether the warp waits at the barrier of its block.
    pub fn set_barrier(&mut self, slot: usize, waits: bool) {
        self.slots[slot].at_barrier = waits;
        self.settle(slot);
    }

    /// Returns whether the warp waits at the barrier of its block.
    pub fn at_barrier(&self, slot: usize) -> bool {
        self.slots[slot].at_barrier
    }

    /// Returns whether the warp has issued its last instruction.
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
            self.finished.insert(slot);
        }
    }

    /// Updates the state of the warp for its next instruction. Returns whether the warp has no further instruction.
    fn come_to_next(&mut self, slot: usize) -> bool {
        let place = &mut self.slots[slot];
        match place.stream.as_ref().and_then(|stream| stream.next()) {
            Some(next) => {
                (place.blocked, place.blocked_by_more) = place.writing.common(next.waits());
                let before = place.facts.unit;
                place.facts = self.facts.of(next.kind());
                self.states.set_unit(place.bit, before, place.facts.unit);
                self.states.set_blocked(place.bit, place.waits());
            }
            None => place.done = true,
        }
        place.done
    }

    /// Updates the warp sets that depend on the instruction buffer of the warp, or on whether the warp waits for a
    /// barrier, fence or atomic.
    fn settle(&mut self, slot: usize) {
        let place = &self.slots[slot];
        self.hungry = self.hungry.without(place.bit);
        if place.buffered == 0 && !place.done {
            self.hungry = self.hungry.or(place.bit);
        }
        self.states.set_able(place.bit, place.is_able(), place.stale);
    }
}
