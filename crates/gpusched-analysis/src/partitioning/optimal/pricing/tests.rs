//! Compares the search of families with a walk that tests every visited group. Also checks the excess that a search
//! states when it ends early.

use crate::interference::model_of;
use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::tested;
use super::*;
use crate::interference::Interference;
use crate::partitioning::optimal::units::ONE;
use crate::partitioning::problem::Scale;
use crate::partitioning::search::budget::Budget;
use crate::partitioning::search::{GroupTester, Part};
use gpusched_model::policy::{Preemption, Priorities};
use gpusched_model::{Policy, TaskSet};

const POLICIES: [Policy; 11] = [
    Policy::Edf,
    Policy::NpEdf,
    Policy::LpEdf,
    Policy::NpFifo,
    Policy::Concurrent,
    Policy::FixedPriority(Preemption::Preemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::DeadlineMonotonic),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::Given),
    Policy::FixedPriority(Preemption::NonPreemptive, Priorities::Audsley),
    Policy::FixedPriority(Preemption::Limited, Priorities::RateMonotonic),
    Policy::Density,
];

pub(crate) fn random_set(rng: &mut ChaCha8Rng, tasks: usize) -> TaskSet {
    let task = |rng: &mut ChaCha8Rng| {
        let period = [50, 80, 100, 130, 200, 400][rng.random_range(0..6)];
        let deadline = period * rng.random_range(60..=100) / 100;
        let kind = [r#""kind":"compute","#, r#""kind":"memory","#, ""][rng.random_range(0..3)];
        let work = period * rng.random_range(5..120) / 100 + 1;
        let wcet = match rng.random_range(0..3) {
            0 => format!(r#"{{"proportional":{{"work":"{work}ms","serial":0.1,"conflict":1.4}}}}"#),
            1 => format!(r#"{{"amdahl":{{"work":"{work}ms","serial":0.05,"conflict":1.3}}}}"#),
            _ => format!(r#"{{"proportional":{{"work":"{work}ms","serial":0,"conflict":1}}}}"#),
        };
        let block = rng.random_range(1..30);
        format!(
            r#"{{"period":"{period}ms","deadline":"{deadline}ms",{kind}"block":"{block}ms","wcet":{wcet}}}"#
        )
    };
    let tasks: Vec<String> = (0..tasks).map(|_| task(rng)).collect();
    serde_json::from_str(&format!(r#"{{"tasks":[{}]}}"#, tasks.join(","))).unwrap()
}

fn worth(prices: &[i64], part: &Part) -> i64 {
    part.tasks.iter().map(|&task| prices[task]).sum::<i64>() - i64::from(part.sms) * ONE
}

/// Both complete walks find equal groups with equal sizes. If the search ends early, no missed group has a larger
/// excess than the search states.
#[test]
fn families_find_what_a_walk_with_tests_finds() {
    let rng = &mut ChaCha8Rng::seed_from_u64(9);
    let (mut found, mut cut, mut beyond, mut large) = (0, 0, 0, 0);
    for round in 0..360 {
        let set = random_set(rng, 9);
        let model = model_of([Interference::Conflict, Interference::None][round % 2]);
        let policy = POLICIES[round / 2 % POLICIES.len()];
        let mut problem = Problem::new(&set, 48, policy, model).unwrap();
        if policy != Policy::Edf || round % 5 > 0 {
            problem = problem.sharpened();
        }
        // At the larger factor, groups have more than 16 SMs, and a level contains several sizes.
        if round % 3 == 0 {
            problem = problem.scaled(Scale::permille(4000));
        }
        let mut tester = GroupTester::new(&problem);
        let mut sizes = Sizes::new(&mut tester, Budget::new(u64::MAX, None));
        let alone: Vec<Option<u32>> = (0..9).map(|task| sizes.smallest(&[task], 1, 64)).collect();
        if alone.contains(&None) {
            continue;
        }
        let works = Works::new(&problem);
        let prices: Vec<i64> = alone
            .iter()
            .flatten()
            .map(|&sms| i64::from(sms) * ONE * rng.random_range(30..=100) / 100)
            .collect();
        for floor in [1, -ONE / 3] {
            let all = tested::Limits {
                per_task: usize::MAX,
                groups: usize::MAX,
                patience: u64::MAX,
            };
            let slow = tested::price(&mut sizes, &works, &prices, floor, all);
            let limits = |nodes_each, easy| Limits {
                groups_each: usize::MAX,
                groups_of_family: usize::MAX,
                groups: usize::MAX,
                nodes_each,
                easy,
            };
            let mut pricing = Pricing::new(&problem, &works);
            let key = |part: &Part| (part.tasks.clone(), part.sms);
            let groups: BTreeSet<_> = slow.groups.iter().map(key).collect();
            // The search creates tables from the first group on (0), or only in hard cases (20).
            for easy in [0, 20] {
                let fast = pricing.price(&mut sizes, &works, &prices, floor, limits(u64::MAX, easy));
                assert!(slow.complete && fast.complete);
                assert_eq!(groups, fast.groups.iter().map(key).collect(), "floor {floor}");
                assert_eq!(fast.groups.len(), groups.len(), "no group is found twice");
            }
            found += groups.len();
            large += groups.iter().filter(|(_, sms)| *sms > 16).count();

            let easy = 2 * (round as u64 % 2);
            let short = pricing.price(&mut sizes, &works, &prices, floor, limits(3, easy));
            cut += usize::from(!short.complete);
            for part in &slow.groups {
                let sms = i64::from(part.sms);
                let lower: i64 = part.tasks.iter().map(|&task| short.lower[task]).sum();
                assert!(worth(&prices, part) <= short.excess_of_all * sms, "{part:?}");
                assert!(
                    worth(&prices, part) - lower <= short.excess * sms,
                    "{part:?} {lower}"
                );
                beyond += usize::from(worth(&prices, part) > 0);
            }
        }
    }
    assert!(
        found > 5_000 && cut > 50 && beyond > 1_000 && large > 20,
        "{found} {cut} {beyond} {large}"
    );
}
