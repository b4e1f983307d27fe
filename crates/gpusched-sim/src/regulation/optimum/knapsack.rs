//! A fractional knapsack: what costs least per gain goes first.

/// Something that may be taken in part.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Item {
    /// What all of it gains.
    pub gain: f64,
    /// What it costs per gain; not negative.
    pub cost: f64,
}

/// How much of the gain of each item to take within `capacity`, so that the sum is largest; of items that cost the same the
/// first ones first. None of any if the capacity is negative.
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
            continue; // all of `order` are indices
        };
        let price = item.gain * item.cost;
        if price <= left {
            *taken = item.gain;
            left -= price;
        } else {
            *taken = left / item.cost;
            break; // nothing is left
        }
    }
    taken
}
