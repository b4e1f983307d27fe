//! Invalid scenarios and logs: exit code 2, a message with file, field and value, and no output.

use std::path::Path;

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals, variants};
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

/// Returns a scenario with `member` next to its platform and kernels.
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

/// Runs `line` with invalid files and checks that all are rejected without output. Each case is a label and the text of
/// the file.
fn refused(line: &str, cases: impl IntoIterator<Item = (String, String)>) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    let mut told = Transcript::in_folder(folder.path());
    for (given, text) in cases {
        std::fs::write(&path, &text).unwrap();
        let mut command = gpusched(line.split_whitespace());
        command.arg(&path);
        told.refusal(&given, &answer(&mut command));
        assert_eq!(answer(command.arg("-o").arg(folder.path().join("out"))).code, 2);
        assert_eq!(files(folder.path()), [Path::new("bad.json")], "{given}");
    }
    told
}

#[test]
#[rustfmt::skip] // a table
fn bad_scenarios_are_refused() {
    let cases = [
        String::new(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"platform":"tx2"}"#.to_owned(),
        r#"{"platform":"tx2","kernels":[]}"#.to_owned(),
        r#"{"platform":"gtx1","kernels":[]}"#.to_owned(),
        r#"{"platform":{"sms":8},"kernels":[]}"#.to_owned(),
        r#"{"platform":{"sms":0,"threads_per_sm":64},"kernels":[]}"#.to_owned(),
        r#"{"platform":{"sms":8,"threads_per_sm":100},"kernels":[]}"#.to_owned(),
        kernel(r#""threads":0"#),
        kernel(r#""threads":4096"#),
        kernel(r#""threads":"32""#),
        kernel(r#""blocks":-1"#),
        kernel(r#""registers":256"#),
        kernel(r#""shared_memory":99999"#),
        kernel(r#""stream":"null""#),
        kernel(r#""priority":"medium""#),
        kernel(r#""application":1"#),
        kernel(r#""sms":[1,0]"#),
        kernel(r#""sms":[2]"#),
        kernel(r#""launch":"soon""#),
        kernel(r#""block_time":0"#),
        kernel(r#""block_time":{"uniform":["2us","1us"]}"#),
        kernel(r#""block_time":{"times":[]}"#),
        kernel(r#""block_time":{"wcet":{"table":[[4,"1ms"]]}}"#),
        kernel(r#""memory_share":1.5"#),
        kernel(r#""warps":3"#),
        with(r#""block_scheduler":"fifo""#),
        with(r#""applications":[{"timeslice":1}]"#),
        with(r#""copies":[{"stream":0,"kind":"memcpy","time":0}]"#),
        with(r#""copies":[{"stream":0,"kind":"memmove","time":1}]"#),
        with(r#""copies":[{"stream":0,"kind":"memcpy","time":1,"after":4}]"#),
        with(r#""interference":{"bandwidth":0}"#),
        with(r#""interference":{"factors":"orin"}"#),
        with(r#""interference":{"factors":{"memcpy":0.5}}"#),
        with(r#""cpu":{"regulation_period":"1ms","budget":2}"#),
        cpu(r#""policy":"fair""#),
        cpu(r#""policy":"quick""#),
        cpu(r#""kernel":3"#),
        cpu(r#""policy":"greedy","kernel":2"#),
        profile(r#"[{"blocks":2,"e0":1,"e1":2}]"#, ""),
        profile(r#"[{"blocks":1,"e0":2,"e1":1}]"#, ""),
        profile(r#"[{"blocks":1,"e0":2,"e1":2001}]"#, ""),
        profile("[]", ""),
        profile(r#"[{"blocks":1,"e0":1,"e1":2}]"#, r#","intervals":[{"first":1,"last":1,"cluster":0}]"#),
        format!("{}\n{}", with(r#""name":"a""#), with(r#""name":"b""#)),
    ];
    let told = refused("simulate blocks --format csv", cases.map(|text| (text.clone(), text)));
    assert_snapshot!(told);
}

#[test]
fn what_does_not_fit_the_options_is_refused() {
    let threads = kernel(r#""threads":1536"#);
    let blocks = kernel(r#""blocks":20000000"#);
    let told = refused("simulate blocks --gpu pegasus", [(threads.clone(), threads)]);
    assert_snapshot!(told);
    let told = refused("simulate blocks --format json", [(blocks.clone(), blocks)]);
    assert_snapshot!(told);
    let blocks = kernel(r#""blocks":1000000000"#);
    let told = refused("simulate blocks", [(blocks.clone(), blocks)]);
    assert_snapshot!(told);
}

fn log() -> String {
    std::fs::read_to_string(root().join("tasksets/scenarios/examiner/spin-2.json")).unwrap()
}

#[test]
fn bad_logs_are_refused() {
    let changes = r#"
"times" → "time"
"PID": 100 → "PID": "me"
"PID": 100, →
"kernel_name" → "name"
"block_count": 8 → "block_count": 9
"thread_count": 1024 → "thread_count": 0
"thread_count": 1024 → "thread_count": [8,8]
"thread_count": 1024 → "thread_count": 4096
"block_smids": [6 → "block_sms": [6
[6,7, → [6,
[6,7, → [6,8,
0.025060700, → 0.015060700,
0.020060700, → -1,
[0.011000000, 0.011040000, 0.000000000] → []
"max_resident_threads": 16384 → "max_resident_threads": 4096
"max_resident_threads": 16384 → "max_resident_thread": 16384
"TID": 102 → "tid": 102
"shared_memory": 0 → "shared_mem": 0
"#;
    let told = refused("import examiner --gpu k5000", variants(&log(), changes));
    assert_snapshot!(told);
}

#[test]
fn logs_of_different_runs_are_refused() {
    let line = "import examiner tasksets/scenarios/examiner/spin-1.json --gpu k5000";
    let changes = "Two spinning kernels → Another\n\"TID\": 102 → \"TID\": 101";
    let told = refused(line, variants(&log(), changes));
    assert_snapshot!(told);
    // A scenario is printed as JSON only.
    let csv = format!("{line} --format csv");
    let told = refusals([csv.as_str()]);
    assert_snapshot!(told);
}
