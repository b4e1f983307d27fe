//! Task sets with the WCET functions of real kernels.

use gpusched::generation::{Kernels, Recipe, Source};
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
