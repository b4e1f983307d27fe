//! Vectors of utilizations: their sums, their caps, and their random numbers.

use gpusched::generation::randfixedsum::{FixedSum, FixedSumError};
use gpusched::generation::uunifast::{TooManyDiscards, fill, fill_capped};
use gpusched::model::streams::{Purpose, stream, unit};

use crate::support::rounds;

#[test]
fn few_tasks() {
    let mut rng = stream(1, Purpose::Utilizations, 0, 0);
    fill(&mut rng, 3.0, &mut []);
    let mut one = [0.0];
    fill(&mut rng, 3.0, &mut one);
    assert_eq!(one, [3.0]);
    assert_eq!(
        rng,
        stream(1, Purpose::Utilizations, 0, 0),
        "no random word was read"
    );
    let mut two = [0.0; 2];
    fill(&mut rng, 3.0, &mut two);
    assert_eq!(two[1], 3.0 - two[0]);
    assert!(two[0] > 0.0 && two[1] > 0.0);
}

#[test]
fn shares_sum_to_the_total_and_respect_the_cap() {
    for (n, total, cap) in [
        (2, 1.0, 0.6),
        (10, 3.0, 1.0),
        (50, 34.0, 4.0),
        (200, 68.0, 3.0),
        (7, 1e-300, 1.0),
        (7, 1e300, 1e300),
    ] {
        let mut shares = vec![0.0; n];
        for set in 0..200 {
            let mut rng = stream(5, Purpose::Utilizations, 0, set);
            fill_capped(&mut rng, total, cap, &mut shares).unwrap();
            let sum: f64 = shares.iter().sum();
            assert!((sum / total - 1.0).abs() < 1e-13, "{n} {total} {cap}: {sum}");
            assert!(shares.iter().all(|&u| (0.0..=cap).contains(&u)), "{shares:?}");
        }
    }
}

/// With a cap just below the total, the generator discards almost no vector, so both functions give equal shares.
#[test]
fn vectors_with_and_without_a_cap_have_equal_bits() {
    for set in 0..300 {
        let (mut free, mut capped) = ([0.0; 50], [0.0; 50]);
        let rng = || stream(5, Purpose::Utilizations, 0, set);
        fill(&mut rng(), 3.0, &mut free);
        fill_capped(&mut rng(), 3.0, 2.9, &mut capped).unwrap();
        assert_eq!(free, capped);
    }
}

/// The bits are equal on every machine.
#[test]
fn bits_are_pinned() {
    let mut shares = [0.0; 4];
    fill(&mut stream(42, Purpose::Utilizations, 7, 9), 1.5, &mut shares);
    let pinned = [
        0.23131940176301624,
        0.3195357311400826,
        0.8378047612812458,
        0.11134010581565532,
    ];
    assert_eq!(shares, pinned);
}

#[test]
fn a_hopeless_cap_is_given_up() {
    let mut rng = stream(1, Purpose::Utilizations, 0, 0);
    let mut shares = [0.0; 50];
    assert_eq!(
        fill_capped(&mut rng, 49.0, 1.0, &mut shares),
        Err(TooManyDiscards)
    );
}

/// The powers u^(1/k) of UUniFast are computed without `libm`.
#[test]
fn powers_are_those_of_libm() {
    let mut rng = stream(1, Purpose::Utilizations, 0, 0);
    for _ in 0..rounds(200_000) {
        let mut words = rng.clone();
        let u = unit(&mut words);
        let mut two = [0.0; 2];
        fill(&mut rng, 1.0, &mut two);
        // The logarithm is at most 37 and has an error of at most 1 unit in the last place, as has the power.
        assert!(two[1].to_bits().abs_diff(u.to_bits()) <= 64, "{u:e} {:e}", two[1]);
        assert_eq!(rng, words, "one word per power");
    }
    for n in [4, 50, 1001] {
        for set in 0..rounds(2_000) {
            let mut rng = stream(2, Purpose::Utilizations, n as u64, set);
            let mut words = rng.clone();
            let mut shares = vec![0.0; n];
            fill(&mut rng, 1.0, &mut shares);
            let mut rest = 1.0;
            for (task, &share) in shares.iter().enumerate() {
                let followers = n - 1 - task;
                let next = match followers {
                    0 => 0.0,
                    _ => rest * libm::pow(unit(&mut words), 1.0 / followers as f64),
                };
                assert!((share - (rest - next)).abs() < 1e-13, "{n} {task}");
                rest = next;
            }
        }
    }
}

/// Returns a vector of RandFixedSum.
fn fixed(n: usize, total: f64, cap: f64, set: u64) -> Vec<f64> {
    let mut rng = stream(9, Purpose::Utilizations, 0, set);
    FixedSum::new(n, total, cap).unwrap().draw(&mut rng)
}

#[test]
fn extremes() {
    assert_eq!(fixed(1, 0.7, 0.7, 0), [0.7]);
    assert_eq!(fixed(1, 0.7, 5.0, 0), [0.7]);
    assert_eq!(fixed(4, 3.0, 0.75, 0), [0.75; 4], "U = n·cap");
    for (n, total, cap) in [
        (2, 1.0, 1.0),
        (3, 1.5, 1.0),
        (4, 2.0, 1.0),
        (4, 2.999_999_999, 0.75),
        (50, 49.999, 1.0),
        (50, 1e-250, 1.0),
        (200, 1e-12, 1.0),
        (200, 1e-300, 1e300),
        (200, 68.0, 68.0),
        (200, 68.0, 0.5),
        (200, 199.0, 1.0),
        (1000, 333.3, 0.4),
    ] {
        for set in 0..50 {
            let shares = fixed(n, total, cap, set);
            let sum: f64 = shares.iter().sum();
            assert_eq!(shares.len(), n);
            assert!((sum / total - 1.0).abs() < 1e-12, "{n} {total} {cap}: {sum}");
            assert!(shares.iter().all(|u| (0.0..=cap).contains(u)), "{shares:?}");
        }
    }
}

#[test]
fn impossible_sums_are_refused() {
    for (n, total, cap) in [
        (0, 1.0, 1.0),
        (2, 0.0, 1.0),
        (2, -1.0, 1.0),
        (2, f64::NAN, 1.0),
        (2, 1.0, f64::NAN),
        (2, f64::INFINITY, f64::INFINITY),
        (2, 1.0, 0.0),
        (2, 2.1, 1.0),
        (2, 1e308, 1e308),
    ] {
        let found = FixedSum::new(n, total, cap).map(|_| ());
        assert_eq!(found, Err(FixedSumError::Empty), "{n} {total} {cap}");
    }
    let found = FixedSum::new(100_000, 50_000.0, 1.0).map(|_| ());
    assert_eq!(found, Err(FixedSumError::TooLarge));
}
