//! Groups of warps that take turns.

use super::{Pool, WarpSet};

/// Which warps form a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// The warps of each kernel form a group.
    Kernel,
    /// The warps of all kernels with equal budgets form a group ([Singh21] Algorithm 5, line 1; [Singh22] Algorithm 1,
    /// line 7).
    Budget,
}

/// Groups of warps that take turns. At any time, at most one group is *current*.
///
/// The turns follow a cyclic order of the groups by descending budget. If two groups have equal budgets, the group with
/// the lower index is first. [Singh21] and [Singh22] consider two groups. The order for more groups is an extension by
/// gpusched.
#[derive(Debug, Clone)]
pub struct Groups {
    /// Budget of each kernel.
    budgets: Vec<u32>,
    /// Group of each kernel: the index of the first kernel in this group.
    of_kernel: Vec<usize>,
    /// Position of each group in the cyclic order.
    rank: Vec<usize>,
    /// Current group; `None` if the sub-core has no warps.
    current: Option<usize>,
    /// Slots of the warps of the current group.
    members: WarpSet,
}

impl Groups {
    /// Creates the groups of kernels whose budgets are `budgets`. No group is current. A kernel without an entry has
    /// budget 0 and a group of its own.
    pub fn new(budgets: &[u32], grouping: Grouping) -> Groups {
        let mut kernels: Vec<usize> = (0..budgets.len()).collect();
        kernels.sort_by_key(|&kernel| std::cmp::Reverse(budgets[kernel]));
        let mut rank = vec![0; kernels.len()];
        for (position, kernel) in kernels.into_iter().enumerate() {
            rank[kernel] = position;
        }
        let first_like = |kernel: usize| match grouping {
            Grouping::Kernel => None,
            Grouping::Budget => budgets.iter().position(|&budget| budget == budgets[kernel]),
        };
        Groups {
            budgets: budgets.to_vec(),
            of_kernel: (0..budgets.len())
                .map(|kernel| first_like(kernel).unwrap_or(kernel))
                .collect(),
            rank,
            current: None,
            members: WarpSet::default(),
        }
    }

    /// Returns the current group; `None` if the sub-core has no warps.
    #[inline]
    pub fn current(&self) -> Option<usize> {
        self.current
    }

    /// Returns the slots of the warps of the current group.
    #[inline]
    pub fn members(&self) -> WarpSet {
        self.members
    }

    /// Returns the group of the warp in `slot`; `None` if the slot does not exist.
    pub fn of(&self, pool: &Pool, slot: usize) -> Option<usize> {
        let &kernel = pool.kernel.get(slot)?;
        Some(self.of_kernel.get(kernel).copied().unwrap_or(kernel))
    }

    /// Returns the budget of `group`; 0 if the group has no budget.
    #[inline]
    pub fn budget(&self, group: usize) -> u32 {
        self.budgets.get(group).copied().unwrap_or(0)
    }

    /// Updates the members of the current group after a change of `pool`. If the current group has no warps left, the
    /// next group with warps becomes current. Returns whether another group may have become current.
    pub fn update(&mut self, pool: &Pool) -> bool {
        self.members = self.members_in(pool);
        let left = self.members.is_empty();
        if left {
            self.pass(pool);
        }
        left
    }

    /// Makes the next group with warps current.
    pub fn pass(&mut self, pool: &Pool) {
        let groups = pool.live.iter().filter_map(|slot| self.of(pool, slot));
        self.current = groups.min_by_key(|&group| self.behind(group));
        self.members = self.members_in(pool);
    }

    #[inline]
    fn members_in(&self, pool: &Pool) -> WarpSet {
        let live = pool.live.iter();
        self.current.map_or(WarpSet::default(), |current| {
            live.filter(|&slot| self.of(pool, slot) == Some(current))
                .collect()
        })
    }

    /// Returns a measure of the distance from the current group to `group` in the cyclic order. The group with the
    /// smallest distance is next. The current group itself has the largest distance. Without a current group, the group
    /// with the highest budget is next.
    #[inline]
    pub fn behind(&self, group: usize) -> (bool, usize) {
        let rank = self.rank(group);
        let passed = self.current.is_some_and(|current| rank <= self.rank(current));
        (passed, rank)
    }

    #[inline]
    fn rank(&self, group: usize) -> usize {
        self.rank.get(group).copied().unwrap_or(group)
    }
}
