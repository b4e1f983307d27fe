//! Which SM the next block of a kernel goes to.

use super::Sm;
use gpusched_model::scenario::{BlockScheduler, DeviceShape, Need};

/// Chooses SMs for blocks.
///
/// `slots`: the SM on which most further blocks of the kernel fit; of several, the first in the platform's order. This one rule
/// gives [Sanudo20] Eqs 2, 3 and 4. `round-robin`: the next SM in that order with room.
#[derive(Clone, Debug)]
pub struct Placement {
    rule: BlockScheduler,
    /// The SMs in the platform's order.
    order: Vec<u32>,
    /// Where round-robin goes on, in that order.
    turn: usize,
    /// The kernel that `slots` is about.
    kernel: Option<usize>,
    /// How many blocks of that kernel fit on each SM, in the platform's order; 0 where it may not run.
    slots: Vec<u32>,
    /// The position of each SM in the order.
    position: Vec<usize>,
}

impl Placement {
    /// Nothing placed so far.
    pub fn new(device: &DeviceShape, rule: BlockScheduler) -> Placement {
        let order = device.sm_order.of(device.sms);
        let mut position = vec![0; order.len()];
        for (place, &sm) in order.iter().enumerate() {
            if let Some(position) = position.get_mut(sm as usize) {
                *position = place;
            }
        }
        Placement {
            rule,
            turn: 0,
            kernel: None,
            slots: vec![0; order.len()],
            order,
            position,
        }
    }

    /// Looks at the SMs for the blocks of `kernel`, which may run where `allowed`; no blocks started or ended unseen.
    pub fn look(&mut self, kernel: usize, need: &Need, sms: &[Sm], allowed: impl Fn(u32) -> bool) {
        if self.kernel == Some(kernel) {
            return;
        }
        self.kernel = Some(kernel);
        for (slots, &sm) in self.slots.iter_mut().zip(&self.order) {
            *slots = match sms.get(sm as usize) {
                Some(room) if allowed(sm) => room.slots(need),
                _ => 0,
            };
        }
    }

    /// Something started or ended on an SM unseen, such as in a change of applications.
    pub fn forget(&mut self) {
        self.kernel = None;
    }

    /// The kernel that was looked at last.
    pub fn kernel(&self) -> Option<usize> {
        self.kernel
    }

    /// The SM for the next block of the kernel; `None` if there is no room.
    pub fn choose(&mut self) -> Option<u32> {
        let place = match self.rule {
            BlockScheduler::Slots => {
                // Two passes, of which the first is one of the vector unit.
                let most = self.slots.iter().copied().fold(0, u32::max);
                let first = self.slots.iter().position(|&slots| slots == most);
                first.filter(|_| most > 0)
            }
            BlockScheduler::RoundRobin => {
                let places = (self.turn..self.order.len()).chain(0..self.turn);
                let mut free = places.filter(|&place| self.slots.get(place).is_some_and(|&slots| slots > 0));
                free.next()
            }
        }?;
        self.turn = (place + 1) % self.order.len().max(1);
        self.order.get(place).copied()
    }

    /// `sm` now has room for `slots` blocks of the kernel.
    pub fn update(&mut self, sm: u32, slots: u32) {
        let place = self.position.get(sm as usize).copied().unwrap_or(usize::MAX);
        if let Some(found) = self.slots.get_mut(place) {
            *found = slots;
        }
    }
}
