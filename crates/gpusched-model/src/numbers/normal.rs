//! Normal distributions that are truncated at a WCET.

use rand::Rng;

use crate::streams::unit;

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
    /// Fails if a number is invalid, or if draws are rarely within the range. The error states
    /// the fault.
    pub fn new(mean: f64, std: f64, largest: u64) -> Result<Truncated, String> {
        if !mean.is_finite() {
            return Err(format!("found mean_ns {mean:?}, expected a number"));
        }
        if !(std >= 0.0 && std.is_finite()) {
            return Err(format!("found std_ns {std:?}, expected a number of at least 0"));
        }
        let (low, high) = (0.5, largest as f64 + 0.5);
        let useful = match std > 0.0 {
            true => below((high - mean) / std) - below((low - mean) / std),
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
            let value = libm::round(self.mean + self.std * standard(rng));
            if value >= 1.0 && value <= self.largest as f64 {
                return (value as u64).clamp(1, self.largest);
            }
        }
    }
}

/// Draws a standard normal number from two random words (Box & Muller 1958).
fn standard(rng: &mut impl Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(unit(rng)));
    radius * libm::cos(std::f64::consts::TAU * unit(rng))
}

/// Φ(`x`): probability that a standard normal number is at most `x`.
fn below(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::{Purpose, stream};

    #[test]
    fn draws_are_normal() {
        let mut rng = stream(1, Purpose::BlockTimes, 0, 0);
        let mut draws: Vec<f64> = (0..100_000).map(|_| standard(&mut rng)).collect();
        draws.sort_by(f64::total_cmp);
        let count = draws.len() as f64;
        let distance = (0..draws.len())
            .map(|index| (below(draws[index]) - (index as f64 + 0.5) / count).abs())
            .fold(0.0, f64::max);
        assert!(distance < 1.63 / count.sqrt(), "{distance}"); // exceeded for 1 % of all seeds
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
