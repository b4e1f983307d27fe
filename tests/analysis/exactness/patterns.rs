//! Sets that an exact test accepts miss no deadline under random legal arrivals. These arrivals
//! complement the critical instants of the theory.

use rand::RngExt;

use super::fixed_priority::ranks;
use super::{ROUNDS, accepts};
use crate::oracle::random_sets::rng;
use crate::oracle::simulation::{Order, Preemption, Task, Until, random_pattern, run};
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;

fn never_misses(policy: &str, seed: u64, preemption: Preemption, order: impl Fn(&[Task]) -> Order) {
    let mut rng = rng(seed);
    let mut accepted = 0;
    for _ in 0..rounds(ROUNDS / 2) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 4,
                jitter: true,
                blocks: false,
            },
        );
        if !accepts(policy, &set) {
            continue;
        }
        accepted += 1;
        for _ in 0..4 {
            let end = rng.random_range(20..90);
            let jobs = random_pattern(&set, &mut rng, end);
            let outcome = run(&set, &jobs, &order(&set), preemption, Until::Late);
            assert_eq!(outcome.late, None, "{policy}: {set:?}\n{jobs:?}");
        }
    }
    assert!(accepted > rounds(ROUNDS / 20), "{accepted}");
}

#[test]
fn preemptive_edf() {
    never_misses("edf", 51, Preemption::Preemptive, |set| {
        Order::Edf((0..set.len()).collect())
    });
}

#[test]
fn non_preemptive_edf() {
    never_misses("np-edf", 52, Preemption::NonPreemptive, |set| {
        Order::Edf((0..set.len()).collect())
    });
}

#[test]
fn preemptive_fixed_priority() {
    never_misses("dm", 53, Preemption::Preemptive, |set| {
        Order::Fixed(ranks(set, |task| task.d - task.j))
    });
}

#[test]
fn non_preemptive_fixed_priority() {
    never_misses("np-fp", 54, Preemption::NonPreemptive, |set| {
        Order::Fixed(ranks(set, |task| task.d - task.j))
    });
}
