//! Random numbers with the same sequence in every run.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF as _, Normal};

pub struct Stream(ChaCha8Rng);

impl Stream {
    pub fn new(seed: u64) -> Stream {
        Stream(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a number in (0, 1).
    pub fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Returns a number in 0 … `bound` − 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// Returns `count` values of a normal distribution.
    pub fn normal(&mut self, mean: f64, std: f64, count: usize) -> Vec<f64> {
        let normal = Normal::new(mean, std).unwrap();
        (0..count).map(|_| normal.inverse_cdf(self.unit())).collect()
    }
}
