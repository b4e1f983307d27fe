//! The default search effort.

use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::model::Policy;
use gpusched::partitioning::{
    AUTO_BUDGET, AUTO_LIMIT, HeuristicKind, OPTIMAL_BUDGET, Options, Problem, default_budget, partition,
};

#[test]
fn that_of_auto_grows_beyond_fifty_tasks_and_not_beyond_that_of_optimal() {
    let auto = |tasks| default_budget(HeuristicKind::Auto, tasks, false);
    assert_eq!([0, 1, 49, 50].map(auto), [AUTO_BUDGET; 4]);
    assert_eq!(auto(100), 16 * AUTO_BUDGET);
    assert!(auto(132) < AUTO_LIMIT);
    assert_eq!([133, 200, usize::MAX].map(auto), [AUTO_LIMIT; 3]);
}

#[test]
fn beside_traffic_all_have_the_least() {
    for kind in [HeuristicKind::Auto, HeuristicKind::Optimal, HeuristicKind::Sms] {
        assert_eq!(default_budget(kind, 200, true), AUTO_BUDGET);
    }
    assert_eq!(default_budget(HeuristicKind::Optimal, 200, false), OPTIMAL_BUDGET);
}

/// This search tests more than 10,000 merges, so a much smaller default would change its plan or its statistics.
#[test]
fn a_search_without_a_stated_effort_has_the_default_effort() {
    let set = Source::new(&Recipe::default(), 50, 20.0, 77)
        .unwrap()
        .draw(0, 0)
        .unwrap();
    let problem = Problem::new(&set, 60, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let plan = |search_effort| {
        let options = Options {
            search_effort,
            ..Options::default()
        };
        let mut plan = partition(&problem, &HeuristicKind::Auto.with(&options).unwrap());
        plan.stats.search_ns = 0;
        plan
    };
    let default = plan(None);
    assert_eq!(
        default,
        plan(Some(default_budget(HeuristicKind::Auto, 50, false)))
    );
    assert!(default.stats.merges_tested > 10_000 && default.stats.ended_by.is_none());
    assert_ne!(default, plan(Some(10_000)));
}
