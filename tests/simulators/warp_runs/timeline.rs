//! Traces and Gantt charts of runs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::run;

#[test]
fn every_issue_and_every_block_is_on_the_timeline() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, issues) = (folder.path().join("trace.json"), folder.path().join("issues.csv"));
    let line = format!(
        "simulate warps tasksets/kernels/programs/vadd.json --machine rtx2060 --grid 8 --sms 2 --trace {} --issues {} --gantt {}",
        trace.display(),
        issues.display(),
        folder.path().join("gantt.svg").display()
    );
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let names = |kind: &str| -> BTreeSet<&str> {
        let events = events.iter().filter(|event| event["name"] == kind);
        events
            .map(|event| event["args"]["name"].as_str().unwrap())
            .collect()
    };
    assert_eq!(names("process_name"), BTreeSet::from(["SM 0", "SM 1", "kernels"]));
    assert!(names("thread_name").is_superset(&BTreeSet::from([
        "sub-core 0",
        "sub-core 3",
        "blocks 0",
        "vadd"
    ])));
    let slices = events.iter().filter(|event| event["ph"] == "X");
    let issued = slices
        .clone()
        .filter(|slice| slice["args"]["age"].is_u64())
        .count();
    let rows = std::fs::read_to_string(issues).unwrap().lines().count() - 1;
    assert_eq!((issued, rows), (1216, 1216));
    // The timeline also has 8 blocks and the kernel.
    assert_eq!(slices.count(), 1216 + 8 + 1);
    let gantt = std::fs::read_to_string(folder.path().join("gantt.svg")).unwrap();
    assert!(gantt.contains("sub-core 0"), "{gantt}");
}
