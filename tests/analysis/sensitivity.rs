//! Guarantee: the sensitivity of a plan is its exact limit. The stated factor passes, and the next larger factor fails.

use gpusched::interference::Conflict;
use gpusched::model::plan::LARGEST_SCALING;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition, sensitivity};
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;
use rand::RngExt;

/// Returns C, the longest block and the work scaled by `permille`/1000, rounded up.
fn scaled(demand: Demand, permille: u64) -> Demand {
    let times = |time: Time| Time::from_ns((time.ns() * permille).div_ceil(1000));
    Demand {
        wcet: times(demand.wcet),
        block: times(demand.block),
        least_work: (demand.least_work * u128::from(permille)).div_ceil(1000),
        ..demand
    }
}

#[test]
fn one_step_beyond_the_edge_fails() {
    let mut rng = crate::oracle::random_sets::rng(30);
    for policy in Policy::all() {
        let (mut plans, mut edges) = (0, 0);
        for _ in 0..60 {
            let sms = rng.random_range(3..=12);
            let n = rng.random_range(1..=7);
            let load = rng.random_range(0.2..0.7) * f64::from(sms);
            let set = crate::oracle::random_sets::task_set(&mut rng, n, load);
            let problem = Problem::new(&set, sms, policy, &Conflict).unwrap();
            let plan = partition(&problem, &Heuristic::from(HeuristicKind::Sms));
            let Some(found) = sensitivity(&problem, &plan) else {
                assert!(!plan.schedulable);
                continue;
            };
            plans += 1;
            assert_eq!(found.free_sms, sms - plan.sms_used);
            assert_eq!(found.partitions.len(), plan.partitions.len());
            for (partition, slack) in plan.partitions.iter().zip(&found.partitions) {
                let least = partition.sms - slack.spare_sms;
                assert!(
                    problem.accepts(&partition.tasks, least),
                    "{policy}: {partition:?} on {least} SMs"
                );
                assert!(
                    (1..least).all(|sms| !problem.accepts(&partition.tasks, sms)),
                    "{policy}: {partition:?}"
                );
                let demands = problem.demands(&partition.tasks, partition.sms).unwrap();
                for (position, task) in slack.tasks.iter().enumerate() {
                    assert_eq!(task.task, partition.tasks[position]);
                    let passes = |permille| {
                        let mut changed = demands.clone();
                        changed[position] = scaled(demands[position], permille);
                        schedulability::test(policy, &changed, partition.sms).schedulable
                    };
                    let edge = task.wcet_scaling_permille;
                    assert!(passes(edge), "{policy}: {edge} for {task:?} in {demands:?}");
                    if edge < LARGEST_SCALING {
                        edges += 1;
                        // every smaller factor passes, so bisection has not missed an earlier limit
                        assert!(
                            (1000..edge)
                                .step_by(((edge - 1000) / 20 + 1) as usize)
                                .all(passes),
                            "{policy}"
                        );
                        assert!(
                            !passes(edge + 1),
                            "{policy}: {} for {task:?} in {demands:?}",
                            edge + 1
                        );
                    }
                }
            }
        }
        assert!(plans > 10 && edges > 20, "{policy}: {plans} plans, {edges} edges");
    }
}

/// A time that grows beyond the longest supported time stays longer than every deadline.
#[test]
fn no_wcet_grows_up_to_the_longest_deadline_only() {
    let half = Time::LIMIT.ns() / 2;
    let json = format!(
        r#"{{"tasks":[{{"period":{0},"deadline":{0},"wcet":{{"table":[[1,{half}]]}}}}]}}"#,
        Time::LIMIT.ns()
    );
    let set: TaskSet = serde_json::from_str(&json).unwrap();
    for policy in [Policy::Edf, Policy::NpEdf, "rm".parse().unwrap(), Policy::Density] {
        let problem = Problem::new(&set, 1, policy, &Conflict).unwrap();
        let plan = partition(&problem, &HeuristicKind::OneGpu.into());
        let found = sensitivity(&problem, &plan).unwrap();
        assert_eq!(
            found.partitions[0].tasks[0].wcet_scaling_permille, 2000,
            "{policy}"
        );
    }
}
