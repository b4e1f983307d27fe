//! Promise: `test`, `partition`, `simulate tasks` and `verify` read end-to-end systems, and refuse what they cannot use.
#![cfg(feature = "cli")]

use serde_json::Value;

use crate::support::checkout::Checkout;
use crate::support::transcript::refusals;
use crate::support::{run, run_with};

const SYSTEM: &str = "tasksets/end_to_end/waters2019-iii-alt-fp-avg.json";

#[test]
fn a_system_is_tested_verified_and_simulated() {
    let folder = Checkout::new();
    let shown = folder.sh(&format!(
        "gpusched test {SYSTEM} --format json -o verdict.json && gpusched verify verdict.json {SYSTEM}"
    ));
    assert_eq!(shown.code, 0, "{}", shown.text);
    assert!(shown.text.starts_with("VERIFIED: "), "{}", shown.text);
    let verdict: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("verdict.json")).unwrap()).unwrap();
    assert_eq!(verdict["schedulable"], true);
    assert_eq!(verdict["response_times_ns"].as_array().unwrap().len(), 10);

    let simulated = run(&format!("simulate tasks {SYSTEM} --format json"));
    assert_eq!(simulated.code, 0);
    let simulated: Value = serde_json::from_str(&simulated.stdout).unwrap();
    for (task, bound) in simulated["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .zip(verdict["response_times_ns"].as_array().unwrap())
    {
        assert_eq!(&task["bound_ns"], bound);
        assert!(task["response_max_ns"].as_u64() <= bound.as_u64());
    }
    // The same system on standard input, and with its WCETs scaled.
    let text = std::fs::read_to_string(crate::support::root().join(SYSTEM)).unwrap();
    let again = run_with("test - --format json --sensitivity", text);
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(again["evidence"], verdict["evidence"]);
    assert!(again["sensitivity"]["all_permille"].as_u64() >= Some(1000));
}

#[test]
fn a_plan_is_verified() {
    let folder = Checkout::new();
    let file = "tasksets/end_to_end/waters2019-alternatives.json";
    let shown = folder.sh(&format!(
        "gpusched partition {file} --sms 2 --alternatives --system chosen.json --format json -o plan.json \
         && gpusched verify plan.json {file} --sms 2 && gpusched test chosen.json -q && gpusched simulate tasks chosen.json --gantt run.svg"
    ));
    assert_eq!(shown.code, 0, "{}", shown.text);
    let plan = std::fs::read_to_string(folder.path("plan.json")).unwrap();
    for (old, new) in [
        ("\"sms_used\":2", "\"sms_used\":1"),
        ("\"sms\":2,\"tasks\"", "\"sms\":1,\"tasks\""),
        ("{\"schedulable\":true", "{\"schedulable\":false"),
        ("\"period\":33000000", "\"period\":34000000"),
    ] {
        let wrong = plan.replacen(old, new, 1);
        assert_ne!(wrong, plan, "{old}");
        std::fs::write(folder.path("wrong.json"), wrong).unwrap();
        assert_ne!(
            folder.sh(&format!("gpusched verify wrong.json {file}")).code,
            0,
            "{old}"
        );
    }
}

#[test]
fn what_has_no_effect_is_refused() {
    let told = refusals(
        [
            format!("test {SYSTEM} --sms 2"),
            format!("test {SYSTEM} --policy dm"),
            format!("test {SYSTEM} --interference bandwidth"),
            format!("test {SYSTEM} --enforce"),
            "test tasksets/tasksets/adas.json --sms 4 --enforce".to_owned(),
            "test tasksets/tasksets/adas.json --sms 4 --sensitivity".to_owned(),
            "partition tasksets/tasksets/adas.json --sms 4 --alternatives".to_owned(),
            format!("partition {SYSTEM}"),
            format!("partition {SYSTEM} --sms 2 --heuristic ffd"),
            format!("partition {SYSTEM} --sms 2 --improve"),
            format!("simulate tasks {SYSTEM} --policy dm"),
            format!("simulate tasks {SYSTEM} --interference bandwidth"),
            format!("verify {SYSTEM} {SYSTEM}"),
            "test tasksets/end_to_end/waters2019-alternatives.json".to_owned(),
        ]
        .iter()
        .map(String::as_str),
    );
    insta::assert_snapshot!(told);
}

/// A plan on a shared memory is verified under its own assumptions only.
#[test]
fn a_plan_counts_the_shared_memory() {
    let folder = Checkout::new();
    let system = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","policy":"fp"}],"tasks":[
        {"name":"a","period":"20ms","wait":"suspend","segments":[{"on":"cpu","wcet":"1ms","traffic":"2MB"},
            {"on":"gpu","wcet":{"amdahl":{"work":"40ms","serial":0.1}},"traffic":"50MB"}]},
        {"name":"b","period":"20ms","segments":[{"on":"cpu","wcet":"2ms","traffic":"1MB"}]}]}"#;
    std::fs::write(folder.path("s.json"), system).unwrap();
    let plan = |options: &str| -> u64 {
        let shown = folder.sh(&format!(
            "gpusched partition s.json --sms 16 {options} --format json -o plan.json"
        ));
        assert_eq!(shown.code, 0, "{}", shown.text);
        let plan: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.path("plan.json")).unwrap()).unwrap();
        plan["sms_used"].as_u64().unwrap()
    };
    let alone = plan("");
    let memory = "--interference conflict+bandwidth --memory-bandwidth 10GB/s";
    let shown = folder.sh(&format!("gpusched verify plan.json s.json {memory}"));
    assert_eq!(shown.code, 1, "{}", shown.text);
    let shared = plan(memory);
    assert!(shared > alone, "{shared} > {alone}");
    let shown = folder.sh(&format!("gpusched verify plan.json s.json {memory}"));
    assert_eq!(shown.code, 0, "{}", shown.text);
    let shown = folder.sh(&format!(
        "gpusched partition s.json --gpu a100 --granularity mig {memory}"
    ));
    assert!(shown.text.contains("MIG divides the memory"), "{}", shown.text);
    assert_eq!(shown.code, 2);
}

#[test]
fn faults_are_at_their_lines() {
    let system = "{\"cores\":[{\"name\":\"cpu\",\"policy\":\"fp\"}],\n\"tasks\":[{\"name\":\"a\",\"period\":1,\n\"segments\":[{\"on\":\"gpu\",\"wcet\":1}]}]}";
    let told = run_with("test -", system.to_owned());
    assert_eq!(told.code, 2);
    assert!(
        told.stderr.contains("-:3: at tasks[0].segments[0].on"),
        "{}",
        told.stderr
    );
    let broken = run_with("test -", system.replace("}]}]}", "}]}}"));
    assert!(broken.stderr.contains("-:3:"), "{}", broken.stderr);
}

/// Overheads of dispatchers are part of every bound, of the plan and of its check.
#[test]
fn a_plan_counts_the_overheads_of_dispatchers() {
    let folder = Checkout::new();
    let system = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","policy":"np-fp"}],"tasks":[
        {"name":"camera","period":"20ms","deadline":"9ms","wait":"suspend","segments":[
            {"on":"cpu","wcet":"1ms"},{"on":"gpu","wcet":{"affine":{"isolated":{"a":"4ms","b":"1ms"}}}},{"on":"cpu","wcet":"1ms"}]},
        {"name":"radar","period":"40ms","segments":[{"on":"gpu","wcet":"2ms"}]}]}"#;
    std::fs::write(folder.path("system.json"), system).unwrap();
    for (name, occupancy, wake) in [("some", "100us", "50us"), ("more", "200us", "50us")] {
        let text = format!(r#"{{"occupancy_ns":"{occupancy}","wake_ns":"{wake}"}}"#);
        std::fs::write(folder.path(&format!("{name}.json")), text).unwrap();
    }
    let plain = folder.sh("gpusched partition system.json --sms 8 --system sized.json -o plain.json");
    assert_eq!(plain.code, 0, "{}", plain.text);
    let shown = folder.sh(
        "gpusched partition system.json --sms 8 --overheads some.json --format json -o plan.json \
         && gpusched verify plan.json system.json && gpusched verify plan.json system.json --overheads some.json",
    );
    assert_eq!(shown.code, 0, "{}", shown.text);
    assert_eq!(shown.text.matches("VERIFIED: ").count(), 2, "{}", shown.text);
    assert!(
        shown.text.contains("at most 100us beyond its WCET"),
        "{}",
        shown.text
    );
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(folder.path(name)).unwrap()).unwrap()
    };
    let plan = read("plan.json");
    assert_eq!(plan["verdict"]["overheads"]["occupancy_ns"], 100_000);
    let other = folder.sh("gpusched verify plan.json system.json --overheads more.json");
    assert_eq!(other.code, 1, "{}", other.text);
    assert!(
        other
            .text
            .starts_with("WRONG: verdict.overheads: found 100us per job"),
        "{}",
        other.text
    );
    // Claims without overheads, or with smaller ones, are no proof.
    for (old, new) in [
        (r#""overheads":{"occupancy_ns":100000,"wake_ns":50000},"#, ""),
        (r#""occupancy_ns":100000"#, r#""occupancy_ns":90000"#),
    ] {
        let text = std::fs::read_to_string(folder.path("plan.json")).unwrap();
        assert!(text.contains(old), "{text}");
        std::fs::write(folder.path("changed.json"), text.replace(old, new)).unwrap();
        let changed = folder.sh("gpusched verify changed.json system.json");
        assert_eq!(changed.code, 1, "{}", changed.text);
    }
    // camera: 1 ms, 50 us and 100 us of overhead, its kernel, blocking by radar, 1 ms.
    let shown = folder.sh("gpusched test sized.json --overheads some.json");
    assert!(
        shown
            .text
            .contains("with overheads of 100us per job and 50us per wake-up"),
        "{}",
        shown.text
    );
    assert!(!shown.text.contains("1 copy engine"), "{}", shown.text);
    let simulated =
        folder.sh("gpusched simulate tasks sized.json --overheads some.json --format json -o run.json");
    assert!(simulated.code <= 1, "{}", simulated.text);
    for task in read("run.json")["tasks"].as_array().unwrap() {
        assert!(task["response_max_ns"].as_u64() <= task["bound_ns"].as_u64().or(Some(u64::MAX)));
    }
    std::fs::write(folder.path("edf.json"), system.replace("np-fp", "edf")).unwrap();
    for (line, expected) in [
        (
            "test sized.json --overheads some.json --enforce",
            "found 100us per job and 50us per wake-up, expected none with enforced releases",
        ),
        (
            "partition edf.json --sms 8 --overheads some.json",
            "partitions[0].policy: found edf, expected np-edf, np-fp or np-fifo with overheads",
        ),
    ] {
        let refused = folder.sh(&format!("gpusched {line}"));
        assert!(
            refused.code == 2 && refused.text.contains(expected),
            "{}",
            refused.text
        );
    }
}
