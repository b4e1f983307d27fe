//! Normal distributions that are truncated at a WCET.

use rand::Rng;
use rand_distr::{Distribution as _, StandardNormal};

/// Minimum probability that one draw from the normal distribution is within the range. The limit bounds the expected
/// number of repeated draws.
const USEFUL: f64 = 0.01;

/// A normal distribution restricted to whole nanoseconds from 1 to a maximum.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Truncated {
    mean: f64,
    std: f64,
    largest: u64,
}

impl Truncated {
    /// Creates the normal distribution with `mean` and `std` [ns], truncated at `largest` [ns].
    ///
    /// # Errors
    /// Fails if a number is invalid, or if a draw is within the range too rarely. The error states the fault.
    pub fn new(mean: f64, std: f64, largest: u64) -> Result<Truncated, String> {
        if !mean.is_finite() {
            return Err(format!("found mean_ns {mean:?}, expected a number"));
        }
        if !(std >= 0.0 && std.is_finite()) {
            return Err(format!("found std_ns {std:?}, expected a number of at least 0"));
        }
        let (low, high) = (0.5, largest as f64 + 0.5);
        let useful = match std > 0.0 {
            true => cdf((high - mean) / std) - cdf((low - mean) / std),
            false => f64::from(u8::from(mean >= low && mean < high)),
        };
        if useful < USEFUL || useful.is_nan() {
            return Err(format!(
                "found mean_ns {mean:?} and std_ns {std:?}, expected a normal distribution whose values are from 1 ns to \
                 {largest} ns with a probability of at least {USEFUL}"
            ));
        }
        Ok(Truncated { mean, std, largest })
    }

    /// Draws one time [ns].
    pub fn draw(&self, rng: &mut impl Rng) -> u64 {
        loop {
            let standard: f64 = StandardNormal.sample(rng);
            let value = libm::round(self.mean + self.std * standard);
            if value >= 1.0 && value <= self.largest as f64 {
                return (value as u64).clamp(1, self.largest);
            }
        }
    }
}

/// Returns Φ(`z`), the standard normal distribution function.
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}
