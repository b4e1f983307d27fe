//! Lower bounds never exceed plans.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::Proof;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Options, Problem, partition};
use gpusched::verification::{Unchecked, verify};
use rand::RngExt;

use super::POLICIES;
use super::searches::searches;
use crate::oracle;
use crate::oracle::random_sets::known_alone;
use crate::support::rounds;

#[test]
fn no_bound_is_above_a_plan() {
    let mut rng = oracle::random_sets::rng(22);
    let (mut checks, mut tight, mut confirmed) = (0, 0, 0);
    for round in 0..rounds(800) {
        let n = rng.random_range(9..=20);
        let sms = rng.random_range(8..=40);
        let load = rng.random_range(0.3..0.8) * f64::from(sms);
        let set = known_alone(&mut rng, n, load);
        let problem = Problem::new(
            &set,
            sms,
            POLICIES[round % POLICIES.len()],
            model_of(Interference::Conflict),
        )
        .unwrap();
        // The bound must hold for every search effort, because it must be valid wherever the search stops.
        let budget = [1, 300, 3_000, 30_000][round % 4];
        let optimal = partition(
            &problem,
            &HeuristicKind::Optimal
                .with(&Options {
                    search_effort: Some(budget),
                    ..Options::default()
                })
                .unwrap(),
        );
        let Some(bound) = &optimal.bound else {
            continue;
        };
        assert!(bound.sms <= optimal.sms_used);
        let checked = verify(&optimal, &set)
            .unwrap_or_else(|fault| panic!("{fault}"))
            .bound
            .unwrap();
        match (bound.proof, checked.unchecked) {
            (_, Some(Unchecked::Groups)) => assert_eq!(checked.proven, None),
            (Proof::Prices, None) => {
                assert_eq!(checked.proven, Some(bound.sms));
                confirmed += 1;
            }
            (Proof::Search, Some(Unchecked::Search)) => assert!(checked.proven < Some(bound.sms)),
            other => panic!("{other:?}: {}", serde_json::to_string(&set).unwrap()),
        }
        tight += usize::from(bound.sms == optimal.sms_used);
        for heuristic in searches() {
            let plan = partition(&problem, &heuristic);
            let placed: usize = plan.partitions.iter().map(|p| p.tasks.len()).sum();
            if placed < n {
                continue;
            }
            assert!(
                bound.sms <= plan.sms_used,
                "{heuristic:?} {}",
                serde_json::to_string(&set).unwrap()
            );
            checks += 1;
        }
    }
    assert!(checks >= rounds(10_000) && tight > rounds(50), "{checks} {tight}");
    assert!(confirmed > rounds(600), "{confirmed}");
}

/// The work of the two tasks exceeds one SM by 4 ns per second. Lemma 1 counts these 4 ns, but prices are rounded down. Once,
/// `optimal` ended its search because of Lemma 1, and then tried to prove the plan without known groups.
#[test]
fn work_just_above_a_whole_number_of_sms_is_proven() {
    let text = r#"{"tasks": [
        {"period": "1s", "wcet": {"table": [[2, 250000001]]}},
        {"period": "1s", "wcet": {"table": [[2, 250000001]]}}]}"#;
    let set: TaskSet = serde_json::from_str(text).unwrap();
    let problem = Problem::new(&set, 4, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let plan = partition(&problem, &HeuristicKind::Optimal.into());
    let bound = plan.bound.as_ref().unwrap();
    assert_eq!((plan.sms_used, bound.sms), (2, 2));
    verify(&plan, &set).unwrap();
}
