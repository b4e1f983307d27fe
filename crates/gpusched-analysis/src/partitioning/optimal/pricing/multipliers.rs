//! Weights of measures by which as little more can be gained from a group than from any real one as weights can tell.
//!
//! Weights λ ≥ 0 turn many measures into one. Whoever takes tasks worth p each asks, weighted, for λ·w each and has λ·m; so no group of m SMs is worth more
//! than λ·m + Σ max(0, p − λ·w) − m. The least such bound is a linear program: that of taking parts of tasks. Few of the measures matter, and those
//! are found one after the other. Floats only propose λ.

use super::item::Item;
use super::knapsack::Knapsack;
use super::measures::SM;
use crate::partitioning::optimal::units::ONE;

/// What is asked.
pub(super) struct Question<'q, 'l> {
    pub items: &'q [Item<'l>],
    /// The kinds of which exactly one is to be taken.
    pub singles: [bool; 3],
    /// SMs, the fewest and the most.
    pub sms: (u32, u32),
    /// By measure, what is asked for by the tasks that were taken already.
    pub used: &'q [i64],
}

/// Times that more measures are added.
const ROUNDS: u32 = 8;

/// So many measures at a time.
const ADDED: usize = 4;

/// Of which more is asked than there is.
const OVER: f64 = 1e-6;

/// Improves `weights`, as far as a linear program does; what that cost, in steps of the innermost loop.
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
        // What had no weight does not come back for nothing.
        active.retain(|&measure| weights[measure] > 0.0);
        active.extend(over);
    }
    cost
}

/// The program for parts of `question`'s tasks, and of the SMs that need not be there, in the measures `active`.
fn program(question: &Question<'_, '_>, active: &[usize]) -> Knapsack {
    let (least, most) = question.sms;
    let kinds: Vec<usize> = (0..3).filter(|&kind| question.singles[kind]).collect();
    let left = active
        .iter()
        .map(|&measure| f64::from(most) - sms(question.used[measure]));
    let mut knapsack = Knapsack::new(left.chain(kinds.iter().map(|_| 1.0)).collect());
    for item in question.items {
        let asks = active.iter().map(|&measure| sms(item.asks[measure]));
        let one = kinds.iter().map(|&kind| f64::from(u8::from(kind == item.kind)));
        knapsack.add(item.price as f64 / ONE as f64, asks.chain(one));
    }
    if least < most {
        let fewer = f64::from(most - least);
        let asks = active.iter().map(|_| fewer);
        knapsack.add(fewer, asks.chain(kinds.iter().map(|_| 0.0)));
    }
    knapsack
}

/// In SMs.
fn sms(ask: i64) -> f64 {
    ask as f64 / SM as f64
}

/// The measures in which `knapsack` takes the most beyond what there is.
fn over(question: &Question<'_, '_>, knapsack: &Knapsack) -> Vec<usize> {
    let (least, most) = question.sms;
    let left = question.used.iter().map(|&used| f64::from(most) - sms(used));
    let mut left: Vec<f64> = left.collect();
    for (item, share) in knapsack.taken() {
        match question.items.get(item) {
            Some(item) => {
                let asks = left.iter_mut().zip(item.asks);
                asks.for_each(|(left, &ask)| *left -= share * sms(ask));
            }
            None => left
                .iter_mut()
                .for_each(|left| *left -= share * f64::from(most - least)),
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
