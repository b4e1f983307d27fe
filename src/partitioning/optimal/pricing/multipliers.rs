//! Weights of measures by which as little more can be gained from a group than from any real one as weights can tell.
//!
//! Weights λ ≥ 0 turn many measures into one. Whoever takes tasks worth p each asks, weighted, for λ·w each and has λ·m; so no group of m SMs is worth more
//! than λ·m + Σ max(0, p − λ·w) − m. The least such bound is a linear program: that of taking parts of tasks. Few of the measures matter, and those
//! are found one after the other. Floats only propose λ.

use super::knapsack::Knapsack;

/// A task that may be taken, as floats.
#[derive(Copy, Clone)]
pub(super) struct Offer {
    pub price: f64,
    /// Where what it asks for begins.
    pub row: usize,
    /// Of these only one is taken, by kind.
    pub single: Option<usize>,
}

/// What is asked: the tasks, what they ask for by measure [SMs], and what else was taken already.
pub(super) struct Question<'q> {
    pub offers: &'q [Offer],
    pub rows: &'q [f64],
    pub measures: usize,
    /// The kinds of which exactly one is to be taken.
    pub singles: [bool; 3],
    /// SMs, the fewest and the most.
    pub sms: (f64, f64),
    /// By measure, what is taken already asks for.
    pub used: &'q [f64],
}

/// Times that more measures are added.
const ROUNDS: u32 = 8;

/// So many measures at a time.
const ADDED: usize = 4;

/// Of which more is asked than there is.
const OVER: f64 = 1e-6;

/// Improves `weights`, as far as a linear program does; what that cost, in steps of the innermost loop.
pub(super) fn improve(question: &Question<'_>, weights: &mut [f64]) -> u64 {
    let mut active: Vec<usize> = (0..question.measures)
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
        cost += knapsack.work() + (question.measures * 8) as u64;
        if over.is_empty() {
            return cost;
        }
        // What had no weight does not come back for nothing.
        active.retain(|&measure| weights[measure] > 0.0);
        active.extend(over);
    }
    cost
}

/// Parts of `question`'s tasks, and of the SMs that need not be there, in the measures `active`.
fn program(question: &Question<'_>, active: &[usize]) -> Knapsack {
    let (least, most) = question.sms;
    let kinds: Vec<usize> = (0..3).filter(|&kind| question.singles[kind]).collect();
    let left = active.iter().map(|&measure| most - question.used[measure]);
    let mut knapsack = Knapsack::new(left.chain(kinds.iter().map(|_| 1.0)).collect());
    for offer in question.offers {
        let asks = active.iter().map(|&measure| question.rows[offer.row + measure]);
        let one = kinds.iter().map(|&kind| match offer.single {
            Some(single) if single == kind => 1.0,
            _ => 0.0,
        });
        knapsack.add(offer.price, asks.chain(one));
    }
    let fewer = active.iter().map(|_| most - least);
    knapsack.add(most - least, fewer.chain(kinds.iter().map(|_| 0.0)));
    knapsack
}

/// The measures in which `knapsack` takes the most beyond what there is.
fn over(question: &Question<'_>, knapsack: &Knapsack) -> Vec<usize> {
    let (least, most) = question.sms;
    let mut left: Vec<f64> = question.used.iter().map(|used| most - used).collect();
    for (item, share) in knapsack.taken() {
        match question.offers.get(item) {
            Some(offer) => {
                let row = &question.rows[offer.row..offer.row + question.measures];
                left.iter_mut()
                    .zip(row)
                    .for_each(|(left, ask)| *left -= share * ask);
            }
            None => left.iter_mut().for_each(|left| *left -= share * (most - least)),
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
