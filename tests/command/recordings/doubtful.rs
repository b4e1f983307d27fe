//! Records whose numbers look possible and are not: kernels without length, calls without times, rows without a number, streams of
//! several processes, and texts that JSON does not allow.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::siblings::{recording, states, summary};

/// An event of a trace of Kineto, with times in microseconds.
pub fn event(
    category: &str,
    name: &str,
    (pid, tid): (u32, u32),
    (ts, dur): (u64, u64),
    args: Value,
) -> Value {
    json!({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
}

/// Returns name, period, C and `incomplete` of the tasks that `recording tasks` derives.
pub fn tasks(name: &str, content: impl AsRef<[u8]>, more: &str) -> (Vec<(String, u64, u64, bool)>, String) {
    let answer = recording("tasks", name, content, more);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let shape = |task: &Value| {
        let name = task["name"].as_str().unwrap().to_owned();
        let wcet = task["wcet"]["table"][0][1].as_u64().unwrap();
        let incomplete = task["measured_on"]["incomplete"] == true;
        (name, task["period"].as_u64().unwrap(), wcet, incomplete)
    };
    (
        set["tasks"].as_array().unwrap().iter().map(shape).collect(),
        answer.stderr,
    )
}

fn task(name: &str, period: u64, wcet: u64, incomplete: bool) -> (String, u64, u64, bool) {
    (name.to_owned(), period, wcet, incomplete)
}

/// A trace of eight kernels of 400 µs, one per millisecond on stream 7, with a change of the fifth one.
fn changed(change: impl Fn(&mut Value)) -> String {
    let mut events: Vec<Value> = (1..=8)
        .map(|job| {
            let args = json!({"device": 0, "context": 1, "stream": 7, "correlation": job});
            event("kernel", "k", (0, 7), (1_000 * job, 400), args)
        })
        .collect();
    change(&mut events[4]);
    json!({"schemaVersion": 1, "traceEvents": events}).to_string()
}

/// Each kernel takes time, so the job of a kernel that ends at its start is incomplete.
#[test]
fn a_job_of_a_kernel_without_length_is_incomplete() {
    let found = tasks(
        "zero.json",
        changed(|kernel| kernel["dur"] = json!(0)),
        "@100 --by stream",
    );
    assert_eq!(found.0, [task("stream 7", 1_000_000, 480_000, true)]);
    states(&found.1, &["1 job with 1 launch without times"]);
    // An inference without copies has no launch of the copy.
    let inference = |job: u32| {
        let at = |micros: u32| f64::from(job * 2_000 + micros) / 1_000.0;
        json!({"startInMs": at(100), "endInMs": at(100), "startComputeMs": at(100), "endComputeMs": at(900), "startOutMs": at(900),
               "endOutMs": at(900)})
    };
    let found = tasks(
        "times.json",
        json!((0..5).map(inference).collect::<Vec<_>>()).to_string(),
        "@48",
    );
    assert_eq!(found.0, [task("inference", 2_000_000, 960_000, false)]);
}

/// A launch whose row omits the context is a launch of the stream.
#[test]
fn a_stream_keeps_launches_without_a_context() {
    let change = |kernel: &mut Value| {
        kernel["args"]["context"] = Value::Null;
        kernel["dur"] = json!(900);
    };
    let found = tasks("context.json", changed(change), "@100 --by stream");
    assert_eq!(found.0, [task("stream 7", 1_000_000, 1_080_000, false)]);
}

/// A host call at time 0 was not measured, so its launch has no known range. The launch counts to the jobs around it.
#[test]
fn a_call_without_times_is_no_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.sqlite");
    let database = Connection::open(&path).unwrap();
    let script = "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", streamId, correlationId, globalPid, shortName INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", globalTid, correlationId, nameId);
        CREATE TABLE NVTX_EVENTS (start, \"end\", eventType, text, globalTid);";
    database.execute_batch(script).unwrap();
    for job in 1..=8i64 {
        let (at, length) = (10_000_000 * job, if job == 5 { 4_000_000 } else { 2_000_000 });
        let (call, stream) = (
            if job == 5 { 0 } else { at + 5_000 },
            if job == 3 { "'x'" } else { "7" },
        );
        let row = format!(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {stream}, {job}, 100 << 24, 1);
             INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({call}, {call}, (100 << 24) + 1, {job}, 2);
             INSERT INTO NVTX_EVENTS VALUES ({at}, {}, 59, 'step', (100 << 24) + 1);",
            at + 20_000,
            at + 20_000 + length,
            at + 50_000
        );
        database.execute_batch(&row).unwrap();
    }
    let bytes = std::fs::read(&path).unwrap();
    let (found, notes) = tasks("calls.sqlite", &bytes, "@100");
    assert!(found[0].2 >= 4_800_000, "{found:?}");
    states(
        &notes,
        &[
            "1 launch without a host call",
            "1 event with impossible values, set aside; the first: ",
        ],
    );
    let lost = "1 launch without a host call: the profiler lost the call";
    states(&summary("calls.sqlite", &bytes), &["not complete", lost]);
    // A call whose row is missing is a lost call, too, and so is a message about events.
    database
        .execute("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start = 0", [])
        .unwrap();
    states(
        &summary("calls.sqlite", std::fs::read(&path).unwrap()),
        &["not complete", lost],
    );
    let message = "CREATE TABLE DIAGNOSTIC_EVENT (text); INSERT INTO DIAGNOSTIC_EVENT VALUES ('12 events were discarded')";
    database.execute_batch(message).unwrap();
    states(
        &summary("calls.sqlite", std::fs::read(&path).unwrap()),
        &["nsys states: 12 events were discarded"],
    );
    let header = "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),PID,TID,\
                  DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n";
    let ranges = "\nStart (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,\
                  NameTree\n";
    let (mut rows, mut marks) = (header.to_owned(), ranges.to_owned());
    for job in 1..=8 {
        let (at, length) = (1_000_000 * job, if job == 5 { 700_000 } else { 400_000 });
        let call = if job == 5 { 0 } else { at + 10_000 };
        rows += &format!(
            "{call},5000,,,{},{length},1,53,53,0,cudaLaunchKernel,1,1,k\n",
            at + 20_000
        );
        marks += &format!(
            "{at},{},500000,0,500000,step,53,53,0,0,{job},,:{job},step\n",
            at + 500_000
        );
    }
    let (found, _) = tasks("calls.csv", rows + &marks, "@100");
    assert!(found[0].2 >= 840_000, "{found:?}");
}

/// The events of two ranks in one file, with numbers of calls that differ: the calls tell the launches apart.
#[test]
fn merged_traces_have_streams_of_each_process() {
    let mut events = Vec::new();
    for (pid, name, period, length, first) in [
        (900, "lidar", 10_000, 2_000, 1),
        (901, "camera", 20_000, 1_000, 100),
    ] {
        for job in 0..6u64 {
            let (at, id) = (1_000_000 + period * job + 30 * first, first + job);
            let args = json!({"device": 0, "context": 1, "stream": 7, "correlation": id});
            events.push(event(
                "user_annotation",
                "forward",
                (pid, pid),
                (at, 500),
                json!({}),
            ));
            events.push(event(
                "cuda_runtime",
                "cudaLaunchKernel",
                (pid, pid),
                (at + 5, 4),
                json!({"correlation": id}),
            ));
            events.push(event("kernel", name, (0, 7), (at + 20, length), args));
        }
    }
    let content = json!({"schemaVersion": 1, "traceEvents": events}).to_string();
    states(&summary("ranks.json", &content), &["on 2 streams of 2 processes"]);
    let (mut found, _) = tasks("ranks.json", &content, "@100 --by stream");
    found.sort();
    let expected = [
        task("process 900 stream 7", 10_000_000, 2_400_000, false),
        task("process 901 stream 7", 20_000_000, 1_200_000, false),
    ];
    assert_eq!(found, expected);
    let without = content.replacen("\"cat\":\"cuda_runtime\"", "\"cat\":\"lost\"", 1);
    states(
        &summary("lost.json", without),
        &[
            "not complete",
            "1 launch without a host call: the profiler lost the call",
        ],
    );
    let call = "\"dur\":4,\"name\":\"cudaLaunchKernel\",\"ph\":\"X\",\"pid\":900,\"tid\":900,\"ts\":1000035";
    assert!(content.contains(call), "{content}");
    let zero = content.replacen(call, &call.replace(":4,", ":0,").replace("1000035", "0"), 1);
    states(
        &summary("zero.json", zero),
        &["not complete", "1 launch without a host call"],
    );
    // Ranges of one name are one task, and a note says so.
    let (found, notes) = tasks("ranks.json", &content, "@100");
    assert_eq!(found.len(), 1);
    states(
        &notes,
        &["several processes have jobs with the name forward: they count as one task"],
    );
}

/// `cuda_api_trace` links the launches of `cuda_gpu_trace` with ranges.
#[test]
fn calls_of_the_api_link_launches_with_ranges() {
    let mut kernels = "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name\n".to_owned();
    let mut calls = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n".to_owned();
    let mut ranges = "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,\
                      RangeStack,NameTree\n"
        .to_owned();
    for job in 1..=8 {
        let at = 10_000_000 * job;
        // The second kernel of each job starts after the range.
        kernels += &format!(
            "{},2000000,{},GPU (0),1,7,k\n{},1000000,{},GPU (0),1,7,k\n",
            at + 20_000,
            2 * job,
            at + 2_500_000,
            2 * job + 1
        );
        for call in 0..2 {
            calls += &format!(
                "{},4000,cudaLaunchKernel,0,{},53,54,20,main\n",
                at + 5_000 * (1 + call),
                2 * job + call
            );
        }
        ranges += &format!(
            "{at},{},500000,0,500000,step,53,54,0,0,{job},,:{job},step\n",
            at + 500_000
        );
    }
    for order in [[&kernels, &calls, &ranges], [&calls, &ranges, &kernels]] {
        let content = order.map(String::as_str).join("\n");
        let (found, notes) = tasks("api.csv", &content, "@100");
        assert_eq!(found, [task("step", 10_000_000, 4_176_000, false)], "{notes}");
        // A call without a launch shows a lost record, and a call that failed does not.
        let lost = content.replace("82500000,1000000,17,GPU (0),1,7,k\n", "");
        states(
            &summary("api.csv", lost),
            &["1 host call launched work without a record", "not complete"],
        );
        let failed = content.replace(
            "80010000,4000,cudaLaunchKernel,0,17",
            "80010000,4000,cudaLaunchKernel,2,17",
        );
        states(
            &summary(
                "api.csv",
                failed.replace("82500000,1000000,17,GPU (0),1,7,k\n", ""),
            ),
            &["complete: "],
        );
        // Another process uses the same number, so the call of its launch is unknown.
        let doubled = content.replace(
            "80010000,4000,cudaLaunchKernel,0,17,53,54",
            "80010000,4000,cudaLaunchKernel,0,17,53,54,20,m\n1,1,cudaLaunchKernel,0,17,55,55",
        );
        let (_, notes) = tasks("api.csv", doubled, "@100");
        states(
            &notes,
            &[
                "calls of several processes have the same 1 number",
                "1 launch without a host call",
            ],
        );
    }
}

/// One text or value that the format does not allow makes no file useless.
#[test]
fn invalid_texts_and_numbers_are_set_aside() {
    let whole = changed(|_| {});
    for (name, shown, count) in [
        ("k\\ud800", "k?", 8),
        ("k\\udc00\\ud800", "k??", 16),
        ("k\\ud83d\\ude00", "k\u{1f600}", 0),
        ("k\\x41", "k\\x41", 8),
        ("C:\\Users", "C:\\Users", 8),
        ("k\u{1}\n", "k??", 16),
        ("k\\u12", "k\\u12", 8),
    ] {
        let text = summary("texts.json", whole.replace("\"k\"", &format!("\"{name}\"")));
        states(&text, &["8 launches of 1 kernel", &format!("  {shown}\n")]);
        let note = format!("{count} characters not allowed in JSON");
        assert_eq!(text.contains(&note), count > 0, "{name}: {text}");
    }
    let header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    let row = |id: &str, unit: &str, value: &str| {
        format!("\"{id}\",\"10\",\"k\",\"1\",\"7\",\"gpu__time_duration.sum\",\"{unit}\",\"{value}\"\n")
    };
    for bad in [
        row("1", "us", "-1"),
        row("1", "us", "no data"),
        row("n/a", "us", "9"),
        row("1", "n/a", "9"),
    ] {
        let text = summary("page.csv", header.to_owned() + &row("0", "us", "12.5") + &bad);
        states(
            &text,
            &[
                "1 launch of 1 kernel",
                "12.55us",
                "1 launch without a start",
                "not complete",
            ],
        );
    }
    let lines = "{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1\"}}\n{\"Type\":79}\n";
    let answer = recording("summary", "lines.json", lines, "");
    assert_eq!(answer.code, 2);
    states(
        &answer.stderr,
        &["a JSON document per line", "hint: export an SQLite file"],
    );
}
