//! Guarantee: `verify` compares each statement of an end-to-end verdict.

use gpusched::model::Interference;
use gpusched::model::end_to_end::{Answer, System};
use gpusched::verification::verify_system;
use serde_json::Value;

/// Once, `verify` did not compare `if_violated`, the text of an assumption, the method of a chain, and which of several
/// segments is the costliest.
#[test]
fn each_statement_of_a_verdict_is_compared() {
    let draft = super::draft(include_str!("changed.system.json"));
    let system = System::new(&draft, Interference::None).unwrap();
    let answer: Answer = serde_json::from_str(include_str!("changed.verdict.json")).unwrap();
    assert_eq!(verify_system(&answer, &system).err(), None);
    let refused = |field: &str, value: Value| {
        let mut changed = serde_json::to_value(&answer).unwrap();
        let pointer = format!("/{}", field.replace(['.', '['], "/").replace(']', ""));
        *changed.pointer_mut(&pointer).unwrap() = value;
        let changed: Answer = serde_json::from_value(changed).unwrap();
        let fault = verify_system(&changed, &system).unwrap_err();
        assert_eq!(fault.field, field, "{fault}");
        fault.message
    };
    refused("assumptions[12].if_violated", "pessimistic".into());
    let told = refused("assumptions[12].text", "Anything goes.".into());
    assert!(told.contains("write it again"), "{told}");
    refused("chains[0].method", "durr".into());
    refused("chains[1].method", "davare".into());
    refused("tasks[0].costliest_segment", 2.into());
    refused("tasks[0].costliest_segment", Value::Null);
    refused("chains[1].age_ns", 54.into());
    refused("chains[1].age_ns", Value::Null);
    refused("evidence.bounds[0].ends_ns[0]", 12.into());
    let mut short = answer.clone();
    short.assumptions.iter_mut().for_each(|one| one.text = None);
    assert_eq!(
        verify_system(&short, &system).err(),
        None,
        "results for several sets omit the texts"
    );
    short.assumptions.swap(0, 1);
    assert_eq!(
        verify_system(&short, &system).unwrap_err().field,
        "assumptions[0].id"
    );
}
