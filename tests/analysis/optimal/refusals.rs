//! Bounds that contradict every plan, and bounds that `verify` leaves open.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::LowerBound;
use gpusched::model::{Arbitration, Bandwidth, Plan, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::verification::{Effort, Unchecked, verify, verify_with};

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
    let problem = Problem::new(set, 4, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    partition(&problem, &HeuristicKind::Optimal.into())
}

#[test]
fn partitions_that_share_a_memory_have_the_bound_without_traffic() {
    let set = two_tasks();
    let memory = SharedMemory::new(Bandwidth::new(1_000_000_000).unwrap(), Arbitration::Any);
    let problem = Problem::new(&set, 4, Policy::Edf, model_of(Interference::Conflict))
        .unwrap()
        .sharing(memory)
        .unwrap();
    for kind in [HeuristicKind::Optimal, HeuristicKind::Auto] {
        let mut shared = partition(&problem, &kind.into());
        let bound = shared.bound.clone().unwrap();
        assert_eq!(bound.sms, plan(&set).bound.unwrap().sms);
        let verified = verify(&shared, &set).unwrap();
        assert_eq!(verified.bound.unwrap().proven, Some(bound.sms));
        let dearer = bound.prices.iter().map(|price| 3 * price).collect();
        shared.bound = Some(LowerBound {
            sms: 3 * bound.sms,
            prices: dearer,
            ..bound
        });
        assert!(verify(&shared, &set).is_err());
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
    let problem = Problem::new(&set, 4, Policy::NpEdf, model_of(Interference::Conflict)).unwrap();
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

/// Returns `tasks` equal tasks; five tasks fit on an SM. Each price is twice the work of the task, and the plan puts
/// each task on its own SM.
fn alike(tasks: usize, bound: u32) -> (TaskSet, Plan) {
    let task = r#"{"period":"1s","deadline":"500ms","kind":"compute","wcet":{"amdahl":{"work":"100ms","serial":0,"conflict":1}}}"#;
    let set = set(&vec![task; tasks].join(","));
    let sms = u32::try_from(tasks).unwrap();
    let problem = Problem::new(&set, sms, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let mut plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    plan.bound = Some(gpusched::model::plan::LowerBound {
        sms: bound,
        proof: gpusched::model::plan::Proof::Prices,
        prices: vec![200_000; tasks],
    });
    (set, plan)
}

/// For 200 tasks, an effort of 50,000 does not cover all candidate partitions. For 60 tasks, the
/// default effort covers all candidate partitions.
#[test]
fn too_many_groups_are_left_open() {
    let (set, plan) = alike(60, 12);
    let bound = verify(&plan, &set).unwrap().bound.unwrap();
    assert_eq!((bound.proven, bound.unchecked), (Some(12), None));
    let (set, plan) = alike(200, 40);
    // The watcher receives increasing numbers up to the limit.
    let told = std::cell::RefCell::new(Vec::new());
    let effort = Effort {
        groups: 50_000,
        watch: &|groups| told.borrow_mut().push(groups),
    };
    let bound = verify_with(&plan, &set, &effort).unwrap().bound.unwrap();
    assert_eq!((bound.proven, bound.unchecked), (None, Some(Unchecked::Groups)));
    let told = told.into_inner();
    assert!(
        told.len() >= 4 && told.is_sorted() && told.last() <= Some(&50_000),
        "{told:?}"
    );
}

/// The smallest sufficient effort confirms a bound, and an effort smaller by one does not.
#[test]
fn an_effort_is_enough_or_not() {
    let (set, plan) = alike(12, 3);
    let proven = |groups: u64| {
        let effort = Effort {
            groups,
            ..Effort::default()
        };
        let bound = verify_with(&plan, &set, &effort).unwrap().bound.unwrap();
        assert_eq!(
            bound.unchecked,
            bound.proven.is_none().then_some(Unchecked::Groups)
        );
        bound.proven
    };
    let (mut little, mut much) = (1, 1_000_000);
    assert_eq!((proven(little), proven(much)), (None, Some(3)));
    while much - little > 1 {
        let middle = little.midpoint(much);
        match proven(middle) {
            None => little = middle,
            Some(_) => much = middle,
        }
    }
    assert!(much > 100, "{much}");
    for more in [0, 1, 7, 100] {
        assert_eq!((proven(little - more), proven(much + more)), (None, Some(3)));
    }
}

/// Two of three tasks fit on the two SMs that each task needs, so prices prove three SMs. Every plan has at least four
/// SMs.
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
