//! `gpusched import examiner`.

use gpusched::model::Scenario;
use gpusched::model::scenario::{BlockTime, Stream};
use gpusched::time::Time;
use serde_json::Value;

use crate::support::{Answer, root, run};

const LOGS: &str = "tasksets/scenarios/examiner/spin-1.json tasksets/scenarios/examiner/spin-2.json";

fn import(options: &str) -> Answer {
    run(&format!("import examiner {LOGS} --gpu k5000 {options}"))
}

#[test]
fn logs_become_a_scenario() {
    let answer = import("");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let scenario: Scenario = serde_json::from_str(&answer.stdout).unwrap();
    let shape = scenario.shape();
    assert_eq!(shape.name.as_deref(), Some("Two spinning kernels (synthetic)"));
    assert_eq!(shape.platform.shape().sms, 8);
    assert!(shape.applications.is_empty(), "one process");
    let [first, second] = shape.kernels.as_slice() else {
        panic!("two kernels");
    };
    assert_eq!(first.name.as_deref(), Some("First: Spin"));
    assert_eq!((first.blocks, first.threads, second.blocks), (16, 1024, 8));
    assert_eq!([first.stream, second.stream], [0, 1].map(Stream::Numbered));
    assert_eq!(
        first.launch,
        Time::from_ns(10_050_000),
        "when the launch returned"
    );
    assert_eq!(second.block_time, BlockTime::Fixed(Time::from_ns(5_000_000)));
    let called: Scenario = serde_json::from_str(&import("--launch called").stdout).unwrap();
    assert_eq!(called.shape().kernels[0].launch, Time::from_ns(10_000_000));
}

#[test]
fn and_are_compared_with_its_simulation() {
    let answer: Value = serde_json::from_str(&import("--compare --format json").stdout).unwrap();
    let schema: Value = serde_json::from_str(&run("schema comparison").stdout).unwrap();
    let errors: Vec<String> = crate::support::schema::validator_for(&schema).errors(&answer);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(answer["blocks"], 24);
    assert_eq!(answer["kernels"][0]["equal"], 16);
    assert_eq!(answer["kernels"][1]["equal_by_load"], 6);
    let differences = answer["differences"].as_array().unwrap();
    assert_eq!(answer["equal"].as_u64().unwrap() as usize, 24 - differences.len());
    let first = &differences[0];
    assert_eq!(
        (&first["kernel"], &first["block"]),
        (&Value::from(1), &Value::from(0))
    );
    assert_eq!(
        (&first["measured_sm"], &first["simulated_sm"]),
        (&Value::from(6), &Value::from(7))
    );
    assert_eq!(first["reason"], "refill-order");
    assert_eq!(
        answer["reasons"]["refill-order"].as_u64().unwrap() as usize,
        differences.len()
    );

    let csv = import("--compare --format csv").stdout;
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 1 + 24);
    assert!(
        rows[17].starts_with("1,Second: Spin,0,6,7,20060700,"),
        "{}",
        rows[17]
    );
    assert!(rows[17].ends_with(",refill-order") && rows[1].ends_with(','));

    let text = import("--compare").stdout;
    for part in [
        "first difference: block 0 of kernel 1",
        "ran on SM 6, but the simulation starts it on SM 7",
        "refill-order: 16 blocks ended within 2us",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_window_decides_what_is_near() {
    let answer: Value = serde_json::from_str(&import("--compare --window 0ns --format json").stdout).unwrap();
    let first = &answer["differences"][0];
    assert_eq!(first["ends_nearby"], 2, "both ended at that instant");
    assert_eq!(first["reason"], "refill-order");
}

#[test]
fn two_processes_are_two_applications() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["spin-1.json", "spin-2.json"] {
        let text = std::fs::read_to_string(root().join("tasksets/scenarios/examiner").join(name)).unwrap();
        let text = text.replace("\"TID\": 102", "\"TID\": 101").replace(
            "\"PID\": 100",
            match name {
                "spin-1.json" => "\"PID\": 100",
                _ => "\"PID\": 200",
            },
        );
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let at = folder.path().display();
    let answer = run(&format!(
        "import examiner {at}/spin-1.json {at}/spin-2.json --gpu k5000"
    ));
    let scenario: Scenario = serde_json::from_str(&answer.stdout).unwrap();
    let applications: Vec<_> = scenario
        .shape()
        .kernels
        .iter()
        .map(|kernel| kernel.application)
        .collect();
    assert_eq!(
        (scenario.shape().applications.len(), applications),
        (2, vec![0, 1])
    );
}
