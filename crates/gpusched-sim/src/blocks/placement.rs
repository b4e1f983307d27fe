//! The block scheduler, which chooses the SM of the next block of a kernel.

use super::Sm;
use gpusched_model::scenario::{BlockScheduler, DeviceShape, Need};

/// Chooses an SM for each block.
///
/// Rule `slots` chooses the SM that has room for the most further blocks of the kernel. In a tie, the rule chooses the
/// first of these SMs in the order of the platform. [Sanudo20] Eqs 2, 3 and 4 follow from this rule. Rule `round-robin`
/// chooses the next SM with room in the order of the platform.
#[derive(Clone, Debug)]
pub struct Placement {
    rule: BlockScheduler,
    /// SMs in the order of the platform.
    order: Vec<u32>,
    /// Index in `order` at which `round-robin` continues.
    turn: usize,
    /// Kernel for which `slots` was computed.
    kernel: Option<usize>,
    /// Number of further blocks of this kernel that fit on each SM, in the order of the platform.
    /// The number is 0 if the kernel may not use the SM.
    slots: Vec<u32>,
    /// Index of each SM in the order of the platform.
    position: Vec<usize>,
}

impl Placement {
    /// Creates a block scheduler for a GPU without running blocks.
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

    /// Computes `slots` for `kernel`, which may use the SMs for which `allowed` is true. `sms`
    /// contains the current free resources of each SM.
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

    /// Invalidates `slots`. The caller must call this function if a block started or ended without a call of `update`,
    /// for example after a change of the application.
    pub fn forget(&mut self) {
        self.kernel = None;
    }

    /// Returns the kernel of the last call of `look`.
    pub fn kernel(&self) -> Option<usize> {
        self.kernel
    }

    /// Returns the SM for the next block of the kernel, or `None` if no SM has room for a block.
    pub fn choose(&mut self) -> Option<u32> {
        let place = match self.rule {
            BlockScheduler::Slots => {
                // The search is split in two loops, because the compiler can vectorize the first
                // loop.
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

    /// Records that `slots` further blocks of the kernel fit on `sm`.
    pub fn update(&mut self, sm: u32, slots: u32) {
        let place = self.position.get(sm as usize).copied().unwrap_or(usize::MAX);
        if let Some(found) = self.slots.get_mut(place) {
            *found = slots;
        }
    }
}
