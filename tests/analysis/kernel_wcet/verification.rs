//! The independent checker accepts every bound and rejects every corrupted bound that is false.

use gpusched::kernel_wcet::Estimator;
use gpusched::model::{Bound, Factor, Kernel, Ratio, Straddling};
use gpusched::time::Time;
use gpusched::verification::verify_bound;
use rand::{Rng, RngExt};

use super::random;

use crate::support::rounds;

fn draw(rng: &mut impl Rng) -> (Kernel, Bound) {
    let kernel = random::kernel(rng, 20);
    let q = match rng.random_range(0..6) {
        0 => Factor::ZERO,
        1 => Factor::ONE,
        _ => Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap(),
    };
    let straddling = [Straddling::End, Straddling::Both][rng.random_range(0..2)];
    let estimator = Estimator::new(&kernel).straddling(straddling);
    let bound = estimator.bound(q, rng.random_bool(0.5)).unwrap();
    (kernel, bound)
}

#[test]
fn every_bound_is_proven_and_none_below() {
    let mut rng = random::rng(21);
    for _ in 0..rounds(20_000) {
        let (kernel, mut bound) = draw(&mut rng);
        assert!(verify_bound(&bound, &kernel).is_ok(), "{bound:?} {kernel:?}");
        let json = serde_json::to_string(&bound).unwrap();
        assert_eq!(serde_json::from_str::<Bound>(&json).unwrap(), bound);
        // The bound is reduced by one nanosecond, with the matching memory time.
        bound.wcet_ns = Time::from_ns(bound.wcet_ns.ns() - 1);
        for memory in [
            0,
            1,
            bound.memory_time_ns.ns().saturating_sub(1),
            bound.memory_time_ns.ns(),
        ] {
            bound.memory_time_ns = Time::from_ns(memory);
            assert!(verify_bound(&bound, &kernel).is_err(), "{bound:?} {kernel:?}");
        }
    }
}

/// 20,000 corruptions of one field: accepted bounds are still valid.
#[test]
fn corrupted_bounds_are_refused() {
    let mut rng = random::rng(22);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..rounds(20_000) {
        let (kernel, mut bound) = draw(&mut rng);
        let original = bound.clone();
        let other = |rng: &mut rand_chacha::ChaCha8Rng, ratio: Ratio| {
            let (numerator, denominator) = ratio.parts();
            match rng.random_range(0..3) {
                0 => Ratio::ZERO,
                1 => Ratio::new(numerator + 1, denominator).unwrap(),
                _ => Ratio::new(numerator, denominator + 1).unwrap(),
            }
        };
        let mut certificate = bound.certificate.unwrap();
        match rng.random_range(0..8) {
            0 => bound.q = Factor::from_billionths(rng.random_range(0..=1_000_000_000)).unwrap(),
            1 => bound.sync = !bound.sync,
            2 => {
                bound.straddling = match bound.straddling {
                    Straddling::End => Straddling::Both,
                    Straddling::Both => Straddling::End,
                }
            }
            3 => bound.wcet_ns = Time::from_ns(rng.random_range(0..2 * bound.wcet_ns.ns())),
            4 => bound.memory_time_ns = Time::from_ns(random::magnitude(&mut rng, 40)),
            5 => certificate.lambda = other(&mut rng, certificate.lambda),
            6 => certificate.mu = other(&mut rng, certificate.mu),
            _ => bound.kernel = Some("another".to_owned()),
        }
        bound.certificate = Some(certificate);
        if bound == original {
            continue;
        }
        match verify_bound(&bound, &kernel) {
            Err(_) => refused += 1,
            Ok(_) => {
                accepted += 1;
                let estimator = Estimator::new(&kernel).straddling(bound.straddling);
                let least = estimator.bound(bound.q, bound.sync).unwrap().wcet_ns;
                assert!(
                    bound.kernel.is_none() && bound.wcet_ns >= least,
                    "{bound:?} {kernel:?}"
                );
            }
        }
    }
    println!("{refused} refused, {accepted} hold all the same");
    assert!(refused > rounds(10_000) && accepted > rounds(100));
}

#[test]
fn bounds_without_proof_are_refused() {
    let (kernel, mut bound) = draw(&mut random::rng(23));
    bound.certificate = None;
    let fault = verify_bound(&bound, &kernel).unwrap_err();
    assert_eq!(fault.field, "certificate");
    let mut bound = draw(&mut random::rng(23)).1;
    bound.q = Factor::from_f64(1.1).unwrap();
    assert_eq!(verify_bound(&bound, &kernel).unwrap_err().field, "q");
}
