//! Tests of the target for the price sum, and of the prices between two lists.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Each price lies between the two given prices, and the sum of the prices is the goal minus rounding errors. Prices
/// between two lists of valid prices are therefore valid.
#[test]
fn prices_between_come_to_the_goal() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    for _ in 0..500 {
        let tasks = rng.random_range(1..300);
        let list =
            |rng: &mut ChaCha8Rng| -> Vec<i64> { (0..tasks).map(|_| rng.random_range(0..4 * ONE)).collect() };
        let (proven, prices) = (list(rng), list(rng));
        let (from, to): (i64, i64) = (proven.iter().sum(), prices.iter().sum());
        if from >= to {
            assert_eq!(between(&proven, &prices, to), prices);
            continue;
        }
        let goal = rng.random_range(from..=to);
        let between = between(&proven, &prices, goal);
        let sum: i64 = between.iter().sum();
        assert!(sum <= goal && goal - sum <= tasks, "{from} {to} {goal} {sum}");
        for ((&between, &a), &b) in between.iter().zip(&proven).zip(&prices) {
            assert!(a.min(b) <= between && between <= a.max(b));
        }
    }
}

/// Returns `sms` SMs plus `hundredths` hundredths of an SM, in price units.
fn units(sms: i64, hundredths: i64) -> i64 {
    sms * ONE + hundredths * ONE / 100
}

#[test]
fn goals_are_whole_numbers_that_can_be_had() {
    let mut bound = Bound::of_prices(vec![units(50, 0), units(7, 40)]);
    assert_eq!(bound.sms(), 58);
    let just_above = |sms: i64| Some(sms * ONE + JUST_ABOVE);
    // The target is the largest whole number below the value of the program, or the previous number if the margin is too
    // small.
    assert_eq!(goal(units(62, 40), &bound, 70, 0), just_above(62));
    assert_eq!(goal(units(62, 10), &bound, 70, 0), just_above(61));
    // The target never exceeds `enough`. After a failed attempt, the target is smaller.
    assert_eq!(goal(units(62, 40), &bound, 60, 0), just_above(59));
    assert_eq!(goal(units(62, 40), &bound, 70, 3), just_above(59));
    assert_eq!(goal(units(62, 40), &bound, 70, 30), just_above(58));
    // If the prices can prove only one SM more, the target is this number.
    assert_eq!(goal(units(58, 10), &bound, 70, 0), just_above(58));
    // If the prices cannot prove another SM, the target moves closer to the value of the program. The target moves only a
    // limited number of times.
    assert_eq!(goal(units(57, 90), &bound, 70, 0), Some(units(57, 85)));
    assert_eq!(goal(units(57, 49), &bound, 70, 0), None);
    // A number of SMs that a complete search has proven also counts.
    bound.raise(60);
    assert_eq!(goal(units(59, 90), &bound, 70, 0), Some(units(59, 85)));
}
