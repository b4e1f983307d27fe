//! Options that a heuristic uses, and options that a heuristic refuses.

use std::time::Duration;

use gpusched::partitioning::HeuristicKind::{
    Auto, Bf, Ffd, Matching, OneGpu, OnePerPartition, Optimal, Savings, Sms, Wfd,
};
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use gpusched::partitioning::{Heuristic, HeuristicKind, NoEffect, Objective, Options};

use crate::own_plans::HEURISTICS;

/// Returns options that all have a value. Each heuristic uses only some of the options.
fn all() -> Options {
    Options {
        improve: true,
        objective: Some(Objective::Sms),
        search_effort: Some(7),
        time_limit: Some(Duration::from_millis(5)),
        forbidden: Some(Forbidden::Act),
        order: Some(ListOrder::Increasing),
        sms_ties: Some(SmsTies::Position),
        bf_measure: Some(BfMeasure::Demand),
        bf_direction: Some(BfDirection::Descending),
        split: Some(3),
        gap: Some(2),
    }
}

#[test]
fn each_option_has_an_effect_somewhere_and_one_gpu_takes_none() {
    type Set = fn(&mut Options);
    let each: [(&str, Set); 11] = [
        ("improve", |one| one.improve = all().improve),
        ("objective", |one| one.objective = all().objective),
        ("search_effort", |one| one.search_effort = all().search_effort),
        ("time_limit", |one| one.time_limit = all().time_limit),
        ("forbidden", |one| one.forbidden = all().forbidden),
        ("order", |one| one.order = all().order),
        ("sms_ties", |one| one.sms_ties = all().sms_ties),
        ("bf_measure", |one| one.bf_measure = all().bf_measure),
        ("bf_direction", |one| one.bf_direction = all().bf_direction),
        ("split", |one| one.split = all().split),
        ("gap", |one| one.gap = all().gap),
    ];
    for (option, set) in each {
        let mut one = Options::default();
        set(&mut one);
        assert!(HEURISTICS.iter().any(|kind| kind.with(&one).is_ok()), "{option}");
        assert_eq!(OneGpu.with(&one).unwrap_err().option(), option);
    }
    for kind in HEURISTICS {
        assert_eq!(Heuristic::from(kind).kind(), kind);
        assert_eq!(kind.with(&Options::default()), Ok(Heuristic::from(kind)));
        assert!(kind.with(&all()).is_err(), "{kind}");
    }
}

#[test]
fn what_has_no_effect_is_named_with_where_it_would_have_one() {
    let none = Options::default();
    let refused = |kind: HeuristicKind, options: Options| kind.with(&options).unwrap_err();
    let option = |option, with: &[HeuristicKind], or_improve| NoEffect::Option {
        option,
        with: with.to_vec(),
        or_improve,
    };
    let budget = Options {
        search_effort: Some(1),
        ..none
    };
    assert_eq!(
        refused(Sms, budget),
        option("search_effort", &[Auto, Optimal], true)
    );
    assert_eq!(
        refused(OneGpu, budget),
        option("search_effort", &[Auto, Optimal], false)
    );
    let feasible = Options {
        objective: Some(Objective::Feasible),
        ..none
    };
    let aims = [Savings, Matching, Auto, Optimal];
    assert_eq!(refused(Bf, feasible), option("objective", &aims, true));
    let margin = Options {
        objective: Some(Objective::Margin),
        ..none
    };
    for improve in [false, true] {
        let savings = Options { improve, ..margin };
        assert_eq!(
            refused(Savings, savings),
            option("objective", &[Auto, Optimal], false)
        );
    }
    let split = Options {
        split: Some(2),
        improve: true,
        ..none
    };
    assert_eq!(refused(Sms, split), option("split", &[Ffd, Wfd], false));
    let gap = Options { gap: Some(1), ..none };
    assert_eq!(refused(Sms, gap), option("gap", &[Auto, Optimal], false));
    assert_eq!(
        refused(
            Auto,
            Options {
                gap: Some(1),
                ..feasible
            }
        ),
        NoEffect::GapBeside {
            gap: 1,
            objective: Objective::Feasible,
        }
    );
    let after = vec![Sms, Bf, OnePerPartition, Ffd, Wfd, Savings, Matching];
    for kind in [OneGpu, Auto, Optimal] {
        let improve = Options {
            improve: true,
            ..budget
        };
        assert_eq!(refused(kind, improve), NoEffect::Improve { after: after.clone() });
    }
}
