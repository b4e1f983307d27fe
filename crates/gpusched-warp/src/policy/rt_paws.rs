//! Real-time priority-aware warp scheduling.

use super::TurnRule;

/// RT-PAWS ([Singh21] §4.4.2, Algorithm 5, as MODELS §8 reads it): each stall takes one from the group's budget, which is its
/// priority at first; the turn ends when there is none left to take.
#[derive(Debug, Clone, Default)]
pub struct RtPaws {
    /// What has been taken from the budget.
    taken: u32,
}

impl TurnRule for RtPaws {
    fn stall(&mut self, budget: u32, _: bool) -> bool {
        if self.taken >= budget {
            return true;
        }
        self.taken += 1;
        false
    }
}
