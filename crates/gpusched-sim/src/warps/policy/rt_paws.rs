//! Real-time priority-aware warp scheduling (RT-PAWS).

use super::TurnRule;

/// RT-PAWS ([Singh21] §4.4.2, Algorithm 5, as docs/errata.md interprets it). At the start of a
/// turn, the budget of the group equals its priority. Each stall decrements the budget by 1. The
/// turn ends at a stall when the budget is 0.
#[derive(Debug, Clone, Default)]
pub struct RtPaws {
    /// Number of stalls in this turn that decremented the budget.
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
