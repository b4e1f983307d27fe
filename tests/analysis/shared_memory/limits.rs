//! All searches with traffic share one time limit, and plans of a stopped search are still correct.

use std::time::Duration;

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::{Plan, Policy};
use gpusched::partitioning::{HeuristicKind, Options, Problem, partition};
use gpusched::verification::verify;

use crate::shared_memory::plans::{SMS, draw, memory};
use crate::shared_memory::rng;

#[test]
fn no_time_means_little_work_and_honest_plans() {
    let mut rng = rng(23);
    let (mut hurried, mut patient) = (0, 0);
    for round in 0..60 {
        let (set, memory) = (draw(&mut rng), memory(&mut rng));
        let problem = Problem::new(&set, SMS, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let kind = [HeuristicKind::Auto, HeuristicKind::Optimal][round % 2];
        let within = |time_limit| Options {
            search_effort: Some(2_000),
            time_limit,
            ..Options::default()
        };
        let limits = [Some(Duration::ZERO), None];
        let plans = limits.map(|limit| partition(&problem, &kind.with(&within(limit)).unwrap()));
        for plan in &plans {
            verify(plan, &set).unwrap_or_else(|fault| panic!("{fault}: {plan:?}"));
        }
        let work = |plan: &Plan| plan.stats.merges_tested + plan.stats.other_work;
        hurried += work(&plans[0]);
        patient += work(&plans[1]);
    }
    assert!(10 * hurried < patient, "{hurried} {patient}");
}
