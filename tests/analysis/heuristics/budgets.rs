//! The default search effort.

use gpusched::partitioning::{AUTO_BUDGET, HeuristicKind, OPTIMAL_BUDGET, default_budget};

#[test]
fn that_of_auto_grows_beyond_fifty_tasks_and_not_beyond_that_of_optimal() {
    let auto = |tasks| default_budget(HeuristicKind::Auto, tasks, false);
    assert_eq!([0, 1, 49, 50].map(auto), [AUTO_BUDGET; 4]);
    assert_eq!(auto(100), 16 * AUTO_BUDGET);
    assert!(auto(158) < OPTIMAL_BUDGET);
    assert_eq!([159, 200, usize::MAX].map(auto), [OPTIMAL_BUDGET; 3]);
}

#[test]
fn beside_traffic_all_have_the_least() {
    for kind in [HeuristicKind::Auto, HeuristicKind::Optimal, HeuristicKind::Sms] {
        assert_eq!(default_budget(kind, 200, true), AUTO_BUDGET);
    }
    assert_eq!(default_budget(HeuristicKind::Optimal, 200, false), OPTIMAL_BUDGET);
}
