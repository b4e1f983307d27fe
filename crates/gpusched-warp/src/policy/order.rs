//! Order of the turns of warp groups.

/// Cyclic order of groups by descending budget. If two groups have equal budgets, the group with
/// the lower index is first. [Singh21] and [Singh22] consider two groups. The order for more
/// groups is an extension by gpusched.
#[derive(Debug, Clone)]
pub struct Order {
    budgets: Vec<u32>,
    /// Position of each group in the order.
    rank: Vec<usize>,
}

impl Order {
    /// Creates the order of groups whose budgets are `budgets`.
    pub fn new(budgets: &[u32]) -> Order {
        let mut groups: Vec<usize> = (0..budgets.len()).collect();
        groups.sort_by_key(|&group| std::cmp::Reverse(budgets[group]));
        let mut rank = vec![0; groups.len()];
        for (position, group) in groups.into_iter().enumerate() {
            rank[group] = position;
        }
        Order {
            budgets: budgets.to_vec(),
            rank,
        }
    }

    /// Returns the budget of `group`; 0 if the group has no budget.
    pub fn budget(&self, group: usize) -> u32 {
        self.budgets.get(group).copied().unwrap_or(0)
    }

    fn rank(&self, group: usize) -> usize {
        self.rank.get(group).copied().unwrap_or(group)
    }

    /// Returns a measure of the distance from the group `current` to `group` in the cyclic order. The group with the
    /// smallest distance is next. `current` itself has the largest distance. Without a current group, the group with
    /// the highest budget is next.
    pub fn behind(&self, current: Option<usize>, group: usize) -> (bool, usize) {
        let rank = self.rank(group);
        let passed = current.is_some_and(|current| rank <= self.rank(current));
        (passed, rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_round_by_budget() {
        let order = Order::new(&[1, 4, 0, 4]);
        let round = |current: Option<usize>| {
            let mut groups: Vec<usize> = (0..5).collect();
            groups.sort_by_key(|&group| order.behind(current, group));
            groups
        };
        assert_eq!(round(None), [1, 3, 0, 2, 4]);
        assert_eq!(round(Some(1)), [3, 0, 2, 4, 1]);
        assert_eq!(round(Some(0)), [2, 4, 1, 3, 0]);
        assert_eq!([0, 1, 2, 3, 4].map(|group| order.budget(group)), [1, 4, 0, 4, 0]);
    }
}
