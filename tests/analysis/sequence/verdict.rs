//! A system that is schedulable by analysis misses no deadline.

use gpusched::simulator::regulation::AccessPattern;
use rand::RngExt;
use serde_json::Value;

use crate::kernel_wcet::random;
use crate::sequence::cases::Case;
use crate::support::rounds;
use crate::support::run_with;

/// 500 random systems, each in three runs under all policies.
#[test]
fn schedulable_systems_miss_nothing() {
    let mut rng = random::rng(65);
    let (mut accepted, mut missing) = (0, 0);
    for index in 0..rounds(500) {
        let case = Case::new(&mut rng, 65, index, &AccessPattern::ALL);
        let json = serde_json::to_string(&case.system).unwrap();
        let pattern = case.setting.pattern;
        let (dispatch, seed) = (case.dispatch, rng.random_range(0..1_000));
        let line = format!(
            "budget sequence - --dispatch {dispatch} --pattern {pattern} --offset random --runs 3 --lead 0ns --process 0 \
             --seed {seed} --format json --quiet"
        );
        let answer = run_with(&line, json.clone());
        let summary: Value =
            serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?} {json}"));
        let policies = summary["policies"].as_array().unwrap();
        let sum = |field: &str| {
            policies
                .iter()
                .map(|policy| policy[field].as_u64().unwrap())
                .sum::<u64>()
        };
        let (missed, late) = (sum("missed_jobs"), sum("late_jobs"));
        assert_eq!((policies.len(), late), (4, 0), "{line} {json}");
        assert_eq!(answer.code, i32::from(missed > 0), "{line} {json}");
        let with_deadline = case.system.kernels().iter().any(|task| task.deadline().is_some());
        let verdict = summary.get("verdict");
        assert_eq!(verdict.is_some(), with_deadline);
        let schedulable = verdict.is_some_and(|verdict| verdict["schedulable"] == true);
        assert!(!schedulable || missed == 0, "{line} {json}");
        accepted += u32::from(schedulable);
        missing += u32::from(missed > 0);
    }
    println!("{accepted} schedulable, {missing} with a miss");
    assert!(
        accepted > rounds(75) && missing > rounds(75),
        "{accepted} {missing}"
    );
}

/// The tests are tight: with nominal WCETs and simultaneous releases, every rejected system misses a deadline.
#[test]
fn verdicts_are_tight() {
    let kernel =
        r#"{"active_blocks":1,"regulation_period":"7us","clusters":[{"blocks":1,"e0":"10us","e1":"10us"}]}"#;
    for (dispatch, least) in [
        // Three kernels of 10 µs: the last kernel ends at 30 µs.
        ("fifo", 30),
        ("np-edf", 30),
        ("np-fp", 30),
        ("np-fp-rm", 30),
        ("np-fp-given", 30),
    ] {
        for deadline in [least, least - 1] {
            let task = format!(r#"{{"kernel":{kernel},"q":0.1,"period":"60us","deadline":"{deadline}us"}}"#);
            let system = format!(r#"{{"kernels":[{task},{task},{task}]}}"#);
            let line = format!("budget sequence - --dispatch {dispatch} --lead 0ns --format json");
            let answer = run_with(&line, system);
            let summary: Value = serde_json::from_str(&answer.stdout).unwrap();
            assert_eq!(
                summary["verdict"]["schedulable"],
                deadline == least,
                "{dispatch} {deadline}"
            );
            assert_eq!(summary["verdict"]["strength"], "sufficient");
            assert_eq!(answer.code, i32::from(deadline != least));
            assert_eq!(
                summary["policies"][3]["missed_jobs"],
                u32::from(deadline != least)
            );
        }
    }
}
