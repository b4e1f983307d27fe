//! `gap`: the search stops when its plan fits and lies within the gap of the bound, and its statements still hold.

use gpusched::generation::{Recipe, Source, WcetModel};
use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::EndedBy;
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::{HeuristicKind, Options, Problem, partition};
use gpusched::verification::verify;

const SMS: u32 = 16;

/// Returns task sets for which some plans exceed the bound for part of the search.
fn sets() -> Vec<TaskSet> {
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let draw = |(point, load)| {
        let source = Source::new(&recipe, 14, load, 11).unwrap();
        (0..10).map(move |index| source.draw(point, index).unwrap())
    };
    [(0, 9.0), (1, 11.0), (2, 13.0)]
        .into_iter()
        .flat_map(draw)
        .collect()
}

fn plan(set: &TaskSet, kind: HeuristicKind, gap: u32) -> Plan {
    let problem = Problem::new(set, SMS, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let options = Options {
        gap: Some(gap),
        search_effort: Some(300_000),
        ..Options::default()
    };
    let mut plan = partition(&problem, &kind.with(&options).unwrap());
    plan.stats.search_ns = 0;
    plan
}

/// Returns the work of the search in the unit of the search effort.
fn cost(plan: &Plan) -> u64 {
    plan.stats.merges_tested + plan.stats.other_work
}

#[test]
fn the_search_ends_when_it_is_near_enough() {
    let (mut earlier, mut worse, mut through) = (0, 0, 0);
    for (index, set) in sets().iter().enumerate() {
        for kind in [HeuristicKind::Optimal, HeuristicKind::Auto] {
            let exact = plan(set, kind, 0);
            for gap in 0..4 {
                let what = format!("set {index}, {kind}, gap {gap}");
                let near = plan(set, kind, gap);
                verify(&near, set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
                assert_eq!(near, plan(set, kind, gap), "{what}");
                let Some(bound) = &near.bound else {
                    assert_eq!(near, exact, "{what}");
                    continue;
                };
                // If the gap is not reached, the search stops at the limit on its effort or when
                // no candidates remain. The plan states a stop at the limit.
                let ended = near.stats.ended_by == Some(EndedBy::Budget);
                let near_enough = near.sms_used - bound.sms <= gap && (near.schedulable || bound.sms > SMS);
                assert!(!(ended && near_enough), "{what}: {near:?}");
                assert!(near_enough || near.stats.ended_by.is_some(), "{what}: {near:?}");
                through += usize::from(near_enough);
                assert!(cost(&near) <= cost(&exact), "{what}: {} tests", cost(&near));
                assert!(near.schedulable || !exact.schedulable || ended, "{what}");
                earlier += usize::from(cost(&near) < cost(&exact));
                worse += usize::from(near.sms_used > exact.sms_used);
            }
        }
    }
    assert!(
        earlier > 5 && worse > 0 && through > 20,
        "{earlier} {worse} {through}"
    );
}

#[test]
fn a_budget_that_ends_the_search_is_named() {
    let sets = sets();
    let ended = |budget: u64| {
        let by = |set: &TaskSet| {
            let problem = Problem::new(set, SMS, Policy::Edf, model_of(Interference::Conflict)).unwrap();
            let options = Options {
                search_effort: Some(budget),
                ..Options::default()
            };
            let plan = partition(&problem, &HeuristicKind::Optimal.with(&options).unwrap());
            if let Some(by) = plan.stats.ended_by {
                let bound = plan.bound.as_ref().unwrap();
                assert!(by == EndedBy::Budget && plan.sms_used > bound.sms);
                assert!(cost(&plan) >= budget, "{}", cost(&plan));
            }
            plan.stats.ended_by.is_some()
        };
        sets.iter().filter(|set| by(set)).count()
    };
    let (little, much) = (ended(2_000), ended(2_000_000));
    assert!(little > much, "{little} {much}");
}

/// With equal tasks, very many candidate partitions have equal prices.
#[test]
fn a_search_that_is_not_through_says_so() {
    for tasks in [25, 45] {
        let task = r#"{"period":"10ms","wcet":{"amdahl":{"work":"8ms","serial":0,"conflict":1}}}"#;
        let text = format!(r#"{{"tasks":[{}]}}"#, vec![task; tasks].join(","));
        let set: TaskSet = serde_json::from_str(&text).unwrap();
        let problem = Problem::new(&set, 68, Policy::Edf, model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        verify(&plan, &set).unwrap();
        let bound = plan.bound.as_ref().unwrap();
        assert_eq!(bound.sms, 4 * tasks as u32 / 5, "0.8 SMs each");
        let open = plan.sms_used > bound.sms;
        assert_eq!(open, plan.stats.ended_by.is_some(), "{tasks} tasks: {plan:?}");
    }
}
