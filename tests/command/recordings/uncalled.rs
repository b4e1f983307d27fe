//! Host calls that the profiler has not measured, or whose process is unknown. No file with such a call is complete.

use serde_json::{Value, json};

use super::doubtful::{event, tasks};
use super::siblings::{recording, states, summary};

/// Two ranks with two kernels per millisecond each, whose calls differ by number. `change` sees each event with its job.
fn ranks(change: impl Fn(&mut Value, u64)) -> String {
    let mut events = Vec::new();
    for pid in [10u32, 20] {
        for job in 0..12u64 {
            let (at, id) = (1_000 * (job + 1), 10 * job + u64::from(pid) / 10);
            let call = event(
                "cuda_runtime",
                "cudaLaunchKernel",
                (pid, pid),
                (at + 100, 5),
                json!({"correlation": id}),
            );
            let args = json!({"device": 0, "context": 1, "stream": 7, "correlation": id});
            let begin = at + if pid == 10 { 120 } else { 400 };
            let kernel = event("kernel", &format!("k{pid}"), (0, 7), (begin, 50), args);
            let range = event(
                "user_annotation",
                &format!("t{pid}"),
                (pid, pid),
                (at + 90, 60),
                json!({}),
            );
            for mut event in [range, call, kernel] {
                change(&mut event, job);
                events.push(event);
            }
        }
    }
    json!({"schemaVersion": 1, "traceEvents": events}).to_string()
}

fn is_call(event: &Value, pid: u32) -> bool {
    event["cat"] == "cuda_runtime" && event["pid"] == pid
}

const UNCALLED: [&str; 2] = ["not complete", "without a host call: the profiler lost the call"];

/// A call at time 0 is unmeasured, whatever its length. The launch is a launch of the range around it.
#[test]
fn a_call_at_time_0_with_a_length_is_unmeasured() {
    states(&summary("ranks.json", ranks(|_, _| {})), &["complete: "]);
    for length in [0, 5] {
        let zero = |event: &mut Value, job: u64| {
            if is_call(event, 10) && job == 5 {
                (event["ts"], event["dur"]) = (json!(0), json!(length));
            }
        };
        let content = ranks(zero);
        states(&summary("zero.json", &content), &UNCALLED);
        let (found, notes) = tasks("zero.json", &content, "@8");
        assert!(found.iter().all(|task| task.3), "{found:?} {notes}");
    }
}

/// A call without a process, or with a process that is no number, may be a call of each rank.
#[test]
fn a_call_without_a_process_is_unclear() {
    for process in [Value::Null, json!("x")] {
        let unknown = |event: &mut Value, job: u64| {
            if is_call(event, 10) && job % 2 == 1 {
                event["pid"] = process.clone();
            }
        };
        let content = ranks(unknown);
        states(&summary("unknown.json", &content), &UNCALLED);
        for by in ["stream", "kernel"] {
            let (found, _) = tasks("unknown.json", &content, &format!("@8 --by {by}"));
            assert!(found.iter().all(|task| task.3), "{by} {found:?}");
        }
    }
}

/// Each launch without a number has no call, too. Calls that are all unmeasured show lost times, and their processes still tell the
/// ranks apart.
#[test]
fn launches_without_numbers_and_calls_without_times_are_incomplete() {
    let number = |event: &mut Value, job: u64| {
        if event["name"] == "k10" && job % 2 == 1 {
            event["args"]["correlation"] = Value::Null;
        }
    };
    let content = ranks(number).replace("cudaLaunchKernel", "xLaunch");
    states(&summary("number.json", content), &UNCALLED);
    let number = |event: &mut Value, _: u64| {
        if event["cat"] == "cuda_runtime" {
            event["args"]["correlation"] = Value::Null;
        }
    };
    states(&summary("calls.json", ranks(number)), &UNCALLED);
    let zero = |event: &mut Value, _: u64| {
        if event["cat"] == "cuda_runtime" {
            event["ts"] = json!(0);
        }
    };
    let content = ranks(zero);
    states(
        &summary("all.json", &content),
        &[&UNCALLED[..], &["on 2 streams of 2 processes"]].concat(),
    );
    let (found, _) = tasks("all.json", &content, "@8 --by stream");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|task| task.3), "{found:?}");
    // The execution trace of nsys states the call in the row of the kernel.
    let header = "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),PID,TID,\
                  DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n";
    for (starts, complete) in [
        (["1000", "9"], true),
        (["1000", ""], false),
        (["0", "5"], false),
        (["0", ""], false),
    ] {
        let rows = starts.map(|start| format!("{start},10,,,2000,500,1500,7,7,0,cudaLaunchKernel,1,1,k\n"));
        let text = summary("exec.csv", header.to_owned() + &rows.concat());
        assert_eq!(!text.contains("not complete"), complete, "{starts:?}: {text}");
    }
}

/// Calls of the SQLite export whose times are all 0, unknown or texts.
#[test]
fn a_table_of_calls_without_times_is_incomplete() {
    for (start, complete) in [
        ("rowid * 1000", true),
        ("0", false),
        ("NULL", false),
        ("'x'", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.sqlite");
        let script = format!(
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
             INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
             CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", streamId, correlationId, globalPid, shortName INTEGER);
             CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", globalTid, correlationId, nameId);
             INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 6000, 7, 1, 100 << 24, 1), (8000, 9000, 7, 2, 100 << 24, 1);
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, (100 << 24) + 1, 1, 2), (1, 2, (100 << 24) + 1, 2, 2);
             UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = {start};"
        );
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(&script)
            .unwrap();
        let text = summary("calls.sqlite", std::fs::read(&path).unwrap());
        assert_eq!(!text.contains("not complete"), complete, "{start}: {text}");
    }
}

/// The names of calls that launch kernels differ by library and version.
#[test]
fn each_call_that_launches_kernels_shows_a_lost_kernel() {
    for (call, launches) in [
        ("hipExtLaunchKernel", true),
        ("hipExtModuleLaunchKernel", true),
        ("hipLaunchCooperativeKernel", true),
        ("hipLaunchByPtr", true),
        ("cuLaunchGrid", true),
        ("cuLaunchKernelEx", true),
        ("cudaLaunch_v3020", true),
        ("cudaGraphLaunch_v10000", true),
        ("cudaLaunchHostFunc", false),
        ("cudaMalloc", false),
    ] {
        let mut trace: Value = serde_json::from_str(&ranks(|_, _| {})).unwrap();
        let args = json!({"correlation": 999});
        let lost = event("cuda_runtime", call, (10, 10), (3_000, 5), args);
        trace["traceEvents"].as_array_mut().unwrap().push(lost);
        let text = summary("lost.json", trace.to_string());
        let states_lost = text.contains("1 host call launched work without a record");
        assert_eq!(states_lost, launches, "{call}: {text}");
    }
}

/// XLA writes two arguments that show it.
#[test]
fn a_trace_of_xla_states_its_tool() {
    let args = json!({"hlo_op": "fusion", "hlo_module": "jit_f", "tf_op": "x"});
    let events = json!({"traceEvents": [event("", "fusion", (1, 1), (10, 5), args)]});
    let answer = recording("summary", "xla.json", events.to_string(), "");
    assert!(!answer.stderr.contains("duplicate field"), "{answer:?}");
    states(&answer.stderr, &["XLA"]);
}

/// The summary agrees with the jobs: a kernel that ends at its start is not measured.
#[test]
fn a_kernel_without_length_is_not_complete() {
    let zero = |event: &mut Value, job: u64| {
        if event["name"] == "k10" && job == 5 {
            event["dur"] = json!(0);
        }
    };
    let reason = "1 kernel with a launch that ends at its start: its time is not measured";
    states(&summary("zero.json", ranks(zero)), &["not complete", reason]);
}

/// Many escapes that JSON does not know take little time. A control character after a backslash is replaced, too.
#[test]
fn many_unknown_escapes_are_read_in_one_pass() {
    let many = "\\x".repeat(1 << 20);
    let content = ranks(|_, _| {}).replacen("\"t10\"", &format!("\"{many}\\\n\""), 1);
    let start = std::time::Instant::now();
    let text = summary("escapes.json", content);
    states(
        &text,
        &[
            "\\x\\x",
            &format!("{} characters not allowed in JSON", (1 << 20) + 2),
        ],
    );
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}
