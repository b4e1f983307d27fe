//! Where the warps of an SM stand, as sets of its slots.

use super::super::policy::WarpSet;
use super::facts::{UNITS, Unit};
use super::stages::pipeline_registers::LANES;

/// What the warps of an SM can do.
#[derive(Debug, Clone)]
pub struct WarpStates {
    /// Those that have an instruction in the buffer and wait for no barrier, fence or atomic.
    able: WarpSet,
    /// Those whose instructions in the buffer are of the wrong path.
    stale: WarpSet,
    /// Those whose next instruction waits for a register.
    blocked: WarpSet,
    /// By unit, those whose next instruction needs it.
    of_unit: [WarpSet; UNITS],
    /// By scheduler, its slots.
    lanes: [WarpSet; LANES],
}

impl WarpStates {
    /// Of `slots` slots, which the schedulers have in turn.
    pub fn new(slots: usize, schedulers: usize) -> Self {
        let mut lanes = [WarpSet::default(); LANES];
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

    /// Whether the warp of `slot`, a set of one, has an instruction and waits for nothing beside registers, and whether the
    /// instruction is of the wrong path.
    pub fn set_able(&mut self, slot: WarpSet, able: bool, stale: bool) {
        self.able = put(self.able, slot, able);
        self.stale = put(self.stale, slot, stale);
    }

    /// Whether the warp of `slot` waits for registers.
    pub fn set_blocked(&mut self, slot: WarpSet, blocked: bool) {
        self.blocked = put(self.blocked, slot, blocked);
    }

    /// The next instruction of the warp in `slot` is not for `before` but for `unit`.
    pub fn set_unit(&mut self, slot: WarpSet, before: Unit, unit: Unit) {
        let unit_before = &mut self.of_unit[before as usize];
        *unit_before = unit_before.without(slot);
        let unit = &mut self.of_unit[unit as usize];
        *unit = unit.or(slot);
    }

    /// Whether some warp could issue, if its unit were free, or has instructions to drop.
    pub fn can_act(&self) -> bool {
        !self.able.and(self.stale).is_empty() || !self.able.without(self.blocked).is_empty()
    }

    /// The slots of `scheduler`.
    pub fn of(&self, scheduler: usize) -> WarpSet {
        self.lanes[scheduler]
    }

    /// Warps that must drop what is in their buffer.
    pub fn stale(&self) -> WarpSet {
        self.able.and(self.stale)
    }

    /// Warps whose next instruction waits for nothing but its unit.
    pub fn ready(&self) -> WarpSet {
        self.able.without(self.stale.or(self.blocked))
    }

    /// Warps whose next instruction waits for a register.
    pub fn waiting(&self) -> WarpSet {
        self.able.without(self.stale).and(self.blocked)
    }

    /// Warps whose next instruction needs `unit`.
    pub fn needing(&self, unit: Unit) -> WarpSet {
        self.of_unit[unit as usize]
    }
}

/// `set` with `slot`, or without it.
fn put(set: WarpSet, slot: WarpSet, member: bool) -> WarpSet {
    let others = set.without(slot);
    if member { others.or(slot) } else { others }
}
