//! The block scheduler: chooses the SM of the next block of a kernel.

use super::Sm;
use gpusched_model::scenario::{BlockScheduler, DeviceShape, Need};

/// Chooses SMs for blocks.
///
/// Rule `slots`: the SM with room for the most further blocks of the kernel; ties: first in the order of the platform. This
/// rule gives [Sanudo20] Eqs 2, 3 and 4. Rule `round-robin`: the next SM with room in that order.
#[derive(Clone, Debug)]
pub struct Placement {
    rule: BlockScheduler,
    /// SMs in the order of the platform.
    order: Vec<u32>,
    /// Position in this order where round-robin continues.
    turn: usize,
    /// Kernel that `slots` is about.
    kernel: Option<usize>,
    /// Number of blocks of this kernel that fit on each SM, in the order of the platform. 0 if the kernel may not run there.
    slots: Vec<u32>,
    /// Position of each SM in the order of the platform.
    position: Vec<usize>,
}

impl Placement {
    /// Creates a block scheduler without placed blocks.
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

    /// Computes the slots of `kernel`, which may run on `allowed` SMs. The scheduler must have seen all starts and ends of blocks.
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

    /// Forgets the slots, because blocks started or ended unseen, as when the application changes.
    pub fn forget(&mut self) {
        self.kernel = None;
    }

    /// Returns the last kernel given to `look`.
    pub fn kernel(&self) -> Option<usize> {
        self.kernel
    }

    /// Returns the SM for the next block of the kernel, or `None` if no SM has room.
    pub fn choose(&mut self) -> Option<u32> {
        let place = match self.rule {
            BlockScheduler::Slots => {
                // Two passes, because the compiler can vectorize the first pass.
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

    /// Sets the number of blocks of the kernel that fit on `sm` to `slots`.
    pub fn update(&mut self, sm: u32, slots: u32) {
        let place = self.position.get(sm as usize).copied().unwrap_or(usize::MAX);
        if let Some(found) = self.slots.get_mut(place) {
            *found = slots;
        }
    }
}
