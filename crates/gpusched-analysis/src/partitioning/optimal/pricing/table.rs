//! Largest price sum of items whose total cost is at most an allowance: a knapsack problem.
//! Dynamic programming solves the problem for all allowances together (Bellman 1957).

use super::item::Item;

/// Maximum number of steps into which the table divides an allowance.
const STEPS: i64 = 1_000;

/// For each position and each allowance: the largest price sum of the items from this position on.
pub(super) struct Table {
    /// Length of one step of the allowance [price units]. The cost of an item is rounded down to whole steps, so the
    /// table never underestimates a price sum.
    step: i64,
    width: usize,
    most: Vec<i64>,
}

impl Table {
    /// Creates the table for `items` and for all allowances up to `allowance` price units.
    pub fn new(items: &[Item<'_>], allowance: i64) -> Table {
        let step = allowance.max(0) / STEPS + 1;
        let width = steps(allowance.max(0), step) + 1;
        let mut most = vec![0; (items.len() + 1) * width];
        for (place, item) in items.iter().enumerate().rev() {
            let (before, after) = most.split_at_mut((place + 1) * width);
            let (row, without) = (&mut before[place * width..], &after[..width]);
            let taken = steps(item.cost(), step).min(width);
            row[..taken].copy_from_slice(&without[..taken]);
            for ((most, &without), &rest) in row[taken..].iter_mut().zip(&without[taken..]).zip(without) {
                *most = without.max(rest + item.price);
            }
        }
        Table { step, width, most }
    }

    /// Returns an upper bound on the price sums of selections of items at position `place` or later. The selections
    /// cost at most `left` price units in total.
    ///
    /// `left` must be between 0 and the allowance of the table.
    pub fn most(&self, place: usize, left: i64) -> i64 {
        let steps = steps(left, self.step);
        debug_assert!(steps < self.width, "the entry belongs to the next row");
        self.most[place * self.width + steps]
    }

    /// Returns the number of additions that the creation of the table takes.
    pub fn work(&self) -> u64 {
        self.most.len() as u64
    }
}

/// Returns the number of whole steps in `units`.
fn steps(units: i64, step: i64) -> usize {
    usize::try_from(units / step).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Comparison with all selections of items. The table never underestimates the price sum. Consider an allowance
    /// that is larger by one step per item and one more step. The table never exceeds the best price sum for this
    /// larger allowance.
    #[test]
    fn no_choice_is_worth_more() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut exact = 0;
        for _ in 0..300 {
            let items: Vec<Item<'_>> = (0..rng.random_range(0..9))
                .map(|task| {
                    let price = rng.random_range(0..3_000_000);
                    let gain = price - rng.random_range(0..2_000_000);
                    Item {
                        task,
                        kind: 0,
                        price,
                        gain,
                        asks: &[],
                        due: 0,
                        blocking: 0,
                    }
                })
                .collect();
            let allowance = rng.random_range(0..6_000_000);
            let table = Table::new(&items, allowance);
            for place in 0..=items.len() {
                let left = rng.random_range(0..=allowance);
                let from = &items[place..];
                let choices = (0u32..1 << from.len()).map(|choice| {
                    let chosen = (0..from.len()).filter(|&item| choice & (1 << item) != 0);
                    chosen.fold((0, 0), |(price, cost), item| {
                        (price + from[item].price, cost + from[item].cost())
                    })
                });
                let choices: Vec<(i64, i64)> = choices.collect();
                let within = |left: i64| {
                    choices
                        .iter()
                        .filter(|choice| choice.1 <= left)
                        .map(|choice| choice.0)
                        .max()
                };
                let (found, best) = (table.most(place, left), within(left).unwrap());
                // The allowance may grow by one step per item, and by one more step.
                let rounded = left + (from.len() as i64 + 1) * (allowance / STEPS + 1);
                assert!(best <= found && Some(found) <= within(rounded), "{best} {found}");
                exact += usize::from(best == found);
            }
        }
        assert!(exact > 1_000, "{exact}");
    }
}
