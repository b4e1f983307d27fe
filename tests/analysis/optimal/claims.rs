//! `verify` refuses a bound that contradicts its own dual prices.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::{LowerBound, Proof};
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::verification::verify;

/// Returns a plan of three tasks on 6 SMs. Each task needs two SMs and each pair of tasks needs three SMs. The prices
/// prove a bound of 5.
fn plan() -> (TaskSet, Plan) {
    let task = r#"{"period":"10ms","wcet":{"table":[[1,"21ms"],[2,"9ms"]]}}"#;
    let set: TaskSet = serde_json::from_str(&format!(r#"{{"tasks":[{task},{task},{task}]}}"#)).unwrap();
    let problem = Problem::new(&set, 8, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let mut plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    assert_eq!(plan.sms_used, 6);
    plan.bound = Some(LowerBound {
        sms: 5,
        proof: Proof::Prices,
        prices: vec![1_500_000; 3],
    });
    (set, plan)
}

/// The error for a bound that contradicts its own proof states the correct value.
#[test]
fn bounds_that_contradict_themselves_are_explained() {
    for (sms, proof, prices, expected) in [
        (
            6,
            Proof::Prices,
            1_500_000,
            "bound.sms: found 6 by dual prices, expected 5, the sum of the dual prices",
        ),
        (
            4,
            Proof::Search,
            1_500_000,
            "bound.sms: found 4 by search, expected more than 5",
        ),
        (
            5,
            Proof::Search,
            1_500_000,
            "bound.proof: found `search`, expected `prices`, because the dual prices already prove the bound of 5 SMs",
        ),
        (
            3,
            Proof::Prices,
            0,
            "bound.sms: found 3 by dual prices, expected 1, the minimum for every plan",
        ),
    ] {
        let (set, mut plan) = plan();
        plan.bound = Some(LowerBound {
            sms,
            proof,
            prices: vec![prices; 3],
        });
        let fault = verify(&plan, &set).unwrap_err().to_string();
        assert!(fault.starts_with(expected), "{fault}");
    }
}
