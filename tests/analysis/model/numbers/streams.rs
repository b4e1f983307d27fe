//! Random numbers: streams with pinned values, and truncated normal distributions.

use gpusched_model::normal::{Truncated, cdf};
use gpusched_model::streams::{Purpose, below, stream, unit};
use rand::Rng as _;
use statrs::distribution::{ContinuousCDF as _, Normal};

#[test]
fn words_are_pinned() {
    // An independent implementation of ChaCha8 computed the expected words.
    let mut rng = stream(1, Purpose::Utilizations, 2, 3);
    assert_eq!(
        [rng.next_u64(), rng.next_u64()],
        [0x9f55_f182_47c6_0e58, 0xf1f7_addb_0730_0be2]
    );
}

#[test]
fn every_coordinate_names_another_stream() {
    let first = |seed, purpose, point, set| stream(seed, purpose, point, set).next_u64();
    let words = [
        first(0, Purpose::Utilizations, 0, 0),
        first(1, Purpose::Utilizations, 0, 0),
        first(0, Purpose::Periods, 0, 0),
        first(0, Purpose::Kinds, 0, 0),
        first(0, Purpose::Utilizations, 1, 0),
        first(0, Purpose::Utilizations, 0, 1),
        first(0, Purpose::Utilizations, 0, u64::MAX),
        first(u64::MAX, Purpose::Utilizations, u64::MAX, u64::MAX),
    ];
    for (index, word) in words.iter().enumerate() {
        assert!(!words[..index].contains(word), "{index}: {words:x?}");
    }
}

/// A generator that always returns the same word.
struct Stuck(u64);

impl rand::TryRng for Stuck {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.0 as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0 as u8);
        Ok(())
    }
}

#[test]
fn numbers_stay_in_their_range() {
    assert_eq!(unit(&mut Stuck(u64::MAX)), 1.0);
    assert_eq!(unit(&mut Stuck(0)), 2f64.powi(-53));
    for bound in [1, 2, 11, usize::MAX] {
        assert_eq!(below(&mut Stuck(u64::MAX), bound), bound - 1);
        assert_eq!(below(&mut Stuck(0), bound), 0);
    }
    assert_eq!(below(&mut Stuck(7), 0), 0);
}

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
