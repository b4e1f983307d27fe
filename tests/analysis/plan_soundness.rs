//! Guarantee: a plan is a proof. Every plan of every heuristic passes a checker that shares no code with the library.

use crate::oracle::transcription::{Answer, Part};
use crate::support::rounds;
use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Options, Problem, partition};
use rand::RngExt;

/// Returns every heuristic with every combination of its options.
fn all_heuristics() -> Vec<Heuristic> {
    use gpusched::partitioning::forbidden::Forbidden::{Act, Ina};
    use gpusched::partitioning::order::BfDirection::{Ascending, Descending};
    use gpusched::partitioning::order::BfMeasure::{Demand, Utilization};
    use gpusched::partitioning::order::ListOrder::{Decreasing, Increasing};
    use gpusched::partitioning::order::SmsTies::{Position, Saving};
    let mut all = vec![
        Heuristic::from(HeuristicKind::OneGpu),
        Heuristic::from(HeuristicKind::OnePerPartition),
    ];
    let none = Options::default();
    let mut add = |kind: HeuristicKind, options: Options| all.push(kind.with(&options).unwrap());
    for split in [None, Some(1), Some(3), Some(100)] {
        add(HeuristicKind::Ffd, Options { split, ..none });
        add(HeuristicKind::Wfd, Options { split, ..none });
    }
    for forbidden in [Ina, Act] {
        for order in [Decreasing, Increasing] {
            let merges = Options {
                forbidden: Some(forbidden),
                order: Some(order),
                ..none
            };
            for ties in [Saving, Position] {
                let sms_ties = Some(ties);
                add(HeuristicKind::Sms, Options { sms_ties, ..merges });
            }
            for measure in [Utilization, Demand] {
                for direction in [Ascending, Descending] {
                    let best_fit = Options {
                        bf_measure: Some(measure),
                        bf_direction: Some(direction),
                        ..merges
                    };
                    add(HeuristicKind::Bf, best_fit);
                }
            }
        }
    }
    all
}

#[test]
fn every_plan_of_every_heuristic_is_a_proof() {
    let mut rng = crate::oracle::random_sets::rng(5);
    let heuristics = all_heuristics();
    let (mut positive, mut negative) = (0, 0);
    for _ in 0..rounds(2_000) {
        let sms = rng.random_range(2..=16);
        let n = rng.random_range(1..=10);
        let load = rng.random_range(0.1..0.8) * f64::from(sms);
        let set = crate::oracle::random_sets::task_set(&mut rng, n, load);
        let interference = [Interference::Conflict, Interference::None][usize::from(rng.random_bool(0.2))];
        let problem = Problem::new(&set, sms, Policy::Edf, model_of(interference)).unwrap();
        for heuristic in &heuristics {
            let plan = partition(&problem, heuristic);
            assert_eq!(plan.failure.is_none(), plan.schedulable, "{plan:?}");
            if plan.schedulable {
                positive += 1;
                crate::oracle::checker::check(
                    set.tasks(),
                    sms,
                    &plan,
                    interference == Interference::Conflict,
                )
                .unwrap_or_else(|why| {
                    panic!(
                        "{heuristic:?} on {sms} SMs: {why}\n{}",
                        serde_json::to_string(&set).unwrap()
                    )
                });
            } else {
                negative += 1;
            }
        }
    }
    assert!(
        positive > rounds(10_000) && negative > rounds(5_000),
        "{positive} plans, {negative} failures"
    );
}

/// Compares the plans of `heuristics` with the transcription, and returns the plans.
fn compare(
    set: &TaskSet,
    sms: u32,
    policy: Policy,
    interference: Interference,
    heuristics: &[Heuristic],
) -> Vec<Answer> {
    let problem = Problem::new(set, sms, policy, model_of(interference)).unwrap();
    let each = heuristics.iter().map(|heuristic| {
        let plan = partition(&problem, heuristic);
        let twin = crate::oracle::transcription::machine(set, sms, policy, interference)
            .partition_and_allocate(heuristic);
        let ours = Answer {
            schedulable: plan.schedulable,
            parts: plan
                .partitions
                .iter()
                .map(|p| Part {
                    sms: p.sms,
                    tasks: p.tasks.clone(),
                })
                .collect(),
            merges: plan.stats.merges_tested,
            prefill: plan.stats.prefill_merges,
        };
        assert_eq!(
            ours,
            twin,
            "{heuristic:?} on {sms} SMs: {}",
            serde_json::to_string(set).unwrap()
        );
        ours
    });
    each.collect()
}

#[test]
fn plans_equal_the_plain_transcription() {
    let mut rng = crate::oracle::random_sets::rng(6);
    let heuristics: Vec<Heuristic> = all_heuristics()
        .into_iter()
        .filter(|h| matches!(h.kind(), HeuristicKind::Sms | HeuristicKind::Bf))
        .collect();
    let (mut merged, mut failed) = (0, 0);
    for round in 0..rounds(600) {
        let sms = rng.random_range(2..=20);
        let n = rng.random_range(2..=14);
        let load = rng.random_range(0.3..0.9) * f64::from(sms);
        let set = crate::oracle::random_sets::task_set(&mut rng, n, load);
        let policy = [
            Policy::WorkCapacity,
            Policy::Edf,
            Policy::WorkCapacityDeadline,
            Policy::Edf,
        ][round % 4];
        let interference = [Interference::Conflict, Interference::None][usize::from(round % 5 == 0)];
        for ours in compare(&set, sms, policy, interference, &heuristics) {
            merged += usize::from(ours.merges > 0 && ours.schedulable);
            failed += usize::from(!ours.schedulable);
        }
    }
    assert!(
        merged > rounds(1_000) && failed > rounds(1_000),
        "{merged} merged, {failed} failed"
    );
}

/// With more than 64 partitions, the sets of pairs that must not merge need several machine words.
#[test]
fn plans_of_many_tasks_equal_the_plain_transcription() {
    let mut rng = crate::oracle::random_sets::rng(7);
    let heuristics: Vec<Heuristic> = all_heuristics()
        .into_iter()
        .filter(|h| matches!(h.kind(), HeuristicKind::Sms | HeuristicKind::Bf))
        .collect();
    for round in 0..rounds(10) {
        let n = rng.random_range(65..=110);
        let sms = rng.random_range(20..=60);
        let load = rng.random_range(0.2..0.6) * f64::from(sms);
        let set = crate::oracle::random_sets::task_set(&mut rng, n, load);
        let interference = [Interference::Conflict, Interference::None][round % 2];
        compare(&set, sms, Policy::WorkCapacityDeadline, interference, &heuristics);
    }
}
