//! QoS-aware warp scheduling.

use super::TurnRule;

/// QAWS ([Singh22] §IV, Algorithm 1, as MODELS §8 reads it): a turn lasts for as many switches from a stalled warp to another
/// of the group as the group's budget says, and ends at the stall after these. The budget limits switches, not stalls: where
/// all other warps of the group are stalled, too, nothing is counted.
#[derive(Debug, Clone, Default)]
pub struct Qaws {
    /// `ncs`: the switches within the group so far.
    switches: u32,
}

impl TurnRule for Qaws {
    fn stall(&mut self, budget: u32, another_is_ready: bool) -> bool {
        if self.switches >= budget {
            return true;
        }
        if another_is_ready {
            self.switches += 1;
        }
        false
    }
}
