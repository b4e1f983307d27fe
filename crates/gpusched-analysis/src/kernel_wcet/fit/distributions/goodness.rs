//! Goodness of fit of an extreme-value distribution: the Anderson–Darling test.
//!
//! A² gives weight to differences in the tails, which matter for the fit. Its critical value depends on the family, the fitted
//! shape, the size of the sample, and here also on the tick of the clock. Published tables (Choulakian & Stephens, Technometrics
//! 43, 2001) do not cover the last two. So the p-value comes from a **parametric bootstrap** (Stute, González Manteiga & Presedo
//! Quindimil, Metrika 40, 1993). It draws samples of the same size from the fit, rounds them to the same tick, and fits each
//! sample. The p-value is the share of samples that are at least as far from their own fit. Each sample has its own fixed stream of
//! random numbers, so the result does not depend on the number of threads.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Number of samples for one p-value, which is then a multiple of 0.5 %.
const DRAWS: u64 = 199;

/// Functions of a family of distributions that the test needs.
pub trait ExtremeValue: Sized {
    /// ln P(X ≤ x).
    fn log_cdf(&self, x: f64) -> f64;

    /// ln P(X > x).
    fn log_survival(&self, x: f64) -> f64;

    /// The x with P(X > x) = `exceedance`, which is in (0, 1).
    fn quantile(&self, exceedance: f64) -> f64;

    /// Fits `values`, which are close to this distribution. Returns `None` if no fit exists.
    fn refit(&self, values: &[f64]) -> Option<Self>;
}

/// A² between a sorted sample and a distribution (Anderson & Darling, JASA 49, 1954).
pub fn anderson_darling(sorted: &[f64], distribution: &impl ExtremeValue) -> f64 {
    // Rounding may move a value beyond the support, so its probability counts as small but positive.
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

/// Probability of an A² at least as large as for `values`, if they come from their own fit `fitted` and a clock with ticks of
/// `tick` (0 for an exact clock).
///
/// The values lie on a grid of width `tick`, like rounded times. The test computes 199 fits.
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
            // In (0, 1): midpoints of 2^53 intervals.
            let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let exact = fitted.quantile(uniform);
            match tick > 0.0 {
                true => base + tick * libm::rint((exact - base) / tick),
                false => exact,
            }
        };
        let mut drawn: Vec<f64> = values.iter().map(draw).collect();
        // A sample without a fit is no evidence against the fit, so it counts as at least as far.
        fitted
            .refit(&drawn)
            .is_none_or(|own| statistic(&mut drawn, &own) >= observed)
    });
    let as_far = 1 + as_far.count();
    as_far as f64 / (DRAWS + 1) as f64
}
