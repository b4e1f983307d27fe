//! RT-PAWS and QAWS exactly as the papers print them.

use super::groups::{Grouping, Groups};
use super::{Policy, Pool, WarpSet};

/// A printed algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// [Singh21] Algorithm 5. Algorithm 4, line 14, stores the queue of a cycle only if its first warp did not issue.
    /// gpusched stores the queue of every cycle, as the text says.
    RtPaws,
    /// [Singh22] Algorithm 1.
    Qaws,
}

/// Turns of groups of warps, as the papers print them. The page docs/errata.md lists the differences from
/// [`Turns`](super::Turns).
///
/// * The warps of all kernels with equal budgets form a group.
/// * The head of a queue is the first warp in the order of a cycle, even if it cannot issue. The algorithms detect a
///   stall one cycle late: the head of the previous cycle did not issue. In [`Listing::RtPaws`], the head differs from
///   the warp that issued last.
/// * [`Listing::Qaws`]: if the warp that issued last belongs to the current group, a stall counts as a switch, even if
///   no warp issued. The turn ends at the first stall after the last permitted switch.
/// * [`Listing::RtPaws`]: if the warp that issued last belongs to the current group, a stall decrements the budget. The
///   turn ends at a stall if the budget is then 0, even if a warp of another group issued last.
///
/// The papers consider two groups. For more groups, and if the current group has no warps left, the rules of `Turns`
/// apply.
#[derive(Debug, Clone)]
pub struct Printed {
    listing: Listing,
    groups: Groups,
    state: State,
    /// Slot that issued last, and the group of its warp.
    greedy: Option<(usize, usize)>,
    /// Slot that issued in the previous cycle.
    previous: Option<usize>,
}

/// The part of the state that changes in cycles without an issue, in addition to the current group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct State {
    /// Number of switches (QAWS) or of decrements of the budget (RT-PAWS) in this turn.
    counted: u32,
    /// Whether the turn started in this cycle.
    starts: bool,
    /// Slot of the first warp in the order of this cycle.
    head: Option<usize>,
}

impl Printed {
    /// Creates the turns of kernels whose budgets are `budgets`; for RT-PAWS, their priorities. The budgets are indexed
    /// by the kernel in [`Pool::kernel`]. Kernels without an entry have budget 0.
    pub fn new(listing: Listing, budgets: &[u32]) -> Printed {
        Printed {
            listing,
            groups: Groups::new(budgets, Grouping::Budget),
            state: State::default(),
            greedy: None,
            previous: None,
        }
    }

    /// Returns whether the turn of the group `current` ends in this cycle. Updates the counter of the turn.
    fn ends(&mut self, current: usize, previous: Option<usize>) -> bool {
        let budget = self.groups.budget(current);
        let own = self.greedy.is_some_and(|(_, group)| group == current);
        let counted = &mut self.state.counted;
        match self.listing {
            Listing::Qaws => {
                let stalled = previous.is_none() || previous != self.state.head;
                if !(stalled && own) {
                    return false;
                }
                let ends = *counted >= budget;
                *counted += u32::from(!ends);
                ends
            }
            Listing::RtPaws => {
                let stalled = self.greedy.map(|(slot, _)| slot) != self.state.head;
                *counted += u32::from(stalled && own && *counted < budget);
                stalled && *counted >= budget
            }
        }
    }
}

impl Policy for Printed {
    fn begin(&mut self, pool: &Pool, _: WarpSet) {
        let previous = self.previous.take();
        self.state.starts = false;
        if self.groups.update(pool) {
            self.state.counted = 0;
        }
        let alone = self.groups.members() == pool.live;
        if let Some(current) = self.groups.current().filter(|_| !alone)
            && self.ends(current, previous)
        {
            self.groups.pass(pool);
            self.state.counted = 0;
            self.state.starts = true;
        }
        self.state.head = self.first(pool, pool.live);
    }

    fn first(&self, pool: &Pool, candidates: WarpSet) -> Option<usize> {
        candidates.iter().min_by_key(|&slot| {
            let group = self.groups.of(pool, slot).unwrap_or(usize::MAX);
            let current = self.groups.current() == Some(group);
            let by_age_only = match self.listing {
                Listing::Qaws => false,
                Listing::RtPaws => self.state.starts || !current,
            };
            let greedy = !by_age_only && self.greedy.is_some_and(|(greedy, _)| greedy == slot);
            (!current, self.groups.behind(group), !greedy, pool.age_of(slot))
        })
    }

    fn issued(&mut self, pool: &Pool, slot: usize) {
        self.previous = Some(slot);
        self.greedy = self.groups.of(pool, slot).map(|group| (slot, group));
    }

    fn rest(&mut self, pool: &Pool, cycles: u64) {
        // In cycles without an issue, the state may change in a repeating sequence (Brent's algorithm finds it).
        let state = |policy: &Printed| (policy.groups.current(), policy.state);
        let (mut mark, mut since, mut power) = (state(self), 0_u64, 1_u64);
        let mut left = cycles;
        while left > 0 {
            let before = state(self);
            self.begin(pool, WarpSet::default());
            (left, since) = (left - 1, since + 1);
            let after = state(self);
            if self.listing == Listing::Qaws && before.0 == after.0 && before.1.counted < after.1.counted {
                // Each cycle counts a switch until the budget is reached.
                let budget = after.0.map_or(0, |current| self.groups.budget(current));
                let more = left.min(u64::from(budget - after.1.counted)) as u32;
                self.state.counted += more;
                left -= u64::from(more);
            } else if after == mark {
                left %= since;
            } else if since == power {
                (mark, since, power) = (after, 0, 2 * power);
            }
        }
    }
}
