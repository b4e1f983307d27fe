//! Largest price sum within an allowance: a knapsack problem, solved for every allowance at once by dynamic programming
//! (Bellman 1957).

use super::item::Item;

/// Number of steps of an allowance.
const STEPS: i64 = 1_000;

/// For each position and allowance, the largest price sum of items from this position on within the allowance.
pub(super) struct Table {
    /// Size of an allowance step [price units]. The cost of an item in steps is rounded down, so the table never
    /// underestimates.
    step: i64,
    width: usize,
    most: Vec<i64>,
}

impl Table {
    /// Creates the table for `items` and allowances up to `allowance` price units.
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

    /// Upper bound on the price sum of items from `place` on with a total cost of at most `left` [price units].
    ///
    /// `left` must lie between 0 and the allowance.
    pub fn most(&self, place: usize, left: i64) -> i64 {
        let steps = steps(left, self.step);
        debug_assert!(steps < self.width, "a place of the next row");
        self.most[place * self.width + steps]
    }

    /// Number of additions for the creation of the table.
    pub fn work(&self) -> u64 {
        self.most.len() as u64
    }
}

/// The number of whole steps in `units`.
fn steps(units: i64, step: i64) -> usize {
    usize::try_from(units / step).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Comparison with all choices of items. The table never underestimates. It overestimates at most by the effect of one
    /// extra step per item.
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
                // The slack is one step per item, and one more.
                let rounded = left + (from.len() as i64 + 1) * (allowance / STEPS + 1);
                assert!(best <= found && Some(found) <= within(rounded), "{best} {found}");
                exact += usize::from(best == found);
            }
        }
        assert!(exact > 1_000, "{exact}");
    }
}
