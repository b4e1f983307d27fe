//! Guarantee: a system counts the execution time of the process that chooses budgets. A longer step never improves a verdict, and a
//! missing process is an error.

use gpusched::end_to_end::analyze_draft;
use gpusched::model::end_to_end::Draft;
use gpusched::model::{Interference, WcetFunction};
use gpusched::time::Time;

use super::{Numbers, PERIOD, random};
use crate::support::rounds;

/// Returns the random system with a task on its core that takes `step` for each budget.
fn with_step(index: u64, step: u64) -> Draft {
    let mut draft = random(index, false);
    let mut numbers = Numbers::new(index);
    let process = format!(
        r#"{{"name":"step","period":{PERIOD},"deadline":{},"segments":[{{"on":"cpu","wcet":1,"e1":{}}}]}}"#,
        2 + numbers.below(PERIOD - 1),
        1 + numbers.below(2)
    );
    let mut process: gpusched::model::end_to_end::TaskDraft = serde_json::from_str(&process).unwrap();
    let segment = &mut process.segments[0];
    segment.wcet = WcetFunction::constant(Time::from_ns(step)).ok();
    segment.e1 = segment.e1.map(|e1| Time::from_ns(e1.ns() + step - 1));
    draft.tasks.push(process);
    // Longer periods, so that the core has time for the process.
    for task in &mut draft.tasks {
        if task.name != "step" {
            task.period = Time::from_ns(task.period.ns() * 8);
        }
    }
    let budgets = draft.budgets.as_mut().unwrap();
    budgets.q = gpusched::model::Factor::from_billionths(200_000_000 * numbers.below(3));
    budgets.policy = Some(gpusched::bandwidth::BudgetPolicy::Greedy);
    budgets.process = Some("step".to_owned());
    draft
}

#[test]
fn a_longer_step_never_improves_a_verdict() {
    let (mut passed, mut failed, mut longer) = (0, 0, 0);
    for index in 0..rounds(5_000) {
        let mut before: Option<(bool, Vec<Option<Time>>)> = None;
        for step in 1..=PERIOD {
            let answer = analyze_draft(&with_step(index, step), Interference::Conflict.into())
                .unwrap()
                .answer;
            let now = (answer.schedulable, answer.response_times_ns.clone());
            if let Some((schedulable, bounds)) = &before {
                assert!(*schedulable || !now.0, "{index} {step}");
                for (shorter, found) in bounds.iter().zip(&now.1) {
                    // No bound counts as infinite.
                    let time = |bound: &Option<Time>| bound.map_or(u64::MAX, Time::ns);
                    assert!(
                        time(shorter) <= time(found),
                        "{index} {step}: {shorter:?} {found:?}"
                    );
                    longer += u32::from(time(shorter) < time(found));
                }
                failed += u32::from(*schedulable && !now.0);
            }
            passed += u32::from(now.0);
            before = Some(now);
        }
    }
    println!("{passed} pass, {failed} fail with a longer step, {longer} longer bounds");
    assert!(passed > rounds(1_000) && failed > rounds(500) && longer > rounds(5_000));
}

/// Returns the error of a system whose budgets and process have these fields; empty if it is valid.
fn error(budgets: &str, process: &str) -> String {
    let text = format!(
        r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":2,"policy":"np-fp"}}],
        "budgets":{{"regulation_period":100,"q":0.5{budgets}}},
        "tasks":[{{"name":"t","period":1000,"segments":[{{"on":"gpu","wcet":20,"e1":30}}]}},
        {{"name":"step",{process}}}]}}"#
    );
    use gpusched::model::reader::Document as _;
    let result = Draft::from_json(&text).map_err(|(_, refusal)| refusal);
    let result = result.and_then(|draft| analyze_draft(&draft, Interference::Conflict.into()));
    let error = result.err().map(|refusal| refusal.to_string());
    error.unwrap_or_default()
}

#[test]
fn the_process_is_a_task_that_chooses_one_budget_per_period() {
    let good = r#""period":100,"deadline":50,"segments":[{"on":"cpu","wcet":2,"e1":3}]"#;
    for valid in [
        "",
        r#","policy":"nominal""#,
        r#","process":"step""#,
        r#","policy":"fair","process":"step""#,
    ] {
        assert_eq!(error(valid, good), "");
    }
    for policy in ["fair", "greedy", "smooth"] {
        let found = error(&format!(r#","policy":"{policy}""#), good);
        let expected = format!("budgets.process: found no task, but the policy `{policy}`");
        assert!(found.starts_with(&expected), "{found}");
    }
    let dynamic = r#","policy":"greedy","process":"step""#;
    let cases = [
        (
            r#","process":"other""#,
            good.to_owned(),
            "budgets.process: found \"other\"",
        ),
        (
            dynamic,
            good.replace("cpu", "gpu"),
            "tasks[1].segments[0].on: found \"gpu\"",
        ),
        (
            dynamic,
            good.replace("}]", r#"},{"on":"cpu","wcet":2,"e1":3}]"#),
            "tasks[1].segments: found 2 segments",
        ),
        (
            dynamic,
            good.replace("100", "101"),
            "tasks[1].period: found 101ns (periodic)",
        ),
        (
            dynamic,
            good.replace("100,", r#"100,"arrivals":"sporadic","#),
            "tasks[1].period: found 100ns (sporadic)",
        ),
        (
            dynamic,
            good.replace("50", "101"),
            "tasks[1].deadline: found 101ns",
        ),
        // The execution time of the step is never 0.
        (dynamic, good.replace(r#""wcet":2,"#, ""), "tasks[1].segments[0]"),
        (
            dynamic,
            good.replace(r#","e1":3"#, ""),
            "tasks[1].segments[0].e1: found no memory time",
        ),
    ];
    for (budgets, process, expected) in cases {
        let found = error(budgets, &process);
        assert!(found.starts_with(expected), "{process}: {found}");
    }
}
