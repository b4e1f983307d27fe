//! The command line: results and errors.

use crate::support::{run, run_with};

const SET: &str = r#"{"tasks":[
 {"name":"a","period":"20ms","traffic":"40MB","bandwidth":"20GB/s","wcet":{"affine":{"isolated":{"a":0,"b":"8ms"}}}},
 {"name":"b","period":"20ms","traffic":"40MB","bandwidth":"20GB/s","wcet":{"affine":{"isolated":{"a":0,"b":"12ms"}}}}]}"#;

fn ask(arguments: &str) -> crate::support::Answer {
    run_with(arguments, SET)
}

#[test]
fn bandwidth_decides() {
    let plan = |bandwidth: &str| {
        ask(&format!(
            "partition - --sms 2 --heuristic one-per-partition --interference conflict+bandwidth --memory-bandwidth {bandwidth} --format json"
        ))
    };
    assert_eq!(plan("100GB/s").code, 0);
    // The two or three other jobs in 20 ms transfer 80 MB.
    assert_eq!(plan("9GB/s").code, 1);
    let json: serde_json::Value = serde_json::from_str(&plan("100GB/s").stdout).unwrap();
    assert_eq!(json["interference"], "conflict+bandwidth");
    assert_eq!(json["memory"]["bandwidth"], 100_000_000_000u64);
    assert_eq!(json["memory"]["arbitration"], "any");
    // Both peaks fit within 100 GB/s, so no time is lost. They do not fit within 30 GB/s.
    assert_eq!(json["partitions"][0]["verdict"]["strength"], "exact");
    let json: serde_json::Value = serde_json::from_str(&plan("30GB/s").stdout).unwrap();
    assert_eq!(json["partitions"][0]["verdict"]["strength"], "sufficient");
}

#[test]
fn usage_is_checked() {
    for (arguments, expected) in [
        (
            "partition - --sms 2 --interference conflict+bandwidth",
            "--memory-bandwidth: found none",
        ),
        (
            "test - --sms 2 --interference bandwidth --memory-bandwidth 0B/s",
            "--memory-bandwidth: found 0B/s",
        ),
        (
            "partition - --sms 2 --interference bandwidth --memory-bandwidth 9GB",
            "invalid value",
        ),
        (
            "partition - --sms 2 --memory-bandwidth 9GB/s",
            "--memory-bandwidth: found --interference conflict",
        ),
        (
            "partition - --sms 2 --arbitration max-min",
            "--arbitration: found --interference conflict",
        ),
        (
            "partition - --sms 2 --interference conflict+bandwidth --memory-bandwidth 9GB/s --policy lp-edf",
            "policy: found lp-edf, expected edf, np-edf",
        ),
        (
            "test - --sms 2 --interference conflict+bandwidth --memory-bandwidth 9GB/s --policy edf --response-times",
            "--response-times: found --policy edf with memory traffic",
        ),
        (
            "simulate tasks - --sms 2 --interference bandwidth",
            "--interference: found bandwidth, expected conflict or none",
        ),
        (
            "validate --shared-memory --pessimism x.csv",
            "cannot be used with",
        ),
    ] {
        let answer = ask(arguments);
        assert_eq!(answer.code, 2, "{arguments}: {}", answer.stderr);
        assert!(answer.stderr.contains(expected), "{arguments}: {}", answer.stderr);
    }
}

#[test]
fn validation_answers_in_all_formats() {
    let answer = |format: &str| {
        run(&format!(
            "validate --shared-memory --systems 60 --seed 3 -q --format {format}"
        ))
    };
    let text = answer("text");
    assert!(
        text.code == 0 && text.stdout.starts_with("NO MISS in "),
        "{}",
        text.stdout
    );
    let json: serde_json::Value = serde_json::from_str(&answer("json").stdout).unwrap();
    assert_eq!(
        (json["systems"].as_u64(), json["breaches"].as_u64()),
        (Some(60), Some(0))
    );
    assert_eq!(answer("csv").stdout.lines().count(), 11);
}
