//! Common basis of RT-PAWS and QAWS: groups of warps that take turns.

use super::groups::{Grouping, Groups};
use super::{Policy, Pool, WarpSet};

/// Rule for the end of a turn. Each turn uses a new value of this type.
pub trait TurnRule: Default {
    /// Handles a stall: a warp of the current group issued in the previous cycle, but cannot issue now. Returns whether
    /// the turn of the current group ends. `budget` is the budget of the current group. `another_is_ready` states
    /// whether another warp of the group can issue now.
    fn stall(&mut self, budget: u32, another_is_ready: bool) -> bool;
}

/// Turns of groups of warps. At any time, at most one group is *current* ([Singh21] Algorithm 5, [Singh22]
/// Algorithm 1, as docs/errata.md interprets the algorithms). [`Printed`](super::Printed) follows the printed
/// algorithms.
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
    groups: Groups,
    turn: R,
    /// Slot of the greedy warp, which issued last.
    greedy: Option<usize>,
    /// Slot that issued in the previous cycle, and the group of its warp.
    previous: Option<(usize, usize)>,
}

impl<R: TurnRule> Turns<R> {
    /// Creates the turns of groups of kernels whose budgets are `budgets`; for RT-PAWS, their priorities.
    /// The budgets are indexed by the kernel in [`Pool::kernel`]. Kernels without an entry have
    /// budget 0.
    pub fn new(budgets: &[u32], grouping: Grouping) -> Turns<R> {
        Turns {
            groups: Groups::new(budgets, grouping),
            turn: R::default(),
            greedy: None,
            previous: None,
        }
    }
}

impl<R: TurnRule> Policy for Turns<R> {
    #[inline]
    fn begin(&mut self, pool: &Pool, ready: WarpSet) {
        let previous = self.previous.take();
        if self.groups.update(pool) {
            self.turn = R::default();
        }
        let members = self.groups.members();
        let alone = members == pool.live;
        let Some(current) = self.groups.current().filter(|_| !alone) else {
            return;
        };
        if previous.is_some_and(|(slot, group)| group == current && !ready.contains(slot)) {
            let another = !ready.and(members).is_empty();
            if self.turn.stall(self.groups.budget(current), another) {
                self.groups.pass(pool);
                self.turn = R::default();
            }
        }
    }

    #[inline]
    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        let own = candidates.and(self.groups.members());
        if let Some(greedy) = self.greedy.filter(|&slot| own.contains(slot)) {
            return Some(greedy);
        }
        if let Some(oldest) = pool.oldest(own) {
            return Some(oldest);
        }
        candidates.iter().min_by_key(|&slot| {
            let group = self.groups.of(pool, slot).unwrap_or(usize::MAX);
            (self.groups.behind(group), pool.age_of(slot))
        })
    }

    #[inline]
    fn issued(&mut self, pool: &Pool, slot: usize) {
        self.greedy = Some(slot);
        self.previous = self.groups.of(pool, slot).map(|group| (slot, group));
    }
}
