//! Audits of runs whose kernels all ran in one context, against a plan with several partitions.

use serde_json::{Value, json};

use super::doubtful::event;
use super::siblings::states;
use crate::support::{Answer, run};

/// Audits a run of two tasks, on two partitions of the plan, in one context. `streams` are the streams of the tasks.
fn audit(streams: [u32; 2], context: bool, called: bool) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let task = |name| json!({"name": name, "period": "1ms", "wcet": {"table": [[8, "700us"]]}});
    let set = json!({"tasks": [task("a"), task("b")]});
    std::fs::write(path("set.json"), set.to_string()).unwrap();
    let answer = run(&format!(
        "partition {} --sms 16 -o {}",
        path("set.json"),
        path("plan.json")
    ));
    assert_eq!(answer.code, 0, "{answer:?}");
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(path("plan.json")).unwrap()).unwrap();
    assert_eq!(plan["partitions"].as_array().unwrap().len(), 2, "{plan}");
    let mut events = Vec::new();
    for job in 1..=12u64 {
        for ((name, stream), at) in ["a", "b"].into_iter().zip(streams).zip([0, 400]) {
            let (at, id) = (1_000 * job + at, 10 * job + u64::from(at > 0));
            let number = if called { json!(id) } else { Value::Null };
            let mut args = json!({"device": 0, "context": 1, "stream": stream, "correlation": number});
            if !context {
                args["context"] = Value::Null;
            }
            if called {
                let call = json!({"correlation": id});
                events.push(event("cuda_runtime", "cudaLaunchKernel", (9, 9), (at, 5), call));
            }
            events.push(event("kernel", name, (0, 7), (at + 20, 300), args));
        }
    }
    let trace = json!({"schemaVersion": 1, "traceEvents": events}).to_string();
    std::fs::write(path("run.json"), trace).unwrap();
    run(&format!(
        "recording audit {} --set {} --plan {} --by kernel",
        path("run.json"),
        path("set.json"),
        path("plan.json")
    ))
}

/// Two partitions on one stream wait for each other, so the run did not follow the plan.
#[test]
fn partitions_on_one_stream_are_a_violation() {
    let answer = audit([7, 7], true, true);
    assert_eq!(answer.code, 1, "{answer:?}");
    states(
        &answer.stdout,
        &[
            "BROKEN: ",
            "ran on stream 7, on which kernels of another partition ran, too",
        ],
    );
}

/// Masks may divide the SMs of one context, so the file shows neither that the partitions existed nor that they did not.
#[test]
fn one_context_does_not_show_the_partitions() {
    let answer = audit([7, 8], true, true);
    assert_eq!(answer.code, 0, "{answer:?}");
    let line = "no violation, but it does not show that the partitions existed, because all kernels ran in one context\n";
    states(&answer.stdout, &["KEPT as far as visible: ", line]);
    // Streams of several processes or contexts may have equal numbers.
    for (context, called) in [(false, true), (true, false)] {
        let answer = audit([7, 7], context, called);
        assert!(!answer.stdout.contains("ran on stream"), "{answer:?}");
        assert!(!answer.stdout.contains("KEPT: "), "{answer:?}");
    }
}
