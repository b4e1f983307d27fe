//! The generalized Pareto distribution (GPD), for the excesses of execution times over a high
//! threshold (Pickands 1975; Coles 2001, §4.2).
//!
//! P(excess > y) = e^−t with t = ln(1 + ξz)/ξ and z = y/σ. For ξ = 0 (exponential distribution),
//! t = z.

use super::gev::{SHAPES, bend, straighten};
use super::goodness::ExtremeValue;
use super::simplex::minimize;

/// A generalized Pareto distribution of excesses.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Gpd {
    /// Scale σ > 0, in the unit of the excesses.
    pub scale: f64,
    /// Shape ξ: negative if the distribution has a largest value, positive if it has a heavy
    /// tail.
    pub shape: f64,
}

impl Gpd {
    /// Computes the maximum-likelihood fit to `excesses`, with ξ > −1. Returns `None` if
    /// `excesses` has fewer than two different values, or a value that is not a positive number.
    ///
    /// The function searches twice for the maximum. One search starts from the distribution with
    /// the probability-weighted moments of `excesses` (Hosking & Wallis, Technometrics 29, 1987).
    /// The other search starts from the exponential distribution with the same mean. The result
    /// is the fit with the larger likelihood.
    pub fn fit(excesses: &[f64]) -> Option<Gpd> {
        let mut sorted = excesses.to_vec();
        sorted.sort_by(f64::total_cmp);
        let starts = starts(&sorted)?;
        let fits = starts.into_iter().filter_map(|start| start.climb(&sorted));
        fits.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(gpd, _)| gpd)
    }

    /// Returns the logarithm of the density at the excess `y`.
    pub fn log_density(&self, y: f64) -> f64 {
        let t = straighten(y / self.scale, self.shape);
        if y < 0.0 || t.is_infinite() {
            return f64::NEG_INFINITY;
        }
        -libm::log(self.scale) - (1.0 + self.shape) * t
    }

    /// Returns the log-likelihood of `excesses`.
    pub fn log_likelihood(&self, excesses: &[f64]) -> f64 {
        excesses.iter().map(|&y| self.log_density(y)).sum()
    }

    /// Searches for the maximum of the likelihood, starting from this distribution. Returns the
    /// distribution at the maximum, and its negative log-likelihood.
    fn climb(&self, excesses: &[f64]) -> Option<(Gpd, f64)> {
        // The parameters are relative to the start, so that the result does not depend on the unit of the values.
        let at = |&[scale, shape]: &[f64; 2]| Gpd {
            scale: self.scale * libm::exp(scale),
            shape,
        };
        let loss = |point: &[f64; 2]| {
            let gpd = at(point);
            let allowed = SHAPES.contains(&gpd.shape) && gpd.shape > SHAPES.start && gpd.scale > 0.0;
            if !allowed {
                return f64::INFINITY;
            }
            let loss = -gpd.log_likelihood(excesses) + excesses.len() as f64 * libm::log(1.0 / self.scale);
            if loss.is_nan() { f64::INFINITY } else { loss }
        };
        let start = [0.0, self.shape];
        if !loss(&start).is_finite() {
            return None;
        }
        let (point, least) = minimize(loss, start, 0.2);
        Some((at(&point), least))
    }
}

fn starts(sorted: &[f64]) -> Option<[Gpd; 2]> {
    let (&first, &last) = (sorted.first()?, sorted.last()?);
    if !(first > 0.0 && last > first && last.is_finite()) {
        return None;
    }
    let n = sorted.len() as f64;
    let (mut mean, mut weighted) = (0.0, 0.0);
    for (rank, &y) in sorted.iter().enumerate() {
        mean += y / n;
        weighted += (y / n) * (n - 1.0 - rank as f64) / (n - 1.0);
    }
    let exponential = Gpd {
        scale: mean,
        shape: 0.0,
    };
    let difference = mean - 2.0 * weighted;
    let k = mean / difference - 2.0; // −ξ
    let moments = Gpd {
        scale: 2.0 * mean * weighted / difference,
        shape: -k,
    };
    let usable = moments.scale > 0.0 && k.abs() < 0.9;
    Some([if usable { moments } else { exponential }, exponential])
}

impl ExtremeValue for Gpd {
    fn log_cdf(&self, y: f64) -> f64 {
        libm::log(-libm::expm1(self.log_survival(y)))
    }

    fn log_survival(&self, y: f64) -> f64 {
        -straighten(y.max(0.0) / self.scale, self.shape)
    }

    fn quantile(&self, exceedance: f64) -> f64 {
        self.scale * bend(-libm::log(exceedance), self.shape)
    }

    fn refit(&self, values: &[f64]) -> Option<Gpd> {
        match self.climb(values) {
            Some((gpd, _)) => Some(gpd),
            None => Gpd::fit(values),
        }
    }
}
