//! States of the warps of an SM, stored as sets of warp slots.

use super::facts::{UNITS, Unit};
use super::stages::pipeline_registers::MAX_SCHEDULERS;
use gpusched_sim::warps::policy::WarpSet;

/// States of the warps of an SM.
#[derive(Debug, Clone)]
pub struct WarpStates {
    /// Warps that have a buffered instruction and do not wait for a barrier, fence or atomic.
    able: WarpSet,
    /// Warps whose buffered instructions belong to a wrong path after a jump.
    stale: WarpSet,
    /// Warps whose next instruction waits for a register.
    blocked: WarpSet,
    /// For each unit, the warps whose next instruction uses this unit.
    of_unit: [WarpSet; UNITS],
    /// For each scheduler, the slots of its warps.
    lanes: [WarpSet; MAX_SCHEDULERS],
}

impl WarpStates {
    /// Creates the states of `slots` slots. The slots are assigned to the schedulers in rotation.
    pub fn new(slots: usize, schedulers: usize) -> Self {
        let mut lanes = [WarpSet::default(); MAX_SCHEDULERS];
        for (scheduler, lane) in lanes.iter_mut().enumerate().take(schedulers) {
            *lane = (scheduler..slots).step_by(schedulers).collect();
        }
        Self {
            able: WarpSet::default(),
            stale: WarpSet::default(),
            blocked: WarpSet::default(),
            of_unit: [WarpSet::default(); UNITS],
            lanes,
        }
    }

    /// Sets two states of the warp in `slot`, which is a set of one slot. `able` states whether the warp has a buffered
    /// instruction and does not wait for a barrier, fence or atomic. `stale` states whether the buffered instruction
    /// belongs to a wrong path.
    pub fn set_able(&mut self, slot: WarpSet, able: bool, stale: bool) {
        self.able = put(self.able, slot, able);
        self.stale = put(self.stale, slot, stale);
    }

    /// Sets whether the next instruction of the warp in `slot` waits for registers.
    pub fn set_blocked(&mut self, slot: WarpSet, blocked: bool) {
        self.blocked = put(self.blocked, slot, blocked);
    }

    /// Changes the unit of the next instruction of the warp in `slot` from `before` to `unit`.
    pub fn set_unit(&mut self, slot: WarpSet, before: Unit, unit: Unit) {
        let unit_before = &mut self.of_unit[before as usize];
        *unit_before = unit_before.without(slot);
        let unit = &mut self.of_unit[unit as usize];
        *unit = unit.or(slot);
    }

    /// Returns whether a warp has instructions to drop, or could issue if its unit were free.
    pub fn can_act(&self) -> bool {
        !self.able.and(self.stale).is_empty() || !self.able.without(self.blocked).is_empty()
    }

    /// Returns the slots that belong to `scheduler`.
    pub fn of(&self, scheduler: usize) -> WarpSet {
        self.lanes[scheduler]
    }

    /// Returns the warps that must drop their buffered instructions.
    pub fn stale(&self) -> WarpSet {
        self.able.and(self.stale)
    }

    /// Returns the warps whose next instruction can issue as soon as its unit is free.
    pub fn ready(&self) -> WarpSet {
        self.able.without(self.stale.or(self.blocked))
    }

    /// Returns the warps whose next instruction waits for a register.
    pub fn waiting(&self) -> WarpSet {
        self.able.without(self.stale).and(self.blocked)
    }

    /// Returns the warps whose next instruction uses `unit`.
    pub fn needing(&self, unit: Unit) -> WarpSet {
        self.of_unit[unit as usize]
    }
}

/// Adds `slot` to `set` if `member` is true, and removes `slot` otherwise. Returns the new set.
fn put(set: WarpSet, slot: WarpSet, member: bool) -> WarpSet {
    let others = set.without(slot);
    if member { others.or(slot) } else { others }
}
