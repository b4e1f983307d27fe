//! Bad scenarios and logs: exit code 2, a message that names file, field and value, no output.

use std::path::Path;

use crate::support::{answer, files, gpusched, root};

/// A scenario whose third kernel has `member`.
fn kernel(member: &str) -> String {
    let good = r#"{"stream":0,"blocks":1,"threads":32,"block_time":"1ms"}"#;
    let mut members = vec![member.to_owned()];
    for valid in [
        r#""stream":0"#,
        r#""blocks":1"#,
        r#""threads":32"#,
        r#""block_time":"1ms""#,
    ] {
        let key = valid.split(':').next().unwrap();
        if !member.starts_with(key) {
            members.push(valid.to_owned());
        }
    }
    format!(
        r#"{{"platform":"tx2","kernels":[{good},{good},{{{}}}]}}"#,
        members.join(",")
    )
}

/// A scenario with `member` beside its platform and kernels.
fn with(member: &str) -> String {
    kernel(r#""name":"c""#).replacen('{', &format!("{{{member},"), 1)
}

/// A scenario whose CPU cores have `member`.
fn cpu(member: &str) -> String {
    with(&format!(
        r#""cpu":{{"regulation_period":"1ms","budget":0.5,{member}}}"#
    ))
}

/// A scenario whose third kernel, of one block, has a profile.
fn profile(clusters: &str, more: &str) -> String {
    kernel(&format!(
        r#""block_time":{{"profile":{{"clusters":{clusters}{more}}}}}"#
    ))
}

fn assert_refused(text: &str, arguments: &[&str], name: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let mut command = gpusched(arguments);
    command.arg(&path);
    let to_stdout = answer(&mut command);
    assert_eq!(
        (to_stdout.code, to_stdout.stdout.as_str()),
        (2, ""),
        "{text}: {to_stdout:?}"
    );
    assert!(to_stdout.stderr.starts_with("error: ") && to_stdout.stderr.lines().count() == 1);
    for part in expected {
        assert!(
            to_stdout.stderr.contains(part),
            "{text}: no {part:?} in\n{}",
            to_stdout.stderr
        );
    }
    let out = folder.path().join("out.csv");
    if arguments.first() == Some(&"simulate") {
        assert_eq!(answer(command.arg("-o").arg(&out)).code, 2);
    } else {
        assert_eq!(answer(command.arg("-o").arg(out.with_extension("json"))).code, 2);
    }
    assert_eq!(files(folder.path()), [Path::new(name)], "{text}");
}

#[test]
#[rustfmt::skip] // a table
fn bad_scenarios_are_refused() {
    let cases: Vec<(String, &[&str])> = vec![
        (String::new(), &["bad.json: found nothing, expected a scenario"]),
        ("[]".to_owned(), &["bad.json:1", "expected a scenario"]),
        ("{}".to_owned(), &["bad.json:1", "missing field `platform`"]),
        (r#"{"platform":"tx2"}"#.to_owned(), &["bad.json:1", "missing field `kernels`"]),
        (r#"{"platform":"tx2","kernels":[]}"#.to_owned(), &["bad.json:1", "kernels: found none, expected at least one kernel"]),
        (r#"{"platform":"gtx1","kernels":[]}"#.to_owned(), &["bad.json:1: at platform: found \"gtx1\", expected one of tx2"]),
        (r#"{"platform":{"sms":8},"kernels":[]}"#.to_owned(), &["bad.json:1: at platform", "missing field `threads_per_sm`"]),
        (r#"{"platform":{"sms":0,"threads_per_sm":64},"kernels":[]}"#.to_owned(), &["bad.json:1: at platform.sms: found 0, expected a positive integer"]),
        (r#"{"platform":{"sms":8,"threads_per_sm":100},"kernels":[]}"#.to_owned(), &["bad.json:1: at platform: threads_per_sm: found 100, expected whole warps of 32"]),
        (kernel(r#""threads":0"#), &["bad.json:1: at kernels[2].threads: found 0, expected a positive integer"]),
        (kernel(r#""threads":4096"#), &["bad.json:1: at kernels[2].threads: found 4096, expected at most the 2048 threads of an SM"]),
        (kernel(r#""threads":"32""#), &["bad.json:1: at kernels[2].threads", "string \"32\", expected a whole number from 0 to 4294967295"]),
        (kernel(r#""blocks":-1"#), &["bad.json:1: at kernels[2].blocks", "`-1`"]),
        (kernel(r#""registers":256"#), &["bad.json:1: at kernels[2].registers: found 256 per thread, 8192 in a block, expected at most 255 per thread"]),
        (kernel(r#""shared_memory":99999"#), &["bad.json:1: at kernels[2].shared_memory: found 99999, expected at most the 65536 bytes of an SM"]),
        (kernel(r#""stream":"null""#), &["bad.json:1: at kernels[2].stream", "\"null\", expected the number of a stream, or \"default\""]),
        (kernel(r#""priority":"medium""#), &["bad.json:1: at kernels[2].priority", "medium", "`high` or `low`"]),
        (kernel(r#""application":1"#), &["bad.json:1: at kernels[2].application: found 1, expected a number below 1"]),
        (kernel(r#""sms":[1,0]"#), &["bad.json:1: at kernels[2].sms: found [1, 0], expected numbers below 2, ascending"]),
        (kernel(r#""sms":[2]"#), &["bad.json:1: at kernels[2].sms: found [2], expected numbers below 2"]),
        (kernel(r#""launch":"soon""#), &["bad.json:1: at kernels[2].launch", "soon", "expected a time"]),
        (kernel(r#""block_time":0"#), &["bad.json:1: at kernels[2].block_time: found 0ns, expected 1ns to"]),
        (kernel(r#""block_time":{"uniform":["2us","1us"]}"#), &["bad.json:1: at kernels[2].block_time: uniform: found 2us to 1us, expected the least first"]),
        (kernel(r#""block_time":{"times":[]}"#), &["bad.json:1: at kernels[2].block_time: times: found 0 times"]),
        (kernel(r#""block_time":{"wcet":{"table":[[4,"1ms"]]}}"#), &["bad.json: at kernels[2].block_time.wcet: found no time for 2 SMs"]),
        (kernel(r#""memory_share":1.5"#), &["bad.json:1: at kernels[2].memory_share: found 1.5, expected a number from 0 to 1"]),
        (kernel(r#""warps":3"#), &["bad.json:1: at kernels[2].warps: unknown field `warps`"]),
        (with(r#""block_scheduler":"fifo""#), &["bad.json:1: at block_scheduler", "fifo", "`slots` or `round-robin`"]),
        (with(r#""applications":[{"timeslice":1}]"#), &["bad.json:1: at applications[0].timeslice: found 1ns, expected at least 1us"]),
        (with(r#""copies":[{"stream":0,"kind":"memcpy","time":0}]"#), &["bad.json:1: at copies[0].time", "0", "expected a positive time"]),
        (with(r#""copies":[{"stream":0,"kind":"memmove","time":1}]"#), &["bad.json:1: at copies[0].kind", "memmove"]),
        (with(r#""copies":[{"stream":0,"kind":"memcpy","time":1,"after":4}]"#), &["bad.json:1: at copies[0].after: found 4, expected at most the number of kernels, 3"]),
        (with(r#""interference":{"bandwidth":0}"#), &["bad.json:1: at interference.bandwidth: found 0"]),
        (with(r#""interference":{"factors":"orin"}"#), &["bad.json:1: at interference.factors", "orin", "\"tx2\", \"xavier\""]),
        (with(r#""interference":{"factors":{"memcpy":0.5}}"#), &["bad.json:1: at interference.factors: memcpy: found 0.5, expected a number from 1 on"]),
        (with(r#""cpu":{"regulation_period":"1ms","budget":2}"#), &["bad.json:1: at cpu.budget: found 2, expected a number from 0 to 1"]),
        (cpu(r#""policy":"fair""#), &["bad.json:1: at cpu.kernel: found none, expected the position of the kernel that policy fair protects"]),
        (cpu(r#""policy":"quick""#), &["bad.json:1: at cpu.policy", "quick", "`nominal`, `fair`, `greedy`, `smooth`"]),
        (cpu(r#""kernel":3"#), &["bad.json:1: at cpu.kernel: found 3, expected a number below 3"]),
        (cpu(r#""policy":"greedy","kernel":2"#), &["bad.json:1: at kernels[2].block_time: found no profile, expected \"profile\", because cpu.kernel names this kernel"]),
        (profile(r#"[{"blocks":2,"e0":1,"e1":2}]"#, ""), &["bad.json:1: at kernels[2].block_time.profile.clusters: found 2 blocks, expected clusters of 1 blocks in all"]),
        (profile(r#"[{"blocks":1,"e0":2,"e1":1}]"#, ""), &["bad.json:1: at kernels[2].block_time", "e1: found 1ns, expected at least e0"]),
        (profile(r#"[{"blocks":1,"e0":2,"e1":2001}]"#, ""), &["bad.json:1: at kernels[2].block_time: profile.clusters[0].e1: found 2.001us, expected at most 1000 times e0, 2ns"]),
        (profile("[]", ""), &["bad.json:1: at kernels[2].block_time: profile.clusters: found 0 clusters, expected 1 to 1024"]),
        (profile(r#"[{"blocks":1,"e0":1,"e1":2}]"#, r#","intervals":[{"first":1,"last":1,"cluster":0}]"#), &["bad.json:1: at kernels[2].block_time: profile.intervals[0].first: found 1, expected 0"]),
        (format!("{}\n{}", with(r#""name":"a""#), with(r#""name":"b""#)), &["bad.json:2: found a second scenario, expected one"]),
    ];
    for (text, expected) in cases {
        assert_refused(&text, &["simulate", "blocks", "--format", "csv"], "bad.json", expected);
    }
}

#[test]
fn what_does_not_fit_the_other_platform_is_refused() {
    let text = kernel(r#""threads":1536"#);
    let arguments = ["simulate", "blocks", "--platform", "pegasus"];
    assert_refused(
        &text,
        &arguments,
        "bad.json",
        &[
            "bad.json: at kernels[2].threads: found 1536, expected at most the 1024 threads of an SM, on pegasus",
        ],
    );
}

#[test]
fn what_json_cannot_hold_is_refused() {
    let arguments = ["simulate", "blocks", "--format", "json"];
    assert_refused(
        &kernel(r#""blocks":20000000"#),
        &arguments,
        "bad.json",
        &[
            "bad.json: found 20000002 thread blocks, expected at most 20000000 for JSON",
            "--format csv",
        ],
    );
}

fn log(from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(root().join("tasksets/scenarios/examiner/spin-2.json")).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
#[rustfmt::skip] // a table
fn bad_logs_are_refused() {
    for (from, to, expected) in [
        ("\"times\"", "\"time\"", "bad.json:14: missing field `times`"),
        ("\"PID\": 100", "\"PID\": \"me\"", "bad.json:8: at PID: found \"me\", expected a number from 0 on"),
        ("\"PID\": 100,", "", "bad.json: at PID: found none, expected a number from 0 on"),
        ("\"kernel_name\"", "\"name\"", "bad.json: at times: found no execution, expected entries with kernel_name"),
        ("\"block_count\": 8", "\"block_count\": 9", "bad.json:12: at block_count: found 9 with the times of 8 blocks"),
        ("\"thread_count\": 1024", "\"thread_count\": 0", "bad.json:12: at thread_count: found 0, expected a positive number"),
        ("\"thread_count\": 1024", "\"thread_count\": [8,8]", "bad.json:11: at thread_count: found [8,8], expected a positive number"),
        ("\"thread_count\": 1024", "\"thread_count\": 4096", "bad.json: at kernels[0].threads: found 4096, expected at most the 2048 threads of an SM"),
        ("\"block_smids\": [6", "\"block_sms\": [6", "bad.json:12: at block_smids: found none in run 0"),
        ("[6,7,", "[6,", "bad.json:12: at block_smids: found 7 SMs in run 0, expected one per block, 8"),
        ("[6,7,", "[6,8,", "bad.json: at block_smids: found 8, expected a number below 8 as on k5000"),
        ("0.025060700,", "0.015060700,", "bad.json:12: at block_times: found 0.015060700, expected an end 1ns to"),
        ("0.020060700,", "-1,", "bad.json:12: at block_times: found -1, expected a time"),
        ("[0.011000000, 0.011040000, 0.000000000]", "[]", "bad.json:11: at cuda_launch_times: found [], expected a list"),
        ("\"max_resident_threads\": 16384", "\"max_resident_threads\": 4096", "bad.json: at max_resident_threads: found 4096, expected 16384 as on k5000"),
    ] {
        assert_refused(&log(from, to), &["import", "examiner", "--platform", "k5000"], "bad.json", &[expected]);
    }
}

#[test]
fn logs_of_different_runs_are_refused() {
    let good = "tasksets/scenarios/examiner/spin-1.json";
    let arguments = ["import", "examiner", good, "--platform", "k5000"];
    for (from, to, expected) in [
        (
            "Two spinning kernels",
            "Another",
            "at scenario_name: found \"Another (synthetic)\", expected \"Two",
        ),
        (
            "\"TID\": 102",
            "\"TID\": 101",
            "at TID: found 101, which is in tasksets/",
        ),
    ] {
        assert_refused(&log(from, to), &arguments, "bad.json", &[expected]);
    }
    let answer = answer(&mut gpusched([
        "import",
        "examiner",
        good,
        "--platform",
        "k5000",
        "--format",
        "csv",
    ]));
    assert_eq!(answer.code, 2, "a scenario is JSON");
    assert!(answer.stderr.contains("--compare"), "{}", answer.stderr);
}
