//! Task sets with the WCET functions of real kernels.

use gpusched::generation::{Kernels, Recipe, Source};
use gpusched::model::streams::{Purpose, below, stream};
use gpusched::model::wcet::Contention::{Conflict, Isolated};
use gpusched::model::{Kind, TaskSet};

use crate::generation::source;

/// Two kernels with different kinds and speed-ups. The first kernel is known from 4 SMs on.
const KERNELS: &str = r#"{"tasks": [
  {"period": "1s", "kind": "compute", "wcet": {"table": {"isolated": [[4, 1000], [8, 500]], "conflict": [[4, 2000], [8, 900]]}}},
  {"period": "1s", "wcet": {"table": {"isolated": [[2, 700]]}}}]}"#;

fn with_kernels(recipe: &Recipe) -> Source {
    let set: TaskSet = serde_json::from_str(KERNELS).unwrap();
    source(recipe, 50, 34.0)
        .with_kernels(Kernels::new(&set).unwrap())
        .unwrap()
}

#[test]
fn tasks_have_the_generated_utilization_and_the_shape_of_a_kernel() {
    let source = with_kernels(&Recipe::default());
    let mut compute = 0;
    for index in 0..100 {
        let set = source.draw(3, index).unwrap();
        let shares = source.utilizations(3, index).unwrap();
        for (task, share) in set.tasks().iter().zip(shares) {
            let at = |sms, contention| task.wcet().at(sms, contention).unwrap().ns() as f64;
            let smallest = if task.kind().is_some() { 4 } else { 2 };
            assert_eq!(task.wcet().at(smallest - 1, Isolated), None);
            let work = f64::from(smallest) * at(smallest, Isolated);
            let expected = share * task.period().ns() as f64;
            assert!(
                (work - expected).abs() <= f64::from(smallest) + 0.5,
                "{work} {expected}"
            );
            let time = at(smallest, Isolated);
            match task.kind() {
                Some(Kind::Compute) => {
                    compute += 1;
                    assert!((at(4, Conflict) / time - 2.0).abs() * time <= 2.0);
                    assert!((at(8, Isolated) / time - 0.5).abs() * time <= 2.0);
                    assert!((at(8, Conflict) / time - 0.9).abs() * time <= 2.0);
                }
                Some(Kind::Memory) => panic!("no kernel is memory-intensive"),
                None => assert_eq!(at(100, Conflict), time),
            }
        }
    }
    assert!((2350..=2650).contains(&compute), "{compute} of 5000");
}

#[test]
fn kernels_change_neither_utilizations_nor_periods() {
    let recipe = Recipe::default();
    let (plain, measured) = (source(&recipe, 50, 34.0), with_kernels(&recipe));
    for index in 0..20 {
        let times = |source: &Source| -> Vec<_> {
            let set = source.draw(2, index).unwrap();
            let tasks = set.tasks().iter();
            tasks.map(|task| (task.period(), task.deadline())).collect()
        };
        assert_eq!(times(&plain), times(&measured));
        assert_eq!(
            plain.utilizations(2, index).unwrap(),
            measured.utilizations(2, index).unwrap()
        );
    }
}

#[test]
fn parameters_that_kernels_do_not_define_are_refused() {
    let set: TaskSet = serde_json::from_str(KERNELS).unwrap();
    let kernels = Kernels::new(&set).unwrap();
    for (field, recipe) in [
        (
            "blocks",
            Recipe {
                blocks: Some(8),
                ..Recipe::default()
            },
        ),
        (
            "saturation",
            Recipe {
                saturation: Some(8),
                ..Recipe::default()
            },
        ),
    ] {
        let refused = source(&recipe, 50, 34.0)
            .with_kernels(kernels.clone())
            .unwrap_err();
        assert_eq!(refused.field(), field);
    }
}

/// Returns a source of one task with the period and the work `work` [ns] and one kernel.
fn one(wcet: &str, work: u64) -> Source {
    let set = format!(r#"{{"tasks": [{{"period": "1s", "kind": "memory", "wcet": {wcet}}}]}}"#);
    let recipe = Recipe {
        periods: format!("list:{work}ns").parse().unwrap(),
        ..Recipe::default()
    };
    let kernels = Kernels::new(&serde_json::from_str(&set).unwrap()).unwrap();
    source(&recipe, 1, 1.0).with_kernels(kernels).unwrap()
}

#[test]
fn tables_are_multiplied_by_one_factor_and_rounded_up() {
    let wcet = r#"{"table": {"isolated": [[2, 30], [4, 20]], "conflict": [[2, 45], [8, 20]]}}"#;
    // The kernel has 60 SM·ns of work on 2 SMs, so the factor is 100/60.
    let set = one(wcet, 100).draw(0, 0).unwrap();
    let task = &set.tasks()[0];
    assert_eq!(task.kind(), Some(Kind::Memory));
    assert_eq!(
        serde_json::to_string(task.wcet()).unwrap(),
        r#"{"table":{"isolated":[[2,50],[4,34]],"conflict":[[2,75],[8,34]]}}"#
    );
}

/// The choice of a kernel reads one random word per task.
#[test]
fn kernels_are_chosen_by_one_word_each() {
    let set = with_kernels(&Recipe::default()).draw(4, 2).unwrap();
    let mut rng = stream(1, Purpose::Kinds, 4, 2);
    for task in set.tasks() {
        let kind = [Some(Kind::Compute), None][below(&mut rng, 2)];
        assert_eq!(task.kind(), kind);
    }
}

#[test]
fn times_above_the_limit_are_refused() {
    let wcet = r#"{"table": {"isolated": [[1, 1]], "conflict": [[1, 1000000]]}}"#;
    assert!(one(wcet, 1 << 60).draw(0, 0).is_err());
    assert!(one(wcet, 1 << 40).draw(0, 0).is_ok());
}

#[test]
fn functions_without_a_table_are_refused() {
    let set = r#"{"tasks": [{"period": "1s", "wcet": {"affine": {"isolated": {"a": "1ms", "b": "1us"}}}}]}"#;
    let message = Kernels::new(&serde_json::from_str(set).unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("tasks[0].wcet") && message.contains("`table`"),
        "{message}"
    );
}
