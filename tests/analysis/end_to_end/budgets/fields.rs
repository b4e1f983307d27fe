//! Invalid and missing fields of systems with budgets.

use gpusched::end_to_end::analyze_draft;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;

/// Returns the error of the system with these budgets and this segment; empty if it is valid.
fn error(budgets: &str, segment: &str) -> String {
    let text = format!(
        r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"copy_engines":[{{"name":"copy","policy":"fifo","bandwidth":"1GB/s"}}],
        "partitions":[{{"name":"gpu","sms":2,"policy":"np-fp"}}]{budgets},
        "tasks":[{{"name":"t","period":1000,"segments":[{segment}]}}]}}"#
    );
    let result = Draft::from_json(&text).map_err(|(_, refusal)| refusal);
    let result = result.and_then(|draft| analyze_draft(&draft, Interference::Conflict.into()));
    result
        .err()
        .map(|refusal| refusal.to_string())
        .unwrap_or_default()
}

#[test]
fn each_fault_names_its_field() {
    let (one, cpu) = (
        r#","budgets":{"regulation_period":10,"q":0.5}"#,
        r#"{"on":"cpu","wcet":2,"e1":3}"#,
    );
    let profile = r#""profile":{"blocks_per_sm":1,"clusters":[{"blocks":1,"e0":1,"e1":2}]}"#;
    assert_eq!(error(one, cpu), "");
    let budgets = |text: &str| format!(r#","budgets":{{"regulation_period":10{text}}}"#);
    let cases = [
        ("", cpu.to_owned(), "tasks[0].segments[0].e1: "),
        (&budgets(""), cpu.to_owned(), "budgets.q: found no budget"),
        (&budgets(r#","q":1.5"#), cpu.to_owned(), "budgets.q: found 1.5"),
        (
            &budgets(r#","q":0.5,"by_kind":{}"#),
            cpu.to_owned(),
            "budgets.by_kind: ",
        ),
        (
            &budgets(r#","by_kind":{"copy":0.5}"#),
            cpu.to_owned(),
            "budgets.by_kind.cpu: found no budget",
        ),
        (
            &budgets(r#","by_task":{}"#),
            cpu.to_owned(),
            "budgets.by_task.t: found no budget",
        ),
        (
            &budgets(r#","by_task":{"t":0.5,"u":0.5}"#),
            cpu.to_owned(),
            "budgets.by_task.u: ",
        ),
        (
            r#","budgets":{"regulation_period":"2s","q":0.5}"#,
            cpu.to_owned(),
            "budgets.regulation_period: ",
        ),
        (
            one,
            r#"{"on":"cpu","wcet":2}"#.to_owned(),
            "tasks[0].segments[0].e1: found no memory time",
        ),
        (
            one,
            r#"{"on":"copy","bytes":5}"#.to_owned(),
            "tasks[0].segments[0].e1: found no memory time",
        ),
        (
            one,
            r#"{"on":"cpu","wcet":2,"e1":1}"#.to_owned(),
            "tasks[0].segments[0].e1: found 1ns",
        ),
        (
            one,
            r#"{"on":"cpu","wcet":2,"e1":4,"delay_rate":0.4}"#.to_owned(),
            "tasks[0].segments[0].delay_rate: found 0.4",
        ),
        (
            one,
            r#"{"on":"cpu","wcet":2,"e1":4,"delay_rate":0}"#.to_owned(),
            "tasks[0].segments[0].delay_rate: found 0",
        ),
        (
            one,
            format!(r#"{{"on":"cpu",{profile}}}"#),
            "tasks[0].segments[0].profile: ",
        ),
        (
            one,
            format!(r#"{{"on":"gpu","wcet":3,{profile}}}"#),
            "tasks[0].segments[0].wcet: ",
        ),
        (
            one,
            r#"{"on":"gpu","wcet":{"amdahl":{"work":9,"serial":0.1}},"e1":9}"#.to_owned(),
            "tasks[0].segments[0].wcet: found a function",
        ),
    ];
    for (budgets, segment, expected) in cases {
        let found = error(budgets, &segment);
        assert!(found.starts_with(expected), "{budgets} {segment}: {found}");
    }
    assert_eq!(error(one, &format!(r#"{{"on":"gpu",{profile}}}"#)), "");
}

#[test]
fn a_plain_system_never_ignores_budgets() {
    let draft = super::random(1, true);
    let found = System::new(&draft, Interference::Conflict).unwrap_err();
    assert!(found.to_string().starts_with("budgets: "), "{found}");
}
