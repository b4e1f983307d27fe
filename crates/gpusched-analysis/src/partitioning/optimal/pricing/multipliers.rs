//! Weights of measures that give the tightest bound on the excess of the groups of a family.
//!
//! Weights λ ≥ 0 combine several measures into one measure. A task with price p and demand w has the weighted demand λ·w,
//! and a group on m SMs has the weighted supply λ·m. The excess of a group on m SMs is therefore at most λ·m + Σ max(0, p
//! − λ·w) − m. A linear program minimizes this bound. This program is the dual of a program that selects fractions of
//! tasks. Only a few measures influence the bound, and `improve` adds these measures one after the other. The floats of
//! the program only propose λ. The bound itself is computed with integers.

use super::item::Item;
use super::measures::SM;
use crate::partitioning::optimal::units::ONE;
use gpusched_model::knapsack::Knapsack;

/// Request for the weights of one family.
pub(super) struct Question<'q, 'l> {
    pub items: &'q [Item<'l>],
    /// Kinds with exactly one task in the group.
    pub singles: [bool; 3],
    /// Fewest and most SMs of a group.
    pub sms: (u32, u32),
    /// Demand of the tasks chosen so far, by each measure.
    pub used: &'q [i64],
    /// Supply of one SM by each measure.
    pub supply: &'q [i64],
}

/// Maximum number of rounds, where each round adds measures.
const ROUNDS: u32 = 8;

/// Maximum number of measures that one round adds.
const ADDED: usize = 4;

/// Tolerance [SMs]. A solution exceeds a measure if its demand is more than this value above the
/// supply.
const OVER: f64 = 1e-6;

/// Improves `weights` with a linear program. Returns the cost as a number of innermost-loop steps.
pub(super) fn improve(question: &Question<'_, '_>, weights: &mut [f64]) -> u64 {
    let mut active: Vec<usize> = (0..question.used.len())
        .filter(|&measure| weights[measure] > 0.0)
        .collect();
    let mut cost = 0;
    for _ in 0..ROUNDS {
        let mut knapsack = program(question, &active);
        if !knapsack.solve() {
            return cost + knapsack.work();
        }
        weights.fill(0.0);
        for (row, &measure) in active.iter().enumerate() {
            weights[measure] = knapsack.price(row).max(0.0);
        }
        let over = over(question, &knapsack);
        cost += knapsack.work() + (question.used.len() * 8) as u64;
        if over.is_empty() {
            return cost;
        }
        // The loop drops a measure with weight 0 until the solution exceeds this measure again.
        active.retain(|&measure| weights[measure] > 0.0);
        active.extend(over);
    }
    cost
}

/// Returns the linear program over fractions of the tasks in `question` and over unused SMs, with the measures `active`.
fn program(question: &Question<'_, '_>, active: &[usize]) -> Knapsack {
    let (least, most) = question.sms;
    let kinds: Vec<usize> = (0..3).filter(|&kind| question.singles[kind]).collect();
    let left = active
        .iter()
        .map(|&measure| f64::from(most) * sms(question.supply[measure]) - sms(question.used[measure]));
    let mut knapsack = Knapsack::new(left.chain(kinds.iter().map(|_| 1.0)).collect());
    for item in question.items {
        let asks = active.iter().map(|&measure| sms(item.asks[measure]));
        let one = kinds.iter().map(|&kind| f64::from(u8::from(kind == item.kind)));
        knapsack.add(item.price as f64 / ONE as f64, asks.chain(one));
    }
    if least < most {
        let fewer = f64::from(most - least);
        let asks = active
            .iter()
            .map(|&measure| fewer * sms(question.supply[measure]));
        knapsack.add(fewer, asks.chain(kinds.iter().map(|_| 0.0)));
    }
    knapsack
}

/// Converts a demand to SMs.
fn sms(ask: i64) -> f64 {
    ask as f64 / SM as f64
}

/// Returns the measures that the solution of `knapsack` exceeds the most.
fn over(question: &Question<'_, '_>, knapsack: &Knapsack) -> Vec<usize> {
    let (least, most) = question.sms;
    let supplied = question.used.iter().zip(question.supply);
    let left = supplied.map(|(&used, &supply)| f64::from(most) * sms(supply) - sms(used));
    let mut left: Vec<f64> = left.collect();
    for (item, share) in knapsack.taken() {
        match question.items.get(item) {
            Some(item) => {
                let asks = left.iter_mut().zip(item.asks);
                asks.for_each(|(left, &ask)| *left -= share * sms(ask));
            }
            None => {
                let unused = left.iter_mut().zip(question.supply);
                unused.for_each(|(left, &supply)| *left -= share * f64::from(most - least) * sms(supply));
            }
        }
    }
    let left = left.into_iter().enumerate();
    let mut over: Vec<(f64, usize)> = left
        .map(|(measure, left)| (left, measure))
        .filter(|&(left, _)| left < -OVER)
        .collect();
    over.sort_by(|a, b| a.0.total_cmp(&b.0));
    over.iter().take(ADDED).map(|&(_, measure)| measure).collect()
}
