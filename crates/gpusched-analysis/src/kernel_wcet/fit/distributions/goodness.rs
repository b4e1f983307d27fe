//! Goodness of fit of an extreme-value distribution: the Anderson–Darling test.
//!
//! The Anderson–Darling statistic A² gives more weight to differences in the tails, which matter
//! for a WCET. The critical value of A² depends on the family of the distribution, the fitted
//! shape, the sample size and the tick of the clock. Published tables (Choulakian & Stephens, Technometrics 43, 2001)
//! ignore the sample size and the tick. So the p-value comes from a **parametric bootstrap** (Stute, González Manteiga
//! & Presedo Quindimil, Metrika 40, 1993).
//!
//! The bootstrap generates samples from the fitted distribution. Each sample has the size of the
//! measurements, and its values are rounded to the tick of the clock. The bootstrap then fits a distribution to each
//! sample, and computes A² from the sample and this distribution. The p-value is the fraction of samples whose A² is at
//! least the A² of the measurements. Each sample has its own fixed stream of random numbers, so the result does not
//! depend on the number of threads.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Number of samples for one p-value. With 199 samples, a p-value is a multiple of 0.5 %.
const DRAWS: u64 = 199;

/// Functions that a family of distributions must provide for the test.
pub trait ExtremeValue: Sized {
    /// Returns ln P(X ≤ x).
    fn log_cdf(&self, x: f64) -> f64;

    /// Returns ln P(X > x).
    fn log_survival(&self, x: f64) -> f64;

    /// Returns the value x with P(X > x) = `exceedance`, which must be between 0 and 1.
    fn quantile(&self, exceedance: f64) -> f64;

    /// Fits a distribution of this family to `values`. The distribution of `values` must be similar to `self`. Returns
    /// `None` if there is no fit.
    fn refit(&self, values: &[f64]) -> Option<Self>;
}

/// Computes A² between a sorted sample and a distribution (Anderson & Darling, JASA 49, 1954).
pub fn anderson_darling(sorted: &[f64], distribution: &impl ExtremeValue) -> f64 {
    // A value may be outside the support because of rounding. The probability of such a value counts as very small
    // instead of 0.
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

/// Returns the p-value of the distribution `fitted`, which was fitted to `values`. If the values follow `fitted`, a
/// sample has at least the measured A² with this probability. The clock rounds times to multiples of `tick`. For an
/// exact clock, `tick` is 0.
///
/// The test fits a distribution to each of 199 samples.
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
            // The number is between 0 and 1, because it is the midpoint of one of 2^53 intervals.
            let uniform = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let exact = fitted.quantile(uniform);
            match tick > 0.0 {
                true => base + tick * libm::rint((exact - base) / tick),
                false => exact,
            }
        };
        let mut drawn: Vec<f64> = values.iter().map(draw).collect();
        // A sample without a fit counts as a sample with a larger A², which supports `fitted`.
        fitted
            .refit(&drawn)
            .is_none_or(|own| statistic(&mut drawn, &own) >= observed)
    });
    let as_far = 1 + as_far.count();
    as_far as f64 / (DRAWS + 1) as f64
}
