//! Comparison of branch and bound with a search over all selections of groups.

use crate::interference::model_of;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::interference::Interference;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::GroupTester;
use crate::partitioning::search::budget::Budget;
use gpusched_model::{Policy, TaskSet};

/// Returns the fewest SMs of groups that cover all `tasks` tasks, by dynamic programming over subsets.
fn fewest(tasks: usize, groups: &[Part]) -> Option<u32> {
    let mut best = vec![None; 1 << tasks];
    best[0] = Some(0u32);
    for covered in 0..best.len() {
        let Some(sms) = best[covered] else { continue };
        for group in groups {
            let with = group.tasks.iter().fold(covered, |set, task| set | 1 << task);
            if best[with].is_none_or(|held| held > sms + group.sms) {
                best[with] = Some(sms + group.sms);
            }
        }
    }
    best[best.len() - 1]
}

#[test]
fn the_search_finds_the_fewest_or_proves_that_there_are_none() {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let set: TaskSet = serde_json::from_str(
        r#"{"tasks":[{"period":"1ms","wcet":{"proportional":{"work":"1us","serial":0,"conflict":1}}}]}"#,
    )
    .unwrap();
    let problem = Problem::new(&set, 1, Policy::Edf, model_of(Interference::None)).unwrap();
    let mut tester = GroupTester::new(&problem);
    let mut sizes = Sizes::new(&mut tester, Budget::new(u64::MAX, None));
    let (mut found, mut none) = (0, 0);
    for round in 0..400 {
        let tasks = rng.random_range(2..=9);
        // Often, no selection of random pairs and triples contains each task exactly once. The relaxation is then often
        // below the optimum. Each subset of a group passes its test on the SMs of the group.
        let mut groups = Vec::new();
        for _ in 0..rng.random_range(tasks / 2..12) {
            let three = [0; 3].map(|_| rng.random_range(0..tasks));
            let sms = rng.random_range(1..=2);
            for kept in 1..8 {
                let mut tasks: Vec<usize> = (0..3)
                    .filter(|bit| kept >> bit & 1 == 1)
                    .map(|bit| three[bit])
                    .collect();
                tasks.sort_unstable();
                tasks.dedup();
                groups.push(Part { sms, tasks });
            }
        }
        let best = fewest(tasks, &groups);
        let most = best.unwrap_or(2 * tasks as u32);
        let searched = search(&mut sizes, tasks, &groups, most, 0);
        assert!(searched.complete, "round {round}");
        assert_eq!(
            searched.best.as_ref().map(|parts| total(parts)),
            best,
            "round {round}"
        );
        if let Some(parts) = &searched.best {
            let mut covered: Vec<usize> = parts.iter().flat_map(|part| &part.tasks).copied().collect();
            covered.sort_unstable();
            assert_eq!(covered, (0..tasks).collect::<Vec<_>>());
            let less = search(&mut sizes, tasks, &groups, most - 1, 0);
            assert!(less.complete && less.best.is_none(), "round {round}");
            found += 1;
        } else {
            none += 1;
        }
    }
    assert!(found > 200 && none > 5, "{found} {none}");
}
