//! Common basis of RT-PAWS and QAWS: groups of warps that take turns.

use super::order::Order;
use super::{Policy, Pool, WarpSet};

/// Rule for the end of a turn. Each turn uses a new value of this type.
pub trait TurnRule: Default {
    /// Handles a stall: a warp of the current group issued in the previous cycle, but cannot issue now. Returns whether
    /// the turn of the current group ends. `budget` is the budget of the current group. `another_is_ready` states
    /// whether another warp of the group can issue now.
    fn stall(&mut self, budget: u32, another_is_ready: bool) -> bool;
}

/// Turns of groups of warps. The warps of each kernel form a group. At any time, at most one
/// group is *current* ([Singh21] Algorithm 5, [Singh22] Algorithm 1, as docs/errata.md interprets
/// the algorithms).
///
/// * As long as only one group has warps, this group is current. The warps of this group issue in
///   greedy-then-oldest order, and stalls do not count. When a second group arrives, the first
///   group stays current. If several groups arrive in the same cycle, the group with the highest
///   budget is current.
/// * If several groups have warps, *stalls* count. A stall occurs if a warp of the current group issued in the previous
///   cycle, but cannot issue now. [`TurnRule`] decides at each stall whether the turn ends. At the end of the turn, the
///   next group with warps becomes current.
/// * If the current group has no warps left, the next group with warps becomes current. This rule
///   is an extension by gpusched. If only two groups exist, the remaining group runs in
///   isolation.
/// * The warps of the current group precede all other warps. The greedy warp is first, and the other warps of the group
///   follow by age. Then follow the warps of the next group by age, and so on. If a warp of another group issues, its
///   group does not become current, and its stalls do not count.
#[derive(Debug, Clone)]
pub struct Turns<R> {
    order: Order,
    /// Current group; `None` if the sub-core has no warps.
    current: Option<usize>,
    turn: R,
    /// Slots of the warps of the current group.
    members: WarpSet,
    /// Slot of the greedy warp, which issued last.
    greedy: Option<usize>,
    /// Slot that issued in the previous cycle, and the group of its warp.
    previous: Option<(usize, usize)>,
}

impl<R: TurnRule> Turns<R> {
    /// Creates the turns of groups whose budgets are `budgets`; for RT-PAWS, their priorities.
    /// The budgets are indexed by the group in [`Pool::group`]. Groups without an entry have
    /// budget 0.
    pub fn new(budgets: &[u32]) -> Turns<R> {
        Turns {
            order: Order::new(budgets),
            current: None,
            turn: R::default(),
            members: WarpSet::default(),
            greedy: None,
            previous: None,
        }
    }

    /// Returns the current group; `None` if the sub-core has no warps.
    pub fn current(&self) -> Option<usize> {
        self.current
    }

    /// Ends the turn of the current group. The turn of the next group with warps starts.
    fn end_turn(&mut self, pool: &Pool) {
        let groups = pool.live.iter().filter_map(|slot| pool.group.get(slot).copied());
        self.current = groups.min_by_key(|&group| self.order.behind(self.current, group));
        self.turn = R::default();
        self.members = self.members(pool);
    }

    fn members(&self, pool: &Pool) -> WarpSet {
        let of = |group| pool.of_group(pool.live, group);
        self.current.map_or(WarpSet::default(), of)
    }
}

impl<R: TurnRule> Policy for Turns<R> {
    fn begin(&mut self, pool: &Pool, ready: WarpSet) {
        let previous = self.previous.take();
        self.members = self.members(pool);
        if self.members.is_empty() {
            self.end_turn(pool);
        }
        let alone = self.members == pool.live;
        let Some(current) = self.current.filter(|_| !alone) else {
            return;
        };
        if previous.is_some_and(|(slot, group)| group == current && !ready.contains(slot)) {
            let another = !ready.and(self.members).is_empty();
            if self.turn.stall(self.order.budget(current), another) {
                self.end_turn(pool);
            }
        }
    }

    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        let own = candidates.and(self.members);
        if let Some(greedy) = self.greedy.filter(|&slot| own.contains(slot)) {
            return Some(greedy);
        }
        if let Some(oldest) = pool.oldest(own) {
            return Some(oldest);
        }
        candidates.iter().min_by_key(|&slot| {
            let group = pool.group.get(slot).copied().unwrap_or(usize::MAX);
            (self.order.behind(self.current, group), pool.age_of(slot))
        })
    }

    fn issued(&mut self, pool: &Pool, slot: usize) {
        self.greedy = Some(slot);
        self.previous = pool.group.get(slot).map(|&group| (slot, group));
    }
}
