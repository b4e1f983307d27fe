//! A fractional knapsack: items with the least cost per gain come first.

/// An item that may be taken in part.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Item {
    /// Gain of the whole item.
    pub gain: f64,
    /// Cost per gain; not negative.
    pub cost: f64,
}

/// Returns the gain to take from each item within `capacity`, so that the sum is largest. Among items of equal cost, the
/// first items come first. All gains are 0 if the capacity is negative.
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
            continue; // every entry of `order` is an index
        };
        let price = item.gain * item.cost;
        if price <= left {
            *taken = item.gain;
            left -= price;
        } else {
            *taken = left / item.cost;
            break; // the capacity is used up
        }
    }
    taken
}
