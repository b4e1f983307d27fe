//! Thread blocks, jitter and memory traffic follow the formulas of the documentation and have no effect on other generated values.

use gpusched::generation::{Generator, MAX_BLOCKS, Recipe, WcetModel};
use gpusched::interference::Conflict;
use gpusched::model::{Factor, Kind, Policy, TaskSet};
use gpusched::partitioning::Problem;
use serde_json::Value;

use crate::generation::{kinds, log_uniform, periods, recipe, source, works};

fn permille(factor: u64) -> Factor {
    Factor::from_billionths(factor * 1_000_000).unwrap()
}

/// Returns recipes that differ in all fields that blocks and jitter could depend on.
fn recipes() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for base in [
        Recipe::default(),
        recipe(Generator::Randfixedsum, Some(1.5)),
        log_uniform("1ns", "1us"),
        log_uniform("10ms", "1s"),
    ] {
        for wcet in [WcetModel::Amdahl, WcetModel::Proportional] {
            for deadline in [10, 750, 1500] {
                recipes.push(Recipe {
                    wcet,
                    deadline: permille(deadline).into(),
                    ..base.clone()
                });
            }
        }
    }
    recipes
}

/// Returns the set as JSON without these fields.
fn without(set: &TaskSet, fields: &[&str]) -> String {
    let mut json = serde_json::to_value(set).unwrap();
    for task in json["tasks"].as_array_mut().unwrap() {
        for field in fields {
            assert!(task.as_object_mut().unwrap().remove(*field).is_some(), "{field}");
        }
    }
    json.to_string()
}

#[test]
fn they_are_those_of_the_formulas_and_all_else_stays() {
    let mut capped = 0;
    for base in recipes() {
        for (blocks, jitter) in [(1, 0), (3, 9), (68, 5), (6800, 1), (MAX_BLOCKS, 7)] {
            let with = Recipe {
                blocks: Some(blocks),
                jitter: Some(permille(jitter).into()),
                ..base.clone()
            };
            let (plain, with) = (source(&base, 12, 5.0), source(&with, 12, 5.0));
            for index in 0..8 {
                let (plain, set) = (plain.draw(2, index).unwrap(), with.draw(2, index).unwrap());
                let bytes: Value = serde_json::from_str(&serde_json::to_string(&plain).unwrap()).unwrap();
                assert_eq!(without(&set, &["block", "jitter"]), bytes.to_string());

                let drawn = works(&set).into_iter().zip(kinds(&set)).zip(periods(&set));
                for (task, ((work, kind), period)) in set.tasks().iter().zip(drawn) {
                    // k·(1 + β) in thousandths.
                    let stretch = match kind {
                        Kind::Compute => 12 * 102,
                        Kind::Memory => 23 * 110,
                    };
                    let exact = u128::from(work) * stretch;
                    let block = exact.div_ceil(1000 * u128::from(blocks));
                    assert_eq!(task.block().map(|block| u128::from(block.ns())), Some(block));
                    let exact = period * jitter / 1000;
                    assert_eq!(task.jitter().ns(), exact.min(task.deadline().ns() - 1));
                    capped += usize::from(exact >= task.deadline().ns());
                }
            }
        }
    }
    assert!(capped > 0, "the cap of the jitter is not tested");
}

#[test]
fn each_comes_alone() {
    let base = Recipe::default();
    let plain = source(&base, 9, 3.0).draw(0, 0).unwrap();
    let plain = serde_json::to_value(&plain).unwrap().to_string();
    let blocks = Recipe {
        blocks: Some(680),
        ..base.clone()
    };
    let set = source(&blocks, 9, 3.0).draw(0, 0).unwrap();
    assert_eq!(without(&set, &["block"]), plain);
    let jitter = Recipe {
        jitter: Some(permille(100).into()),
        ..base
    };
    let set = source(&jitter, 9, 3.0).draw(0, 0).unwrap();
    assert_eq!(without(&set, &["jitter"]), plain);
}

/// A block that takes longer than the kernel on many SMs counts as the whole kernel. With a single block, lp-edf equals
/// np-edf. With more blocks, preemptive EDF accepts every set that lp-edf accepts.
#[test]
fn from_one_block_to_many() {
    let policy = |name: &str| -> Policy { name.parse().unwrap() };
    let (edf, lp, np) = (policy("edf"), policy("lp-edf"), policy("np-edf"));
    let all: Vec<usize> = (0..6).collect();
    let (mut of_one, mut of_many, mut longer) = (0, 0, 0);
    for blocks in [1, 40, 6800] {
        let recipe = Recipe {
            blocks: Some(blocks),
            wcet: WcetModel::Proportional,
            ..log_uniform("10ms", "1s")
        };
        let source = source(&recipe, 6, 4.0);
        for index in 0..300 {
            let set = source.draw(0, index).unwrap();
            for sms in [4, 16, 64] {
                let accepts = |policy| {
                    let problem = Problem::new(&set, sms, policy, &Conflict).unwrap();
                    problem.accepts(&all, sms)
                };
                let problem = Problem::new(&set, sms, lp, &Conflict).unwrap();
                for (task, demand) in set.tasks().iter().zip(problem.demands(&all, sms).unwrap()) {
                    assert_eq!(demand.block, task.block().unwrap().min(demand.wcet));
                    longer += usize::from(task.block().unwrap() > demand.wcet);
                }
                let accepted = accepts(lp);
                assert!(!accepted || accepts(edf));
                match blocks {
                    1 => {
                        assert_eq!(accepted, accepts(np));
                        of_one += usize::from(accepted);
                    }
                    _ => of_many += usize::from(accepted),
                }
            }
        }
    }
    assert!(
        of_one > 10 && of_many > 10 && longer > 10,
        "{of_one} {of_many} {longer}"
    );
}

/// Deadlines and jitter are rounded down to whole nanoseconds, and jitter is below the deadline.
#[test]
fn deadlines_and_jitter_are_exact() {
    let large = (1 << 62) + 1; // not a floating-point number
    for (period, deadline, jitter, expected) in [
        (50_000_000, 0.75, 0.1, (37_500_000, 5_000_000)),
        (7, 0.75, 0.0, (5, 0)),
        (10, 0.1, 0.0, (1, 0)),
        (19, 0.75, 0.1, (14, 1)),
        (5, 0.75, 0.74, (3, 2)), // 3.7, and jitter must be less than 3
        (1, 1.0, 0.5, (1, 0)),
        (large, 1.0, 0.5, (large, large / 2)),
    ] {
        let recipe = Recipe {
            periods: format!("list:{period}ns").parse().unwrap(),
            deadline: Factor::from_f64(deadline).unwrap().into(),
            jitter: Some(Factor::from_f64(jitter).unwrap().into()),
            ..Recipe::default()
        };
        let set = source(&recipe, 1, 0.01).draw(0, 0).unwrap();
        let task = &set.tasks()[0];
        assert_eq!((task.deadline().ns(), task.jitter().ns()), expected, "{period}");
    }
}

/// In 1 ms, a rate of 12.5 GB/s moves 12.5 MB. The kernels move 60 % and 5 % of these bytes.
#[test]
fn traffic_by_hand() {
    let of = |memory_share| {
        let recipe = Recipe {
            periods: "list:1ms".parse().unwrap(),
            saturation: Some(8),
            memory_share,
            ..Recipe::default()
        };
        let set = source(&recipe, 1, 1.0).draw(0, 0).unwrap();
        let task = &set.tasks()[0];
        let rates = [1, 4, 7, 8, 31, 32, 100].map(|sms| task.bandwidth(sms).unwrap().to_string());
        (task.traffic().unwrap().to_string(), rates.join(" "))
    };
    assert_eq!(
        of(1.0),
        (
            "7.5MB".to_owned(),
            "12.5GB/s 50GB/s 87.5GB/s 100GB/s 100GB/s 100GB/s 100GB/s".to_owned()
        )
    );
    assert_eq!(
        of(0.0),
        (
            "625kB".to_owned(),
            "3.125GB/s 12.5GB/s 21.875GB/s 25GB/s 96.875GB/s 100GB/s 100GB/s".to_owned()
        )
    );
}
