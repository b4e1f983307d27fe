//! The WATERS 2019 challenge: all expected bounds, to the nanosecond.

use gpusched::Time;
use gpusched::end_to_end::{Gpu, Search, analyze, plan};
use gpusched::model::Interference;
use gpusched::partitioning::HeuristicKind;
use gpusched::simulator::end_to_end::{Drawn, Extent, Observed, Pattern, Simulator};
use gpusched::verification::verify_system;
use serde_json::Value;

use super::{draft, system};
use crate::support::root;

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("tasksets/end_to_end/waters2019-{name}.json"))).unwrap()
}

/// Returns the bound `name` of an independent prototype. If one window over several segments gives a smaller bound, returns the
/// value `sharper`.
fn bound(expected: &Value, name: &str, sharper: &str) -> Option<u64> {
    let (prototype, window) = (expected[name].as_u64(), expected[sharper].as_u64());
    assert!(window.is_none() || window < prototype, "{expected}");
    window.or(prototype)
}

#[test]
fn all_bounds_are_as_expected() {
    let expected: Value = serde_json::from_str(&read("expected")).unwrap();
    let systems = expected.as_object().unwrap();
    assert_eq!(systems.len(), 12);
    for (name, expected) in systems {
        let system = system(&read(name));
        let answer = analyze(&system);
        verify_system(&answer, &system).unwrap();
        for task in &answer.tasks {
            let expected = &expected["tasks"][&task.name];
            assert_eq!(
                task.bound_ns.map(Time::ns),
                bound(expected, "bound_ns", "window_ns"),
                "{name}: {}",
                task.name
            );
            assert_eq!(task.meets, expected["meets"], "{name}: {}", task.name);
        }
        let mut chains = 0;
        for chain in &answer.chains {
            let expected = &expected["chains"][&chain.name];
            let ns = |time: Option<Time>| time.map(Time::ns);
            assert_eq!(
                ns(chain.reaction_ns),
                bound(expected, "davare_ns", "window_davare_ns"),
                "{name}: {}",
                chain.name
            );
            assert_eq!(
                ns(chain.age_ns),
                bound(expected, "reduced_age_ns", "window_age_ns"),
                "{name}: {}",
                chain.name
            );
            chains += usize::from(chain.reaction_ns.is_some());
        }
        assert_eq!(chains, expected["chains"].as_object().unwrap().len(), "{name}");
    }
}

/// Simulated over one hyperperiod of 13.2 s, the divided system attains seven bounds and exceeds none.
#[test]
fn simulated_times_are_as_expected() {
    let expected: Value = serde_json::from_str(&read("expected")).unwrap();
    for name in ["iii-alt-fp", "iii-alt-fp-avg", "iii-alt-fp-suspend"] {
        let system = system(&read(name));
        let runs = Pattern::default().runs(&system, (1, 0));
        let mut source = Drawn::new(&system, &runs, (1, 0)).unwrap();
        let mut observed = Observed::new(&system);
        let end = Extent::before("13200ms".parse().unwrap());
        Simulator::new(&system, None)
            .unwrap()
            .run(&mut source, end, &mut observed)
            .unwrap();
        for (task, observed) in system.tasks().iter().zip(&observed.tasks) {
            let expected = &expected[name]["tasks"][&task.name]["simulated_ns"];
            assert_eq!(
                Some(observed.response.ns()),
                expected.as_u64(),
                "{name}: {}",
                task.name
            );
        }
    }
}

/// Only one division of the kernels meets all deadlines: Lane_Detection and Localization on CPU cores.
#[test]
fn the_only_division_is_found() {
    let draft = draft(&read("alternatives"));
    let search = |alternatives| Search {
        heuristic: HeuristicKind::Optimal,
        environment: Interference::Conflict.into(),
        alternatives,
        tests: 100_000,
    };
    let gpu = Gpu { sms: 2, offer: None };
    let found = plan(&draft, gpu, search(true)).unwrap();
    assert!(found.schedulable && found.proven && found.sms_used == 2);
    let moved: Vec<&str> = { draft.tasks.iter().zip(found.alternatives.as_ref().unwrap()) }
        .filter(|(_, choice)| **choice > 0)
        .map(|(task, _)| task.name.as_str())
        .collect();
    assert_eq!(moved, ["Lane_Detection", "Localization"]);
    let none = plan(&draft, gpu, search(false)).unwrap();
    assert!(!none.schedulable && none.proven);
}
