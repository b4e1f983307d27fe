//! The normal distribution of [Aghilinasab20] Table I: mean, standard deviation, goodness of fit,
//! and percentile of the longest time.
//!
//! The goodness of fit is D/D_α: the Kolmogorov–Smirnov distance D divided by its critical value
//! D_α. If the ratio exceeds 1, the test rejects the normal distribution. Table I uses the
//! critical value for a distribution that does not depend on the sample. But the mean and the standard deviation are
//! computed from the tested sample, and this reduces D. So the test of Table I is **lenient**. If its nominal level is
//! 5 %, its true level is below 0.1 %. [`NormalFit::lilliefors_ratio`] uses the critical value for fitted parameters,
//! which is about 0.66 times the critical value of Table I.

use super::kolmogorov::{critical_value, distance, resolution};
use gpusched_model::kernel::Distribution;
use gpusched_model::normal::cdf;
use gpusched_model::time::Time;

/// Normal distribution that gpusched fits to measured times.
#[derive(Clone, PartialEq, Debug)]
pub struct NormalFit {
    samples: u64,
    mean: f64,
    std: f64,
    longest: Time,
    distance: Option<f64>,
}

impl NormalFit {
    /// Fits a normal distribution to `times`, in any order. Returns `None` if `times` is empty.
    ///
    /// The fit uses the unbiased variance. For a clock with ticks of q ns, the fit subtracts
    /// q²/12 from the variance (Sheppard's correction), if at least half of the variance remains.
    /// If all times are equal, the standard deviation is 0, and the fit has no Kolmogorov–Smirnov
    /// distance.
    pub fn of(times: &[Time]) -> Option<NormalFit> {
        let mut sorted: Vec<u64> = times.iter().map(|time| time.ns()).collect();
        sorted.sort_unstable();
        let (&shortest, &longest) = (sorted.first()?, sorted.last()?);
        let n = sorted.len() as f64;
        // The sums use differences from the shortest time. So the sums are exact, and a large
        // common offset costs no precision.
        let total: u128 = sorted.iter().map(|time| u128::from(time - shortest)).sum();
        let excess = total as f64 / n;
        let mean = shortest as f64 + excess;
        let squares = sorted.iter().map(|time| (time - shortest) as f64 - excess);
        let squares: f64 = squares.map(|deviation| deviation * deviation).sum();
        let tick = resolution(&sorted);
        let variance = if sorted.len() > 1 {
            squares / (n - 1.0)
        } else {
            0.0
        };
        let rounding = (tick as f64) * (tick as f64) / 12.0;
        let variance = if rounding <= 0.5 * variance {
            variance - rounding
        } else {
            variance
        };
        let std = variance.sqrt();
        let tested = std > 0.0;
        Some(NormalFit {
            samples: sorted.len() as u64,
            mean,
            std,
            longest: Time::from_ns(longest),
            distance: tested.then(|| distance(&sorted, tick, |time| cdf((time - mean) / std))),
        })
    }

    /// Returns the mean of the fitted distribution [ns].
    pub fn mean_ns(&self) -> f64 {
        self.mean
    }

    /// Returns the standard deviation of the fitted distribution [ns].
    pub fn std_ns(&self) -> f64 {
        self.std
    }

    /// Returns the longest of the fitted times.
    pub fn longest(&self) -> Time {
        self.longest
    }

    /// Returns the Kolmogorov–Smirnov distance D, or `None` if all times are equal.
    pub fn distance(&self) -> Option<f64> {
        self.distance
    }

    /// Returns D divided by its asymptotic critical value at level `alpha`, as in [Aghilinasab20]
    /// Table I. `alpha` is between 0 and 1. Returns `None` if all times are equal.
    pub fn ks_ratio(&self, alpha: f64) -> Option<f64> {
        Some(self.distance? / critical_value(alpha, self.samples))
    }

    /// Returns D divided by its critical value for fitted parameters at level 0.05. For n measured times, the critical
    /// value is 0.895/(√n − 0.01 + 0.85/√n) (Lilliefors, JASA 62, 1967; Stephens, JASA 69, 1974, Table 1A). Returns
    /// `None` if all times are equal, or if there are fewer than five measured times.
    pub fn lilliefors_ratio(&self) -> Option<f64> {
        let root = (self.samples as f64).sqrt();
        let ratio = self.distance? * (root - 0.01 + 0.85 / root) / 0.895;
        (self.samples >= 5).then_some(ratio)
    }

    /// Returns the probability that a time is at most `time`. For the longest time, the probability is the percentile
    /// of [Aghilinasab20] Table I.
    pub fn percentile(&self, time: Time) -> f64 {
        let above = time.ns() as f64 - self.mean;
        match self.std > 0.0 {
            true => cdf(above / self.std),
            false if above < 0.0 => 0.0,
            false => 1.0,
        }
    }

    /// Converts the fit to the form of a kernel file, with the percentile of `wcet`.
    pub fn distribution(&self, wcet: Time) -> Distribution {
        Distribution {
            samples: Some(self.samples),
            mean_ns: self.mean,
            std_ns: self.std,
            goodness_of_fit: self.ks_ratio(super::ALPHA),
            lilliefors: self.lilliefors_ratio(),
            percentile: Some(self.percentile(wcet)),
            tail: None,
        }
    }
}
