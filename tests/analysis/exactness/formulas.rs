//! Verdicts at the bounds of the formulas, and the exactness of the arithmetic.

use gpusched::model::Evidence;
use gpusched::schedulability::utilization::{hyperbolic, liu_layland};
use gpusched::schedulability::{Demand, edf, share, work_capacity};
use gpusched::time::Time;
use num_bigint::BigUint;
use proptest::prelude::*;

use crate::support::rounds;

/// Returns tasks (C, D, T).
fn of(tasks: &[(u64, u64, u64)]) -> Vec<Demand> {
    let task =
        |&(c, d, t): &(u64, u64, u64)| Demand::new(Time::from_ns(c), Time::from_ns(t), Time::from_ns(d));
    tasks.iter().map(task).collect()
}

/// Whether tasks (C, T) with D = T pass `test`.
fn passes(test: &dyn Fn(&[Demand]) -> Evidence, tasks: &[(u64, u64)]) -> bool {
    let tasks: Vec<_> = tasks.iter().map(|&(c, t)| (c, t, t)).collect();
    test(&of(&tasks)).is_positive()
}

fn work_and(least_work: u128, wcet: u64, period: u64, deadline: u64) -> Demand {
    Demand {
        least_work,
        ..of(&[(wcet, deadline, period)])[0]
    }
}

#[test]
fn violated_interval_is_named() {
    // Two jobs have their deadlines within an interval of length 5. Together, they execute for 6.
    let evidence = edf::test(&of(&[(3, 4, 100), (3, 5, 100)]));
    assert_eq!(
        evidence,
        Evidence::DemandExceedsInterval {
            interval_ns: Time::from_ns(5),
            demand_ns: 6
        }
    );
}

#[test]
fn full_utilization_is_decided_exactly() {
    assert!(edf::test(&of(&[(1, 2, 2), (1, 3, 3), (1, 6, 6)])).is_positive());
    assert_eq!(
        edf::test(&of(&[(1, 2, 2), (1, 3, 3), (1_000_001, 6_000_000, 6_000_000)])),
        Evidence::UtilizationAboveOne
    );
    // U = 1, and one deadline is shorter than its period. dbf(5) = 5 and dbf(4) = 5.
    assert!(edf::test(&of(&[(1, 2, 2), (3, 5, 6)])).is_positive());
    assert!(!edf::test(&of(&[(1, 2, 2), (3, 4, 6)])).is_positive());
    assert!(edf::test(&of(&[(2, 2, 4), (2, 4, 4)])).is_positive());
}

#[test]
fn absurd_numbers_do_not_overflow() {
    let limit = Time::LIMIT.ns();
    assert!(edf::test(&of(&[(limit, limit, limit)])).is_positive());
    assert!(!edf::test(&of(&[(limit, limit, limit), (1, 1, limit)])).is_positive());
    assert!(!edf::test(&of(&[(limit, 1, limit), (limit, 1, 1)])).is_positive());
    assert!(edf::test(&of(&[(1, 1, limit), (1, limit, 2)])).is_positive());
    assert_eq!(edf::test(&of(&[(1, 1, 0)])), Evidence::UtilizationAboveOne);
}

#[test]
fn slack_is_the_least_distance_of_demand_and_interval() {
    // dbf is 2 at t = 5, 5 at t = 9, and 7 at t = 15. The least value of t − dbf(t) is 3, at t = 5.
    assert_eq!(edf::slack(&of(&[(2, 5, 10), (3, 9, 20)])), Some(Time::from_ns(3)));
    assert_eq!(edf::slack(&of(&[(3, 4, 100), (3, 5, 100)])), None);
}

#[test]
fn work_counts_exactly() {
    let half = work_and(20, 10, 10, 10);
    assert_eq!(
        work_capacity::test(&[half, half], 4),
        Evidence::WorkWithinCapacity
    );
    let more = [half, half, work_and(1, 1, 1000, 1)];
    assert_eq!(work_capacity::test(&more, 4), Evidence::WorkExceedsCapacity);
}

#[test]
fn deadlines_count_in_one_of_the_two() {
    let late = [work_and(1, 1, 10, 10), work_and(1, 5, 10, 4)];
    assert_eq!(work_capacity::test(&late, 4), Evidence::WorkWithinCapacity);
    assert!(matches!(
        work_capacity::test_with_deadlines(&late, 4),
        Evidence::WcetExceedsDeadline { task: 1, .. }
    ));
}

#[test]
fn the_hyperbolic_bound_itself_passes() {
    assert!(passes(&hyperbolic, &[(7, 7)]));
    assert!(passes(&hyperbolic, &[(1, 2), (1, 3)])); // 3/2 · 4/3 = 2
    assert!(!passes(&hyperbolic, &[(1, 2), (1_000_000_001, 3_000_000_000)]));
    assert!(passes(&hyperbolic, &[(1, 3), (1, 4), (1, 5)])); // 4/3 · 5/4 · 6/5 = 2
    assert!(!passes(&hyperbolic, &[(1, 3), (1, 4), (1, 5), (1, u64::MAX)]));
}

/// Returns whether Π (C + T) ≤ 2·Π T.
fn by_products(tasks: &[(u64, u64)]) -> bool {
    let product =
        |factors: &mut dyn Iterator<Item = u128>| factors.fold(BigUint::from(1u32), |all, each| all * each);
    let sums = product(&mut tasks.iter().map(|&(c, t)| u128::from(c) + u128::from(t)));
    let periods = product(&mut tasks.iter().map(|&(_, t)| u128::from(t)));
    sums <= periods * 2u32
}

/// Returns whether (nB + A)ⁿ ≤ 2·(nB)ⁿ with U' = A/B.
fn by_powers(tasks: &[(u64, u64)]) -> bool {
    let (mut a, mut b) = (BigUint::ZERO, BigUint::from(1u32));
    for &(c, t) in tasks {
        a = a * t + &b * c;
        b *= t;
    }
    let nb = &b * tasks.len();
    let n = u32::try_from(tasks.len()).unwrap();
    (&nb + a).pow(n) <= nb.pow(n) * 2u32
}

#[test]
fn liu_layland_is_exact_close_to_the_bound() {
    // For n = 2, the bound is 2·(√2 − 1), about 0.828427124746190097.
    assert!(passes(
        &liu_layland,
        &[(414_213_562_373_095_048, 1_000_000_000_000_000_000); 2]
    ));
    assert!(!passes(
        &liu_layland,
        &[(414_213_562_373_095_049, 1_000_000_000_000_000_000); 2]
    ));
    assert!(passes(&liu_layland, &[(9, 9)]));
    assert!(!passes(&liu_layland, &[(10, 9)]));
    assert!(passes(&liu_layland, &[]));
    // p/q is a convergent of √2. So U' = 2·(p/q − 1) is too close to the bound for a decision
    // with 62 bits.
    let (p, q) = (6_882_627_592_338_442_563u64, 4_866_752_642_924_153_522u64);
    let (below, above) = ((p - q, q), (p - q + 1, q));
    assert_eq!(passes(&liu_layland, &[below; 2]), by_powers(&[below; 2]));
    assert_eq!(passes(&liu_layland, &[above; 2]), by_powers(&[above; 2]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(256)))]

    #[test]
    fn hyperbolic_agrees_with_big_integers(tasks in prop::collection::vec((0u64..1 << 40, 1u64..1 << 42), 0..6)) {
        prop_assert_eq!(passes(&hyperbolic, &tasks), by_products(&tasks));
    }

    #[test]
    fn liu_layland_agrees_with_powers(tasks in prop::collection::vec((1u64..1 << 20, 1u64..1 << 22), 1..8)) {
        prop_assert_eq!(passes(&liu_layland, &tasks), by_powers(&tasks));
    }

    #[test]
    fn shares_are_found_and_above(wcet: u64, period: u64, bits in 1u32..64, fill: bool) {
        let period = (period >> bits).max(1);
        let wcet = if fill { period - wcet % period.min(3) } else { wcet % (period + 1) };
        let share = share::above(Time::from_ns(wcet), Time::from_ns(period)).expect("a share");
        let exact = u128::from(wcet) << 32;
        let (least, most) = (share, share - share::EXCESS.min(share));
        prop_assert!(u128::from(least) * u128::from(period) >= exact);
        prop_assert!(u128::from(most) * u128::from(period) <= exact);
    }
}
