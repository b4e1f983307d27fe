//! Whether a fitted extreme-value distribution is that of the sample: Anderson and Darling's test.
//!
//! A² weighs differences in the tails, which are what the fit is for. Its critical value depends on the family, on the fitted
//! shape, on the size of the sample, and here also on the tick of the clock. Published tables (Choulakian & Stephens,
//! Technometrics 43, 2001) know nothing of the last two, so the p-value comes from a **parametric bootstrap** (Stute, González
//! Manteiga & Presedo Quindimil, Metrika 40, 1993): samples of the same size are drawn from the fit, rounded to the same
//! tick, and fitted themselves; the p-value is the share of them that is as far from its own fit. Each sample has its
//! own stream of random numbers, always the same, so the answer is the same for any number of threads.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Samples drawn for one p-value, which is then a multiple of 0.5 %.
const DRAWS: u64 = 199;

/// What the test asks of a family of distributions.
pub trait ExtremeValue: Sized {
    /// ln P(X ≤ x).
    fn log_cdf(&self, x: f64) -> f64;

    /// ln P(X > x).
    fn log_survival(&self, x: f64) -> f64;

    /// The x with P(X > x) = `exceedance`, which is in (0, 1).
    fn quantile(&self, exceedance: f64) -> f64;

    /// The fit to `values`, which are not far from this distribution; `None` if there is none.
    fn refit(&self, values: &[f64]) -> Option<Self>;
}

/// A² between a sorted sample and a distribution (Anderson & Darling, JASA 49, 1954).
pub fn anderson_darling(sorted: &[f64], distribution: &impl ExtremeValue) -> f64 {
    // Beyond the support by a rounding: not infinitely unlikely.
    const LEAST: f64 = -700.0;
    let n = sorted.len() as f64;
    let sum: f64 = sorted
        .iter()
        .zip(sorted.iter().rev())
        .enumerate()
        .map(|(rank, (&low, &high))| {
            let weight = 2.0 * rank as f64 + 1.0;
            weight * (distribution.log_cdf(low).max(LEAST) + distribution.log_survival(high).max(LEAST))
        })
        .sum();
    -n - sum / n
}

/// The probability of an A² as large as that of `values` if they come from `fitted`, their own fit, by a clock that ticks
/// every `tick` (0: an exact one).
///
/// The values lie on a grid of width `tick`, as rounded times do. Takes 199 fits.
pub fn p_value<D: ExtremeValue + Sync>(values: &[f64], fitted: &D, tick: f64) -> f64 {
    let statistic = |values: &mut Vec<f64>, distribution: &D| {
        values.sort_by(f64::total_cmp);
        anderson_darling(values, distribution)
    };
    let observed = statistic(&mut values.to_vec(), fitted);
    let base = values.first().copied().unwrap_or(0.0);
    let as_far = (0..DRAWS).into_par_iter().filter(|&draw| {
        let mut rng = ChaCha8Rng::seed_from_u64(0x6770_7573_6368_6564);
        rng.set_stream(draw);
        let draw = |_: &f64| {
            // In (0, 1): the middles of 2^53 intervals.
            let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let exact = fitted.quantile(uniform);
            match tick > 0.0 {
                true => base + tick * libm::rint((exact - base) / tick),
                false => exact,
            }
        };
        let mut drawn: Vec<f64> = values.iter().map(draw).collect();
        // A sample that cannot be fitted says nothing against the fit.
        fitted
            .refit(&drawn)
            .is_none_or(|own| statistic(&mut drawn, &own) >= observed)
    });
    let as_far = 1 + as_far.count();
    as_far as f64 / (DRAWS + 1) as f64
}
