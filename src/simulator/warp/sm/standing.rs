//! Where the warps of an SM stand, as sets: one bit per warp, scheduler by scheduler, so that the warps of each are together.

use super::super::policy::WarpSet;
use super::flight::{UNITS, Unit};

/// What the warps of an SM can do.
#[derive(Debug)]
pub struct Standing {
    /// Those that have an instruction in the buffer and wait for no barrier, fence or atomic.
    able: u64,
    /// Those whose instructions in the buffer are of the wrong path.
    stale: u64,
    /// Those whose next instruction waits for a register.
    blocked: u64,
    /// By unit, those whose next instruction needs it.
    of_unit: [u64; UNITS],
    /// Warps of each scheduler.
    per_scheduler: u32,
}

/// A warp among those of the SM: one bit.
#[derive(Debug, Clone, Copy)]
pub struct Bit(u64);

impl Standing {
    pub fn new(per_scheduler: usize) -> Self {
        Self {
            able: 0,
            stale: 0,
            blocked: 0,
            of_unit: [0; UNITS],
            per_scheduler: per_scheduler as u32,
        }
    }

    /// The warp in place `local` of `scheduler`.
    pub fn bit(&self, scheduler: usize, local: usize) -> Bit {
        Bit(1 << (scheduler * self.per_scheduler as usize + local))
    }

    pub fn set_able(&mut self, warp: Bit, able: bool) {
        put(&mut self.able, warp, able);
    }

    pub fn set_stale(&mut self, warp: Bit, stale: bool) {
        put(&mut self.stale, warp, stale);
    }

    pub fn set_blocked(&mut self, warp: Bit, blocked: bool) {
        put(&mut self.blocked, warp, blocked);
    }

    /// The next instruction of `warp` is not for `before` but for `unit`.
    pub fn set_unit(&mut self, warp: Bit, before: Unit, unit: Unit) {
        self.of_unit[before as usize] &= !warp.0;
        self.of_unit[unit as usize] |= warp.0;
    }

    /// Those that could issue, if their unit were free, or have instructions to drop.
    fn acting(&self) -> u64 {
        self.able & (self.stale | !self.blocked)
    }

    /// Whether some warp could issue, if its unit were free, or has instructions to drop.
    pub fn can_act(&self) -> bool {
        self.acting() != 0
    }

    /// The same of the warps of one scheduler.
    pub fn can_act_for(&self, scheduler: usize) -> bool {
        !self.share(self.acting(), scheduler).is_empty()
    }

    /// Whether some warp of `scheduler` waits for a register.
    pub fn waits(&self, scheduler: usize) -> bool {
        !self
            .share(self.able & self.blocked & !self.stale, scheduler)
            .is_empty()
    }

    /// The warps of `scheduler` that must drop what is in their buffer.
    pub fn stale(&self, scheduler: usize) -> WarpSet {
        self.share(self.able & self.stale, scheduler)
    }

    /// The warps of `scheduler` whose next instruction waits for nothing but its unit.
    pub fn ready(&self, scheduler: usize) -> WarpSet {
        self.share(self.able & !self.stale & !self.blocked, scheduler)
    }

    /// The warps of `scheduler` whose next instruction needs one of the units of `taken`.
    pub fn needing(&self, scheduler: usize, taken: impl Iterator<Item = usize>) -> WarpSet {
        let needing = taken.fold(0, |needing, unit| needing | self.of_unit[unit]);
        self.share(needing, scheduler)
    }

    /// Those of `warps` that are of `scheduler`.
    fn share(&self, warps: u64, scheduler: usize) -> WarpSet {
        let lowest = u64::MAX >> (64 - self.per_scheduler);
        WarpSet(warps >> (scheduler as u32 * self.per_scheduler) & lowest)
    }
}

fn put(set: &mut u64, warp: Bit, member: bool) {
    *set = *set & !warp.0 | if member { warp.0 } else { 0 };
}
