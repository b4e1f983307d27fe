//! Events of Kineto with a wrong time, process or name. No audit is kept because such an event belongs to no job.

use serde_json::{Value, json};

use super::doubtful::event;
use crate::support::run;

/// Six jobs with two kernels each. The second kernel of job 3 ends after the deadline.
fn late() -> Vec<Value> {
    let mut events = Vec::new();
    for job in 0..6u64 {
        let (at, id) = (20_000 * job + 1_000, 2 * job);
        let range = format!("camera#{job}");
        events.push(event(
            "user_annotation",
            &range,
            (100, 100),
            (at, 2_000),
            json!({}),
        ));
        let begins = [at + 600, at + if job == 3 { 15_000 } else { 1_650 }];
        for (begin, id) in begins.into_iter().zip(id..) {
            let args = json!({"correlation": id});
            events.push(event(
                "cuda_runtime",
                "cudaLaunchKernel",
                (100, 100),
                (at + 500 + id, 5),
                args,
            ));
            let args = json!({"device": 0, "context": 1, "stream": 7, "correlation": id});
            events.push(event("kernel", "k", (0, 7), (begin, 300), args));
        }
    }
    events
}

#[test]
fn a_wrong_time_process_or_name_hides_no_miss() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let task = json!({"name": "camera", "period": "20ms", "deadline": "10ms", "wcet": "4ms"});
    std::fs::write(path("set.json"), json!({"tasks": [task]}).to_string()).unwrap();
    let verdict = |events: &[Value]| {
        let trace = json!({"schemaVersion": 1, "traceEvents": events});
        std::fs::write(path("trace.json"), trace.to_string()).unwrap();
        let line = format!(
            "recording audit {}@8 --set {} --format json -q",
            path("trace.json"),
            path("set.json")
        );
        let answer = run(&line);
        let audit: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        audit["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(&late()), "broken");
    let of_job = 15..20;
    for field in ["ts", "dur", "pid", "tid", "cat", "ph", "name"] {
        for value in [json!("x"), json!(null), json!(-1.5), json!(77)] {
            for at in of_job.clone() {
                let mut events = late();
                // A range with another name is a job of another task.
                if events[at][field] == value || at == 15 && field == "name" && value == "x" {
                    continue;
                }
                events[at][field] = value.clone();
                assert_ne!(verdict(&events), "kept", "{field} = {value} of {}", late()[at]);
            }
        }
    }
}
