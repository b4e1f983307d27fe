//! QoS-aware warp scheduling (QAWS).

use super::TurnRule;

/// QAWS ([Singh22] §IV, Algorithm 1, as docs/errata.md interprets it). The issue budget of a
/// group limits how often the group may switch from a stalled warp to another warp of the group.
/// The turn ends at the first stall after the last permitted switch. A stall without a ready warp
/// in the group does not count as a switch.
#[derive(Debug, Clone, Default)]
pub struct Qaws {
    /// `ncs`: number of switches within the group in this turn.
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
