//! The frame that RT-PAWS and QAWS share: groups take turns.

use super::order::Order;
use super::{Policy, Pool, WarpSet};

/// When a turn ends. A fresh value is a fresh turn.
pub trait TurnRule: Default {
    /// The warp of the current group that issued in the previous cycle cannot issue now. Whether the turn ends here, for a
    /// group of this `budget`; `another_is_ready`: another warp of the group can issue now.
    fn stall(&mut self, budget: u32, another_is_ready: bool) -> bool;
}

/// Warps in groups, one per kernel, of which one is *current* ([Singh21] Algorithm 5, [Singh22] Algorithm 1, as MODELS §8
/// reads them).
///
/// * While only one group has warps, it is current; its warps go greedy-then-oldest, and nothing is counted. So the first
///   current group is the one that ran alone; if several come at once, it is the one with the highest budget.
/// * Otherwise there is a *stall event* in each cycle in which a warp of the current group that issued in the previous cycle
///   cannot issue. [`TurnRule`] says whether that ends the turn; then the next group with warps is current. So it is, too, when
///   the current group has no warps left (ours: with two groups, the other one is alone then).
/// * The order is: the greedy warp, if it is in the current group, the others of that group by age, then the warps of the next
///   group by age, and so on; these issue without becoming current and without counting.
#[derive(Debug, Clone)]
pub struct Turns<R> {
    order: Order,
    /// Whose turn it is; of none while no group has warps.
    current: Option<usize>,
    turn: R,
    /// The slots of the current group.
    members: WarpSet,
    /// The slot that issued last.
    greedy: Option<usize>,
    /// The slot that issued in the last cycle, and the group its warp is of.
    previous: Option<(usize, usize)>,
}

impl<R: TurnRule> Turns<R> {
    /// Groups with these budgets (RT-PAWS: priorities), by their index in [`Pool::group`]; further ones have 0.
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

    /// The group whose turn it is, if any has warps.
    pub fn current(&self) -> Option<usize> {
        self.current
    }

    /// The turn of the current group ends, and that of the next one with warps begins.
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
