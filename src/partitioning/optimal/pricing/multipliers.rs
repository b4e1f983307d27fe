//! Weights of measures by which little more can be gained from a group than from any real one: projected subgradient steps.
//!
//! Weights λ ≥ 0 turn many measures into one. Whoever takes tasks worth p each asks, weighted, for λ·w each and has λ·m; so no group of m SMs is worth more
//! than λ·m + Σ max(0, p − λ·w) − m. Floats only propose λ.

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
    /// What that is worth.
    pub worth: f64,
    /// Below this nothing is of interest.
    pub floor: f64,
}

/// Steps before it is looked at anew which measures matter.
const ROUND: u32 = 12;

/// So many measures that matter are added in each round.
const ADDED: usize = 6;

/// Improves `weights` by `steps` steps.
pub(super) fn improve(question: &Question<'_>, weights: &mut [f64], steps: u32) {
    let mut steps = steps;
    while steps > 0 {
        let now = steps.min(ROUND);
        let active = active(question, weights);
        let compact = Compact::new(question, &active);
        let mut few: Vec<f64> = active.iter().map(|&measure| weights[measure]).collect();
        let best = compact.improve(&mut few, now);
        for (&measure, &weight) in active.iter().zip(&few) {
            weights[measure] = if weight < 1e-5 { 0.0 } else { weight };
        }
        if best < question.floor {
            return;
        }
        steps -= now;
    }
}

/// The measures with a weight, and those of which more is asked than there is.
fn active(question: &Question<'_>, weights: &[f64]) -> Vec<usize> {
    let mut active: Vec<usize> = (0..question.measures)
        .filter(|&measure| weights[measure] > 0.0)
        .collect();
    let heavy = Compact::new(question, &active);
    let few: Vec<f64> = active.iter().map(|&measure| weights[measure]).collect();
    let (mut taken, mut slope) = (Vec::new(), vec![0.0; active.len()]);
    heavy.evaluate(&few, &mut taken, &mut slope);
    let mut asked = question.used.to_vec();
    for &offer in &taken {
        let row = question.offers[offer].row;
        let row = &question.rows[row..row + question.measures];
        asked.iter_mut().zip(row).for_each(|(asked, ask)| *asked += ask);
    }
    let mut over: Vec<(f64, usize)> = asked
        .iter()
        .enumerate()
        .filter(|&(measure, &asked)| asked > question.sms.0 && weights[measure] <= 0.0)
        .map(|(measure, &asked)| (asked, measure))
        .collect();
    over.sort_by(|a, b| b.0.total_cmp(&a.0));
    active.extend(over.iter().take(ADDED).map(|&(_, measure)| measure));
    active
}

/// A question with few measures.
struct Compact<'q> {
    question: &'q Question<'q>,
    /// What each offer asks for, one row each.
    rows: Vec<f64>,
    used: Vec<f64>,
}

impl<'q> Compact<'q> {
    fn new(question: &'q Question<'q>, active: &[usize]) -> Compact<'q> {
        let mut rows = Vec::with_capacity(question.offers.len() * active.len());
        for offer in question.offers {
            let row = &question.rows[offer.row..offer.row + question.measures];
            rows.extend(active.iter().map(|&measure| row[measure]));
        }
        Compact {
            question,
            rows,
            used: active.iter().map(|&measure| question.used[measure]).collect(),
        }
    }

    /// Improves `weights`; returns the most that a group can be worth beyond its SMs by them.
    fn improve(&self, weights: &mut [f64], steps: u32) -> f64 {
        let mut at = weights.to_vec();
        let mut best = f64::INFINITY;
        let mut slope = vec![0.0; at.len()];
        let mut taken = Vec::new();
        let (mut stuck, mut pace) = (0, 1.0);
        for _ in 0..steps {
            let value = self.evaluate(&at, &mut taken, &mut slope);
            if value < best - 1e-7 {
                stuck = 0;
            } else {
                stuck += 1;
                if stuck % 3 == 0 {
                    pace *= 0.6;
                }
            }
            if value < best {
                best = value;
                weights.copy_from_slice(&at);
            }
            let square: f64 = slope
                .iter()
                .zip(&at)
                .filter(|&(&slope, &at)| slope < 0.0 || at > 0.0)
                .map(|(slope, _)| slope * slope)
                .sum();
            if best < self.question.floor || square < 1e-12 {
                break;
            }
            // Towards the floor, or a little below what is held.
            let goal = (self.question.floor - 1e-3).max(best - 0.05);
            let step = pace * (value - goal) / square;
            for (at, slope) in at.iter_mut().zip(&slope) {
                *at = (*at - step * slope).max(0.0);
            }
        }
        best
    }

    /// The most that can be gained by `weights`, by taking which offers, and how that grows with each weight.
    fn evaluate(&self, weights: &[f64], taken: &mut Vec<usize>, slope: &mut [f64]) -> f64 {
        let question = self.question;
        taken.clear();
        let mut one: [(f64, usize); 3] = [(f64::NEG_INFINITY, usize::MAX); 3];
        let mut value = question.worth;
        for (number, offer) in question.offers.iter().enumerate() {
            let row = self.row(number, weights.len());
            let asked: f64 = row.iter().zip(weights).map(|(ask, weight)| ask * weight).sum();
            let gain = offer.price - asked;
            match offer.single {
                Some(kind) if gain > one[kind].0 => one[kind] = (gain, number),
                None if gain > 0.0 => {
                    value += gain;
                    taken.push(number);
                }
                _ => {}
            }
        }
        for kind in (0..3).filter(|&kind| question.singles[kind] && one[kind].1 < usize::MAX) {
            value += one[kind].0;
            taken.push(one[kind].1);
        }
        let sum: f64 = weights.iter().sum();
        let sms = match sum >= 1.0 {
            true => question.sms.1,
            false => question.sms.0,
        };
        value += (sum - 1.0) * sms;
        for ((slope, used), weight) in slope.iter_mut().zip(&self.used).zip(weights) {
            *slope = sms - used;
            value -= used * weight;
        }
        for &number in taken.iter() {
            let row = self.row(number, weights.len());
            slope.iter_mut().zip(row).for_each(|(slope, ask)| *slope -= ask);
        }
        value
    }

    fn row(&self, number: usize, measures: usize) -> &[f64] {
        &self.rows[number * measures..(number + 1) * measures]
    }
}
