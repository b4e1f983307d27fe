//! Guarantee: an EDF verdict is exact. 10⁵ random small sets are compared with unit-by-unit simulation and plain
//! enumeration.

use crate::oracle::demand::{Sporadic, edf_by_enumeration, edf_by_simulation};
use crate::support::rounds;
use gpusched::schedulability::{Demand, edf};
use gpusched::time::Time;
use rand::RngExt;

fn demands(set: &[Sporadic]) -> Vec<Demand> {
    set.iter()
        .map(|&(c, d, t)| Demand::new(Time::from_ns(c), Time::from_ns(t), Time::from_ns(d)))
        .collect()
}

/// The deadline relations of generated sets.
#[derive(Copy, Clone, Debug)]
enum Deadlines {
    Shorter,
    Equal,
    Longer,
    Mixed,
}

fn random_set(rng: &mut impl RngExt, deadlines: Deadlines) -> Vec<Sporadic> {
    const PERIODS: [u64; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30];
    let n = rng.random_range(1..=5);
    let mut set: Vec<Sporadic> = (0..n)
        .map(|_| {
            let t = PERIODS[rng.random_range(0..PERIODS.len())];
            let c = rng.random_range(1..=(t / n as u64 + 1));
            let d = match deadlines {
                Deadlines::Shorter => rng.random_range(1..=t),
                Deadlines::Equal => t,
                Deadlines::Longer => t + rng.random_range(0..2 * t),
                Deadlines::Mixed => rng.random_range(1..=2 * t),
            };
            (c, d, t)
        })
        .collect();
    if rng.random_bool(0.2) {
        // An additional task fills the set to exactly U = 1, where floating-point tests fail.
        let h = u64::try_from(crate::oracle::demand::hyperperiod(&set)).unwrap();
        let load: u64 = set.iter().map(|&(c, _, t)| c * (h / t)).sum();
        if load < h {
            let d = rng.random_range(1..=h + h / 2);
            set.push((h - load, d, h));
        }
    }
    set
}

#[test]
fn verdicts_equal_brute_force_on_100_000_small_sets() {
    let mut rng = crate::oracle::random_sets::rng(1);
    let mut accepted = 0;
    let mut full = 0;
    for round in 0..rounds(100_000) {
        let deadlines = [
            Deadlines::Shorter,
            Deadlines::Equal,
            Deadlines::Longer,
            Deadlines::Mixed,
        ][round % 4];
        let set = random_set(&mut rng, deadlines);
        let verdict = edf::test(&demands(&set)).is_positive();
        assert_eq!(verdict, edf_by_enumeration(&set), "{set:?}");
        assert_eq!(verdict, edf_by_simulation(&set), "{set:?}");
        let h = crate::oracle::demand::hyperperiod(&set);
        let load: u128 = set
            .iter()
            .map(|&(c, _, t)| u128::from(c) * (h / u128::from(t)))
            .sum();
        full += usize::from(load == h);
        accepted += usize::from(verdict);
    }
    // The sample has enough sets with each verdict, and enough sets at the limit.
    assert!(
        (rounds(20_000)..rounds(80_000)).contains(&accepted),
        "{accepted} accepted"
    );
    assert!(full > rounds(10_000), "{full} sets with U = 1");
}

/// A negative verdict names a violated interval with its correct demand.
#[test]
fn evidence_of_a_miss_is_a_violated_interval() {
    use gpusched::model::Evidence;
    let mut rng = crate::oracle::random_sets::rng(2);
    let mut violated = 0;
    for _ in 0..rounds(20_000) {
        let set = random_set(&mut rng, Deadlines::Mixed);
        match edf::test(&demands(&set)) {
            Evidence::DemandExceedsInterval {
                interval_ns,
                demand_ns,
            } => {
                let t = interval_ns.ns();
                let dbf: u64 = set
                    .iter()
                    .filter(|s| s.1 <= t)
                    .map(|&(c, d, p)| ((t - d) / p + 1) * c)
                    .sum();
                assert_eq!(dbf, demand_ns, "{set:?}");
                assert!(dbf > t, "{set:?}");
                violated += 1;
            }
            Evidence::UtilizationAboveOne => assert!(crate::oracle::demand::overloaded(&set), "{set:?}"),
            Evidence::DemandWithinSupply { .. } => {}
            other => panic!("{other:?} for {set:?}"),
        }
    }
    assert!(violated > rounds(1_000), "{violated}");
}

/// For periods from microseconds to seconds with nanosecond differences, verdicts equal plain
/// enumeration.
#[test]
fn verdicts_equal_enumeration_on_mixed_magnitudes() {
    let mut rng = crate::oracle::random_sets::rng(3);
    let mut accepted = 0;
    for _ in 0..rounds(3_000) {
        let set: Vec<Sporadic> = (0..rng.random_range(2..6))
            .map(|_| {
                let t = [1_000, 5_000, 20_000, 1_000_000, 10_000_000][rng.random_range(0..5)];
                let c = rng.random_range(1..=t / 4 + 1);
                (c, rng.random_range(c..=t), t)
            })
            .collect();
        let verdict = edf::test(&demands(&set)).is_positive();
        assert_eq!(verdict, edf_by_enumeration(&set), "{set:?}");
        accepted += usize::from(verdict);
    }
    assert!(
        (rounds(300)..rounds(2_700)).contains(&accepted),
        "{accepted} accepted"
    );
}

/// [`edf::slack`] equals the minimum of t − dbf(t), by enumeration over two hyperperiods.
#[test]
fn slack_equals_enumeration() {
    let mut rng = crate::oracle::random_sets::rng(4);
    let mut compared = 0;
    for _ in 0..rounds(20_000) {
        let set = random_set(&mut rng, Deadlines::Mixed);
        let slack = edf::slack(&demands(&set)).map(Time::ns);
        let h = u64::try_from(crate::oracle::demand::hyperperiod(&set)).unwrap();
        let load: u64 = set.iter().map(|&(c, _, t)| c * (h / t)).sum();
        let least = (0..=2 * h + 60)
            .filter(|t| set.iter().any(|&(_, d, p)| *t >= d && (t - d) % p == 0))
            .map(|t| {
                let dbf: u64 = set
                    .iter()
                    .filter(|s| s.1 <= t)
                    .map(|&(c, d, p)| ((t - d) / p + 1) * c)
                    .sum();
                i128::from(t) - i128::from(dbf)
            })
            .min();
        match slack {
            None => assert!(load > h || least.unwrap() < 0, "{set:?}"),
            Some(0) if load == h => {}
            Some(slack) => {
                assert_eq!(Some(i128::from(slack)), least, "{set:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > rounds(3_000), "{compared}");
}
