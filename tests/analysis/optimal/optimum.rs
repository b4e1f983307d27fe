//! The optimum equals the result of exhaustive search.

use gpusched::interference::model_of;
use gpusched::model::Plan;
use gpusched::model::plan::{Failure, Proof, UNITS_PER_SM};
use gpusched::partitioning::{HeuristicKind, Objective, Options, Problem, partition};
use gpusched::verification::verify;

use super::exhaustive::{fewest, sizes};
use super::searches::searches;
use super::{Case, POLICIES, case};
use crate::oracle;
use crate::support::rounds;

fn check_bound(plan: &Plan, fewest: u32, what: &str) {
    let bound = plan.bound.as_ref().unwrap_or_else(|| panic!("no bound: {what}"));
    let by_prices = bound.prices.iter().sum::<u64>().div_ceil(UNITS_PER_SM);
    assert!(by_prices <= u64::from(fewest), "{by_prices} > {fewest}: {what}");
    match bound.proof {
        Proof::Prices => assert_eq!(by_prices.max(1), u64::from(bound.sms), "{what}"),
        Proof::Search => assert!(by_prices < u64::from(bound.sms), "{what}"),
    }
}

#[test]
fn the_optimum_is_that_of_exhaustive_search() {
    let mut rng = oracle::random_sets::rng(21);
    let (mut plans, mut none, mut gaps) = (0, 0, 0);
    let systems = rounds(2_400);
    for round in 0..systems {
        let Case {
            set,
            sms,
            policy,
            interference,
        } = case(
            &mut rng,
            POLICIES[round % POLICIES.len()],
            if round % 8 == 0 { 8 } else { 6 },
        );
        let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
        let sizes = sizes(&problem, set.tasks().len());
        let fewest = fewest(&sizes);
        let what = format!(
            "{policy} {interference:?} on {sms}: {}",
            serde_json::to_string(&set).unwrap()
        );
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        let feasible = partition(
            &problem,
            &HeuristicKind::Optimal
                .with(&Options {
                    objective: Some(Objective::Feasible),
                    ..Options::default()
                })
                .unwrap(),
        );
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        verify(&feasible, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        assert_eq!(
            feasible.schedulable,
            fewest.is_some_and(|fewest| fewest <= sms),
            "{what}"
        );
        assert_eq!(plan.schedulable, feasible.schedulable, "{what}");
        if matches!(
            plan.failure,
            Some(Failure::TaskDoesNotFit { .. } | Failure::WcetUnknown { .. } | Failure::WorkExceedsGpu)
        ) {
            none += 1;
            continue;
        }
        // Each candidate partition fits on the GPU. Whether all partitions fit together depends on the plan.
        let fewest = fewest.unwrap_or_else(|| panic!("a task does not fit: {what}"));
        assert_eq!(plan.sms_used, fewest, "{what}");
        check_bound(&plan, fewest, &what);
        let bound = plan.bound.as_ref().unwrap();
        assert_eq!(bound.sms, fewest, "{what}");
        if !feasible.schedulable {
            assert_eq!(feasible.failure, Some(Failure::BoundExceedsGpu), "{what}");
        }
        plans += 1;
        for heuristic in searches() {
            let other = partition(&problem, &heuristic);
            let placed: usize = other.partitions.iter().map(|p| p.tasks.len()).sum();
            if placed == set.tasks().len() {
                gaps += usize::from(other.sms_used > fewest);
                assert!(other.sms_used >= fewest, "{heuristic:?}: {what}");
                assert_eq!(other.schedulable, other.sms_used <= sms, "{heuristic:?}: {what}");
            }
            verify(&other, &set).unwrap_or_else(|fault| panic!("{heuristic:?}: {fault}: {what}"));
        }
    }
    assert!(
        plans * 6 >= systems * 5 && none > rounds(20) && gaps > rounds(100),
        "{plans} of {systems}, {none} {gaps}"
    );
    eprintln!("{plans} optima and {none} systems without a plan, all equal to exhaustive search");
}
