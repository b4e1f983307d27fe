//! The examples of the library run, and stay short.

use rayon::prelude::*;

use crate::support::{root, rounds};
use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::study::own::{self, Question};

#[path = "../../examples/own_heuristic.rs"]
mod own_heuristic;
#[path = "../../examples/own_study.rs"]
mod own_study;
#[path = "../../examples/own_test.rs"]
mod own_test;
#[path = "../../examples/plan_a_set.rs"]
mod plan_a_set;
#[path = "../../examples/test_a_set.rs"]
mod test_a_set;

#[test]
fn examples_run() {
    plan_a_set::main().unwrap();
    test_a_set::main().unwrap();
    own_heuristic::main().unwrap();
    own_test::main().unwrap();
    own_study::main().unwrap();
}

#[test]
fn examples_are_short() {
    let files = std::fs::read_dir(root().join("examples")).unwrap();
    let lines = |path| std::fs::read_to_string(path).unwrap().lines().count();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in files {
        let count = lines(file.clone());
        assert!(count <= 60, "{}: {count} lines", file.display());
    }
}

/// The example repeats `fewest-sms` outside gpusched. Both find the same plans.
#[test]
fn the_example_finds_the_plans_of_fewest_sms() {
    let found: usize = (0..rounds(1_000))
        .into_par_iter()
        .map(|round: u64| {
            let tasks = [1, 4, 12, 20][round as usize % 4];
            let utilization = tasks as f64 * [0.3, 0.8, 1.4][round as usize / 4 % 3];
            let source = Source::new(&Recipe::default(), tasks, utilization, 52).unwrap();
            let set = source.draw(0, round).unwrap();
            let policy = ["edf", "np-edf", "dm"][round as usize / 12 % 3].parse().unwrap();
            let interference = [Interference::Conflict, Interference::None][round as usize / 36 % 2];
            let sms = [8, 16, 24][round as usize / 72 % 3];
            let problem = &Problem::new(&set, sms, policy, model_of(interference)).unwrap();
            let question = Question::new(&set, problem);
            let plan = own::plan("mine", &own_heuristic::fewest_sms, &question).unwrap();
            let expected = partition(problem, &HeuristicKind::Sms.into());
            assert_eq!(plan.schedulable, expected.schedulable, "round {round}");
            if plan.schedulable {
                assert_eq!(plan.partitions, expected.partitions, "round {round}");
            }
            usize::from(plan.schedulable)
        })
        .sum();
    assert!(found > rounds(1_000u64) as usize / 5, "{found}");
}
