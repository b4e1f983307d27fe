//! Fractional knapsack problem, solved by taking items in ascending order of cost per gain.

/// An item of the knapsack. The solution may take a part of an item.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Item {
    /// Gain of the whole item.
    pub gain: f64,
    /// Cost of the item per unit of gain; not negative.
    pub cost: f64,
}

/// Returns the gain that the solution takes from each item. The total cost is at most `capacity`,
/// and the total gain is maximal. Among items of equal cost, earlier items are preferred. All
/// gains are 0 if `capacity` is negative.
pub fn fill(items: &[Item], capacity: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    let cost = |index: usize| items.get(index).map_or(0.0, |item| item.cost);
    order.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    let (mut taken, mut left) = (vec![0.0; items.len()], capacity);
    if capacity < 0.0 {
        return taken;
    }
    for index in order {
        let (Some(item), Some(taken)) = (items.get(index), taken.get_mut(index)) else {
            continue; // Never happens, because every entry of `order` is an index.
        };
        let price = item.gain * item.cost;
        if price <= left {
            *taken = item.gain;
            left -= price;
        } else {
            *taken = left / item.cost;
            break; // No capacity remains.
        }
    }
    taken
}
