//! Promise: commands simulate systems with pipelined tasks, and refuse them where no analysis supports them.
#![cfg(feature = "cli")]

use serde_json::Value;

use crate::support::{run, run_with};

/// A pipeline whose second stage is the bottleneck. `rest` adds fields to the task.
fn system(rest: &str) -> String {
    format!(
        r#"{{"cores":[{{"name":"c","policy":"fp"}}],
            "partitions":[{{"name":"enc","sms":1,"policy":"np-fifo"}},{{"name":"dec","sms":1,"policy":"np-fifo"}}],
            "tasks":[{{"name":"speech","period":"50ms","deadline":"250ms"{rest},"segments":[
            {{"on":"c","wcet":"3ms"}},{{"on":"enc","wcet":"40ms"}},{{"on":"dec","wcet":"48ms"}},{{"on":"c","wcet":"2ms"}}]}}]}}"#
    )
}

const PIPELINED: &str = r#","jobs":"pipelined","buffers":[null,1,null]"#;

#[test]
fn a_simulation_shows_the_queues_of_stages() {
    let options = "simulate tasks - --duration 500ms";
    let text = run_with(options, system(PIPELINED));
    // With one slot, the encoder waits for the decoder, so a frame leaves them each 88 ms, and the queue grows.
    assert_eq!(text.code, 1, "{}", text.stderr);
    assert!(text.stdout.contains("pipelined task"), "{}", text.stdout);
    assert!(text.stdout.contains("most jobs"), "{}", text.stdout);
    let json = run_with(&format!("{options} --format json"), system(PIPELINED));
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    let task = &found["tasks"][0];
    assert_eq!(task["jobs"], 10);
    assert_eq!(task["ends_max_ns"].as_array().unwrap().len(), 4);
    let queues: Vec<u64> = serde_json::from_value(task["queues_max"].clone()).unwrap();
    assert!(queues[1] > 1 && queues[2] == 1, "{queues:?}");
    let csv = run_with(&format!("{options} --format csv"), system(PIPELINED));
    assert!(csv.stdout.starts_with("kind,name,jobs,misses"), "{}", csv.stdout);
    // Without the limit of the buffer, each stage keeps up.
    let free = run_with(
        &format!("{options} --format json"),
        system(r#","jobs":"pipelined""#),
    );
    assert_eq!(free.code, 0, "{}", free.stderr);
    let found: Value = serde_json::from_str(&free.stdout).unwrap();
    assert_eq!(found["tasks"][0]["response_max_ns"], 93_000_000);
    let sequential = r#","deadline":"50ms","wait":"suspend""#;
    let found = run_with(
        &format!("{options} --format json"),
        system(sequential).replacen(r#","deadline":"250ms""#, "", 1),
    );
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["tasks"][0].get("queues_max"), None);
}

#[test]
fn commands_without_an_analysis_refuse_pipelined_tasks() {
    for command in [
        "test - --enforce",
        "test - --interference conflict+bandwidth --memory-bandwidth 1GB/s",
    ] {
        let refused = run_with(command, system(PIPELINED));
        assert_eq!(refused.code, 2, "{command} {}", refused.stdout);
        let expected = "tasks[0].jobs: found pipelined, expected sequential, because";
        assert!(refused.stderr.contains(expected), "{command} {}", refused.stderr);
        assert_eq!(refused.stdout, "", "{command}");
    }
}

#[test]
fn a_campaign_of_pipelined_systems_exceeds_no_bound() {
    for sliced in ["", " --time-sliced"] {
        let command = format!("validate --end-to-end --pipelined{sliced} --systems 64 --format json");
        let found = run(&command);
        assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        assert!(found["tally"]["bounds"].as_u64() > Some(20), "{found}");
    }
    let refused = run("validate --end-to-end --pipelined --shared-memory");
    assert_eq!(refused.code, 2);
}
