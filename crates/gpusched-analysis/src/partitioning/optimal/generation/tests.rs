//! What prices are asked to sum to, and what they become.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// Prices in between are between, each of them, and sum to the goal less what is rounded off; so they do no more than either.
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

/// `sms` SMs and `hundredths`.
fn units(sms: i64, hundredths: i64) -> i64 {
    sms * ONE + hundredths * ONE / 100
}

#[test]
fn goals_are_whole_numbers_that_can_be_had() {
    let mut bound = Bound::of_prices(vec![units(50, 0), units(7, 40)]);
    assert_eq!(bound.sms(), 58);
    let just_above = |sms: i64| Some(sms * ONE + JUST_ABOVE);
    // The next below the program's value, or the one before if that is too close.
    assert_eq!(goal(units(62, 40), &bound, 70, 0), just_above(62));
    assert_eq!(goal(units(62, 10), &bound, 70, 0), just_above(61));
    // No more than is of interest; less where that was too much.
    assert_eq!(goal(units(62, 40), &bound, 60, 0), just_above(59));
    assert_eq!(goal(units(62, 40), &bound, 70, 3), just_above(59));
    assert_eq!(goal(units(62, 40), &bound, 70, 30), just_above(58));
    // Where the next is all there is to prove, it is asked for.
    assert_eq!(goal(units(58, 10), &bound, 70, 0), just_above(58));
    // As many SMs as prices can prove: closer to the program's, but not for ever.
    assert_eq!(goal(units(57, 90), &bound, 70, 0), Some(units(57, 85)));
    assert_eq!(goal(units(57, 49), &bound, 70, 0), None);
    // What a search proved counts.
    bound.raise(60);
    assert_eq!(goal(units(59, 90), &bound, 70, 0), Some(units(59, 85)));
}
