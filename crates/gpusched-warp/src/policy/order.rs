//! In which order groups take turns.

/// Groups in descending budget, of equal ones the lower index first, and round again. (The papers have two groups; that more
/// of them go round in this order is our extension, MODELS §8.)
#[derive(Debug, Clone)]
pub struct Order {
    budgets: Vec<u32>,
    /// The position of each group.
    rank: Vec<usize>,
}

impl Order {
    /// The order of the groups with `budgets`.
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

    /// The budget of `group`; 0 of a group that has none.
    pub fn budget(&self, group: usize) -> u32 {
        self.budgets.get(group).copied().unwrap_or(0)
    }

    fn rank(&self, group: usize) -> usize {
        self.rank.get(group).copied().unwrap_or(group)
    }

    /// How far `group` is behind `current` as one goes round from it: the least of several is next. `current` itself is last,
    /// and without one, the round begins with the highest budget.
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
