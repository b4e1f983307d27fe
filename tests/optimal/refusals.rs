//! Bounds that no plan can have, and bounds that are left open.

use gpusched::interference::Interference;
use gpusched::model::{Arbitration, Bandwidth, Plan, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::verification::{Unchecked, verify};

fn set(tasks: &str) -> TaskSet {
    serde_json::from_str(&format!(r#"{{"tasks":[{tasks}]}}"#)).unwrap()
}

fn two_tasks() -> TaskSet {
    set(
        r#"{"period":"10ms","kind":"compute","wcet":{"amdahl":{"work":"8ms","serial":0,"conflict":1}}},
           {"period":"10ms","kind":"memory","wcet":{"amdahl":{"work":"8ms","serial":0,"conflict":1}}}"#,
    )
}

fn plan(set: &TaskSet) -> Plan {
    let problem = Problem::new(set, 4, Policy::Edf, Interference::Conflict.model()).unwrap();
    partition(&problem, &HeuristicKind::Optimal.into())
}

#[test]
fn partitions_that_share_a_memory_have_no_bound() {
    let set = two_tasks();
    let memory = SharedMemory {
        bandwidth: Bandwidth::new(1_000_000_000).unwrap(),
        arbitration: Arbitration::Any,
    };
    let problem = Problem::new(&set, 4, Policy::Edf, Interference::Conflict.model())
        .unwrap()
        .sharing(memory)
        .unwrap();
    for kind in [HeuristicKind::Optimal, HeuristicKind::Auto] {
        let mut shared = partition(&problem, &kind.into());
        assert_eq!(shared.bound, None);
        assert!(verify(&shared, &set).is_ok());
        shared.bound = plan(&set).bound;
        assert_eq!(verify(&shared, &set).unwrap_err().field, "bound");
    }
}

#[test]
fn plans_under_several_tests_have_no_bound() {
    let set = set(
        r#"{"period":"10ms","kind":"compute","wcet":{"amdahl":{"work":"8ms","serial":0,"conflict":1}}},
           {"period":"10ms","kind":"compute","wcet":{"amdahl":{"work":"18ms","serial":0,"conflict":2}}}"#,
    );
    let mut plan = plan(&set);
    assert!(
        plan.partitions.len() == 2 && verify(&plan, &set).is_ok(),
        "{plan:?}"
    );
    let problem = Problem::new(&set, 4, Policy::NpEdf, Interference::Conflict.model()).unwrap();
    let part = &mut plan.partitions[0];
    part.verdict = problem.verdict(&part.tasks, part.sms);
    assert_eq!(verify(&plan, &set).unwrap_err().field, "partitions");
}

#[test]
fn tables_that_are_known_in_conflict_only_leave_it_open() {
    let set = set(
        r#"{"period":"10ms","wcet":{"table":{"isolated":[[2,"2ms"]],"conflict":[[1,"3ms"],[2,"2ms"]]}}},
           {"period":"10ms","wcet":{"table":{"isolated":[[2,"2ms"]],"conflict":[[1,"3ms"],[2,"2ms"]]}}}"#,
    );
    let plan = plan(&set);
    let bound = verify(&plan, &set).unwrap().bound.unwrap();
    assert_eq!((bound.proven, bound.unchecked), (None, Some(Unchecked::Tables)));
}

/// Sixty tasks alike, of which five fit on an SM, each worth twice its work: too many groups to look at.
#[test]
fn too_many_groups_are_left_open() {
    let task = r#"{"period":"1s","deadline":"500ms","kind":"compute","wcet":{"amdahl":{"work":"100ms","serial":0,"conflict":1}}}"#;
    let set = set(&vec![task; 60].join(","));
    let problem = Problem::new(&set, 68, Policy::Edf, Interference::Conflict.model()).unwrap();
    let mut plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    plan.bound = Some(gpusched::model::plan::LowerBound {
        sms: 12,
        proof: gpusched::model::plan::Proof::Prices,
        prices: vec![200_000; 60],
        highs: None,
    });
    let bound = verify(&plan, &set).unwrap().bound.unwrap();
    assert_eq!((bound.proven, bound.unchecked), (None, Some(Unchecked::Groups)));
}

/// Two of three tasks fit on the two SMs that each needs, so prices prove three SMs; there are no plans with fewer than four.
#[test]
fn what_a_search_adds_to_the_prices_is_left_open() {
    let task = r#"{"period":"10ms","wcet":{"table":[[2,"5ms"]]}}"#;
    let set = set(&[task; 3].join(","));
    let plan = plan(&set);
    let bound = plan.bound.as_ref().unwrap();
    assert_eq!(
        (plan.sms_used, bound.sms, bound.proof),
        (4, 4, gpusched::model::plan::Proof::Search)
    );
    let checked = verify(&plan, &set).unwrap().bound.unwrap();
    assert_eq!(
        (checked.stated, checked.proven, checked.unchecked),
        (4, Some(3), Some(Unchecked::Search))
    );
}
