//! Goodness of fit of an extreme-value distribution: the Anderson–Darling test.
//!
//! The statistic A² gives more weight to differences in the tails, which matter for the fit. Its critical value depends on the
//! family, the fitted shape and the size of the sample. Here it also depends on the tick of the clock. Published tables (Choulakian
//! & Stephens, Technometrics 43, 2001) do not cover the last two. So the p-value comes from a **parametric bootstrap** (Stute,
//! González Manteiga & Presedo Quindimil, Metrika 40, 1993).
//!
//! The bootstrap draws samples of the same size from the fitted distribution, rounds the values to the same tick, and fits a
//! distribution to each sample. The p-value is the fraction of samples whose A² from their own fit is at least the A² of the
//! measurements. Each sample has its own fixed stream of random numbers, so the result does not depend on the number of threads.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Number of samples for one p-value. With 199 samples, a p-value is a multiple of 0.5 %.
const DRAWS: u64 = 199;

/// Functions of a family of distributions that the test uses.
pub trait ExtremeValue: Sized {
    /// Returns ln P(X ≤ x).
    fn log_cdf(&self, x: f64) -> f64;

    /// Returns ln P(X > x).
    fn log_survival(&self, x: f64) -> f64;

    /// Returns the x with P(X > x) = `exceedance`; `exceedance` is in (0, 1).
    fn quantile(&self, exceedance: f64) -> f64;

    /// Fits a distribution of the same family to `values`, which come from a similar distribution. Returns `None` if no fit exists.
    fn refit(&self, values: &[f64]) -> Option<Self>;
}

/// Computes A² between a sorted sample and a distribution (Anderson & Darling, JASA 49, 1954).
pub fn anderson_darling(sorted: &[f64], distribution: &impl ExtremeValue) -> f64 {
    // Rounding may move a value out of the support. Its probability then counts as small, but positive.
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

/// Returns the p-value of the A² between `values` and their fit `fitted`: the probability of at least this A² if the values follow
/// the fitted distribution. The clock rounds values to multiples of `tick`; `tick` is 0 for an exact clock.
///
/// The test computes 199 fits to samples whose values are rounded to the grid of `values`.
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
            // The number is in (0, 1): it is the midpoint of one of 2^53 intervals.
            let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let exact = fitted.quantile(uniform);
            match tick > 0.0 {
                true => base + tick * libm::rint((exact - base) / tick),
                false => exact,
            }
        };
        let mut drawn: Vec<f64> = values.iter().map(draw).collect();
        // If a sample has no fit, it does not count against the fit of the measurements.
        fitted
            .refit(&drawn)
            .is_none_or(|own| statistic(&mut drawn, &own) >= observed)
    });
    let as_far = 1 + as_far.count();
    as_far as f64 / (DRAWS + 1) as f64
}
