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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::{Purpose, stream};
    use statrs::distribution::{ContinuousCDF as _, Normal};

    /// The draws of a seed are the same on every machine and in every version.
    #[test]
    fn draws_are_pinned() {
        let normal = Truncated::new(5e8, 1e8, 1_000_000_000).unwrap();
        let mut rng = stream(1, Purpose::BlockTimes, 0, 0);
        let draws: Vec<u64> = (0..4).map(|_| normal.draw(&mut rng)).collect();
        assert_eq!(draws, [305_484_588, 520_667_076, 431_132_749, 631_294_128]);
    }

    #[test]
    fn draws_are_normal() {
        let normal = Truncated::new(5e8, 1e8, 1_000_000_000).unwrap();
        let mut rng = stream(1, Purpose::BlockTimes, 0, 0);
        let mut draws: Vec<u64> = (0..100_000).map(|_| normal.draw(&mut rng)).collect();
        draws.sort_unstable();
        let count = draws.len() as f64;
        let distance = (0..draws.len())
            .map(|index| (cdf((draws[index] as f64 - 5e8) / 1e8) - (index as f64 + 0.5) / count).abs())
            .fold(0.0, f64::max);
        assert!(distance < 1.63 / count.sqrt(), "{distance}"); // exceeded for 1 % of all seeds
    }

    #[test]
    fn phi_is_that_of_statrs() {
        // The expected values are from Abramowitz & Stegun, Table 26.1, with ten exact digits
        // from statrs.
        for (z, phi) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
        ] {
            assert!(
                (cdf(z) - phi).abs() < 1e-15 && (cdf(-z) - (1.0 - phi)).abs() < 1e-15,
                "{z}"
            );
        }
        let normal = Normal::new(0.0, 1.0).unwrap();
        for step in -600..=600 {
            let z = f64::from(step) / 100.0;
            assert!((cdf(z) - normal.cdf(z)).abs() < 1e-10, "{z}");
        }
    }

    #[test]
    fn hopeless_distributions_are_refused() {
        for (mean, std) in [
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (5.0, f64::NAN),
            (5.0, -1.0),
            (5.0, f64::INFINITY),
            (11.0, 0.0),
            (0.2, 0.0),
            (100.0, 10.0),
            (-100.0, 10.0),
            (5.0, 1e6),
        ] {
            assert!(Truncated::new(mean, std, 10).is_err(), "{mean} {std}");
        }
        assert_eq!(
            Truncated::new(9.7, 0.0, 10)
                .unwrap()
                .draw(&mut stream(1, Purpose::BlockTimes, 0, 0)),
            10
        );
    }
}
