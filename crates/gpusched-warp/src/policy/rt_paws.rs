//! Real-time priority-aware warp scheduling (RT-PAWS).

use super::TurnRule;

/// RT-PAWS ([Singh21] §4.4.2, Algorithm 5, as interpreted in MODELS §8). Each stall decrements the budget of the group,
/// which initially equals its priority. The turn ends at a stall when the budget is 0.
#[derive(Debug, Clone, Default)]
pub struct RtPaws {
    /// Used part of the budget.
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
