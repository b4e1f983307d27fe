//! The generalized extreme value (GEV) distribution, for the maximum of many execution times
//! (Jenkinson 1955; Coles 2001, §3.1.3).
//!
//! P(maximum ≤ x) = exp(−e^−t) with t = ln(1 + ξz)/ξ and z = (x − µ)/σ. For ξ = 0 (Gumbel
//! distribution), t = z.

use super::goodness::ExtremeValue;
use super::simplex::minimize;

/// A generalized extreme value distribution.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Gev {
    /// Location µ, in the unit of the values.
    pub location: f64,
    /// Scale σ > 0, in the unit of the values.
    pub scale: f64,
    /// Shape ξ: negative if the distribution has a largest value, positive if it has a heavy
    /// tail.
    pub shape: f64,
}

/// Accepted range of the shape ξ in a fit. For ξ ≤ −1, the likelihood has no maximum.
pub(super) const SHAPES: std::ops::Range<f64> = -1.0..5.0;

/// If |ξ| is below this limit, the computation uses the formula for ξ = 0.
const ZERO: f64 = 1e-12;

/// Returns t = ln(1 + ξz)/ξ, which increases with z. Returns −∞ or +∞ if z is outside the support
/// of the distribution.
pub(super) fn straighten(z: f64, shape: f64) -> f64 {
    if shape.abs() < ZERO {
        return z;
    }
    let grown = shape * z;
    if grown <= -1.0 {
        return if shape > 0.0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
    }
    libm::log1p(grown) / shape
}

/// Returns z = (e^(ξt) − 1)/ξ, the inverse of [`straighten`].
pub(super) fn bend(t: f64, shape: f64) -> f64 {
    if shape.abs() < ZERO {
        return t;
    }
    libm::expm1(shape * t) / shape
}

impl Gev {
    /// Computes the maximum-likelihood fit to `maxima`, with ξ > −1. Returns `None` if `maxima`
    /// has fewer than three different values, or a value that is not finite.
    ///
    /// The function searches twice for the maximum. One search starts from the distribution with
    /// the L-moments of `maxima` (Hosking, JRSS B 52, 1990). The other search starts from the
    /// Gumbel distribution with the same first two L-moments. The result is the fit with the
    /// larger likelihood.
    pub fn fit(maxima: &[f64]) -> Option<Gev> {
        let mut sorted = maxima.to_vec();
        sorted.sort_by(f64::total_cmp);
        let starts = starts(&sorted)?;
        let fits = starts.into_iter().filter_map(|start| start.climb(&sorted));
        fits.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(gev, _)| gev)
    }

    /// Returns the logarithm of the density at `x`.
    pub fn log_density(&self, x: f64) -> f64 {
        let t = straighten((x - self.location) / self.scale, self.shape);
        if t.is_infinite() {
            return f64::NEG_INFINITY;
        }
        -libm::log(self.scale) - (1.0 + self.shape) * t - libm::exp(-t)
    }

    /// Returns the log-likelihood of `maxima`.
    pub fn log_likelihood(&self, maxima: &[f64]) -> f64 {
        maxima.iter().map(|&x| self.log_density(x)).sum()
    }

    /// Searches for the maximum of the likelihood, starting from this distribution. Returns the
    /// distribution at the maximum, and its negative log-likelihood.
    fn climb(&self, maxima: &[f64]) -> Option<(Gev, f64)> {
        // The parameters are relative to the start, so that the result does not depend on the unit of the values.
        let at = |&[location, scale, shape]: &[f64; 3]| Gev {
            location: self.location + self.scale * location,
            scale: self.scale * libm::exp(scale),
            shape,
        };
        let loss = |point: &[f64; 3]| {
            let gev = at(point);
            let allowed = SHAPES.contains(&gev.shape) && gev.shape > SHAPES.start && gev.scale > 0.0;
            if !allowed {
                return f64::INFINITY;
            }
            let loss = -gev.log_likelihood(maxima) + maxima.len() as f64 * libm::log(1.0 / self.scale);
            if loss.is_nan() { f64::INFINITY } else { loss }
        };
        let start = [0.0, 0.0, self.shape];
        if !loss(&start).is_finite() {
            return None;
        }
        let (point, least) = minimize(loss, start, 0.2);
        Some((at(&point), least))
    }
}

/// Returns the two start distributions of a fit to sorted values. The first distribution has the
/// L-moments of the values. The second distribution is the Gumbel distribution with the same first two L-moments.
fn starts(sorted: &[f64]) -> Option<[Gev; 2]> {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let (&first, &last) = (sorted.first()?, sorted.last()?);
    let inner = sorted.iter().any(|&x| x != first && x != last);
    if !inner || !(last - first).is_finite() {
        return None;
    }
    // Unbiased probability-weighted moments of the differences between each value and the
    // smallest value.
    let n = sorted.len() as f64;
    let (mut b0, mut b1, mut b2) = (0.0, 0.0, 0.0);
    for (rank, &value) in sorted.iter().enumerate() {
        let (x, below) = ((value - first) / n, rank as f64);
        b0 += x;
        b1 += x * below / (n - 1.0);
        b2 += x * below * (below - 1.0) / ((n - 1.0) * (n - 2.0));
    }
    let spread = 2.0 * b1 - b0; // λ₂ > 0, because not all values are equal
    let ln2 = std::f64::consts::LN_2;
    let scale = spread / ln2;
    let gumbel = Gev {
        location: first + b0 - EULER * scale,
        scale,
        shape: 0.0,
    };
    // This formula is from Hosking, Wallis & Wood, Technometrics 27 (1985), with k = −ξ.
    let c = spread / (3.0 * b2 - b0) - ln2 / libm::log(3.0);
    let k = 7.859 * c + 2.9554 * c * c;
    if !(k.abs() > 1e-6 && k > -0.9 && k < 0.9) {
        return Some([gumbel, gumbel]);
    }
    let gamma = libm::tgamma(1.0 + k);
    let scale = spread * k / (gamma * (1.0 - libm::exp(-k * ln2)));
    let weighted = Gev {
        location: first + b0 + scale * (gamma - 1.0) / k,
        scale,
        shape: -k,
    };
    Some([weighted, gumbel])
}

impl ExtremeValue for Gev {
    fn log_cdf(&self, x: f64) -> f64 {
        -libm::exp(-straighten((x - self.location) / self.scale, self.shape))
    }

    fn log_survival(&self, x: f64) -> f64 {
        libm::log(-libm::expm1(self.log_cdf(x)))
    }

    fn quantile(&self, exceedance: f64) -> f64 {
        let t = -libm::log(-libm::log1p(-exceedance));
        self.location + self.scale * bend(t, self.shape)
    }

    fn refit(&self, values: &[f64]) -> Option<Gev> {
        match self.climb(values) {
            Some((gev, _)) => Some(gev),
            None => Gev::fit(values),
        }
    }
}
