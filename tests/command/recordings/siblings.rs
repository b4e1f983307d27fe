//! The kinds of fault of `faults`, in the files of other profilers.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::support::{Answer, run};

/// Writes `content` to a file `name`, and runs `recording COMMAND` with it and the text `more` after its name.
pub fn recording(command: &str, name: &str, content: impl AsRef<[u8]>, more: &str) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    run(&format!("recording {command} {}{more}", path.display()))
}

/// Returns the output and the messages of `recording summary` as one text.
#[track_caller]
pub fn summary(name: &str, content: impl AsRef<[u8]>) -> String {
    let answer = recording("summary", name, content, "");
    assert_eq!(answer.code, 0, "{name}: {}", answer.stderr);
    answer.stdout + &answer.stderr
}

#[track_caller]
pub fn states(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// Start and end of eight kernels of 400 µs, one per millisecond [ns].
fn times() -> Vec<(i64, i64)> {
    (1..=8)
        .map(|job| (1_000_000 * job, 1_000_000 * job + 400_000))
        .collect()
}

/// A file of rocprofv3 with the times of each process.
fn rocprofv3(processes: &[i64], times: &[[Value; 2]]) -> String {
    let dispatch = |[start, end]: &[Value; 2]| {
        json!({"start_timestamp": start, "end_timestamp": end, "stream_id": {"handle": 1},
               "dispatch_info": {"agent_id": {"handle": 4}, "queue_id": {"handle": 2}, "kernel_id": 1}})
    };
    let dispatches: Vec<Value> = times.iter().map(dispatch).collect();
    let of = |pid: &i64| {
        json!({"metadata": {"pid": pid}, "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "k"}],
               "buffer_records": {"kernel_dispatch": dispatches}})
    };
    json!({"rocprofiler-sdk-tool": processes.iter().map(of).collect::<Vec<Value>>()}).to_string()
}

fn values() -> Vec<[Value; 2]> {
    times()
        .into_iter()
        .map(|(start, end)| [json!(start), json!(end)])
        .collect()
}

#[test]
fn unmeasured_times_of_each_tool_are_open() {
    // Kineto subtracts its base from the time 0 of CUPTI.
    let kernel = |start: f64, length: u32| json!({"ph": "X", "cat": "kernel", "name": "k", "ts": start, "dur": length, "args": {"stream": 7}});
    for unmeasured in [0.0, -1_753_000_000_000_000.0, -1_752_999_999_999_999.5] {
        let events = [kernel(1_000.0, 300), kernel(unmeasured, 0), kernel(2_000.0, 300)];
        let text = summary("trace.json", json!({"traceEvents": events}).to_string());
        states(
            &text,
            &[
                "2 launches of 1 kernel",
                "kernels run in 600us of 1.3ms",
                "1 launch without a start",
            ],
        );
    }
    let mut some = values();
    some[2] = [json!(0), json!(0)];
    some[3] = [json!(u64::MAX), json!(u64::MAX)];
    some[4][1] = json!(u64::MAX);
    some[5] = [Value::Null, json!("n/a")];
    states(
        &summary("results.json", rocprofv3(&[100], &some)),
        &[
            "4 launches of 1 kernel",
            "4 launches without a start",
            "not complete",
        ],
    );
    let header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";
    let mut page = format!("{header}\n");
    for (id, value) in ["12001", "0", "nan", "(!) n/a", "13000"].iter().enumerate() {
        writeln!(
            page,
            "\"{id}\",\"10\",\"k\",\"1\",\"7\",\"gpu__time_duration.sum\",\"ns\",\"{value}\""
        )
        .unwrap();
    }
    states(
        &summary("page.csv", page),
        &["2 launches of 1 kernel", "3 launches without a start", "12.001us"],
    );
}

#[test]
fn processes_of_rocprof_and_ncu_are_kept_apart() {
    let event = |(job, (start, end)): (usize, (i64, i64))| {
        json!({"ph": "X", "pid": 6, "tid": 0, "ts": "1", "dur": "1", "name": "k", "args":
               {"BeginNs": start.to_string(), "EndNs": end.to_string(), "dev-id": "0", "queue-id": "0", "stream-id": "1",
                "pid": if job % 2 == 0 { "100" } else { "200" }}})
    };
    let events: Vec<Value> = times().into_iter().enumerate().map(event).collect();
    let content = json!({"traceEvents": events}).to_string();
    states(
        &summary("results.json", &content),
        &["on 2 streams of 2 processes"],
    );
    let answer = recording("tasks", "results.json", &content, "@100 --by stream");
    let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let tasks = set["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 2);
    assert!(tasks.iter().all(|task| task["period"] == 2_000_000), "{tasks:?}");

    states(
        &summary("results.json", rocprofv3(&[100, 200], &values())),
        &["16 launches of 1 kernel on 2 streams of 2 processes"],
    );
    // The launches of two processes have the same number.
    let row = |id: u32, process: u32, value: u32| {
        format!("\"{id}\",\"{process}\",\"k\",\"1\",\"7\",\"duration\",\"ns\",\"{value}\"")
    };
    let header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";
    let page = [
        header.to_owned(),
        row(0, 10, 12_000),
        row(0, 11, 15_001),
        row(1, 10, 14_000),
    ]
    .join("\n");
    states(
        &summary("page.csv", page + "\n"),
        &["3 launches of 1 kernel on 2 streams of 2 processes", "41.001us"],
    );
}

/// Writes a rocpd database of two processes, whose stacks have the same numbers.
fn rocpd(path: &Path) {
    let database = Connection::open(path).unwrap();
    let times = "pid INTEGER, tid INTEGER, start BIGINT, \"end\" BIGINT, event_id INTEGER";
    let script = format!(
        "CREATE TABLE rocpd_metadata_a (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
         CREATE TABLE rocpd_string_a (id INTEGER PRIMARY KEY, string TEXT);
         INSERT INTO rocpd_string_a VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API'), (3, 'MARKER_CORE_API');
         CREATE TABLE rocpd_info_process_a (id INTEGER PRIMARY KEY, pid INTEGER);
         INSERT INTO rocpd_info_process_a VALUES (1, 100), (2, 200);
         CREATE TABLE rocpd_event_a (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, extdata TEXT);
         CREATE TABLE rocpd_region_a (id INTEGER PRIMARY KEY, name_id INTEGER, {times});
         CREATE TABLE rocpd_kernel_dispatch_a (id INTEGER PRIMARY KEY, kernel_id INTEGER, stream_id INTEGER, {times});"
    );
    database.execute_batch(&script).unwrap();
    let event = |category: u32, stack: i64, message: &str| {
        let data = json!({"message": message}).to_string();
        let query = "INSERT INTO rocpd_event_a VALUES (NULL, ?1, ?2, ?3)";
        database.execute(query, params![category, stack, data]).unwrap();
        database.last_insert_rowid()
    };
    let region = "INSERT INTO rocpd_region_a VALUES (NULL, 1, ?1, 5, ?2, ?3, ?4)";
    let dispatch = "INSERT INTO rocpd_kernel_dispatch_a VALUES (NULL, 1, 1, ?1, 5, ?2, ?3, ?4)";
    for (process, name, period, work) in [
        (1, "lidar", 1_000_000, 400_000),
        (2, "camera", 2_000_000, 700_000),
    ] {
        for job in 1..=8i64 {
            let at = period * job;
            let call = event(2, job, "");
            database
                .execute(region, params![process, at, at + 5_000, call])
                .unwrap();
            let launch = event(2, job, "");
            database
                .execute(
                    dispatch,
                    params![process, at + 10_000, at + 10_000 + work, launch],
                )
                .unwrap();
            let range = event(3, 0, &format!("{name}, op_id = {job}"));
            database
                .execute(region, params![process, at - 1_000, at + 7_000, range])
                .unwrap();
        }
    }
}

#[test]
fn a_launch_and_its_call_are_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.db");
    rocpd(&path);
    let answer = run(&format!("recording tasks {}@100", path.display()));
    let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let shape = |task: &Value| {
        let number = |value: &Value| value.as_u64().unwrap();
        (
            task["name"].as_str().unwrap().to_owned(),
            number(&task["period"]),
            number(&task["wcet"]["table"][0][1]),
        )
    };
    let tasks: Vec<_> = set["tasks"].as_array().unwrap().iter().map(shape).collect();
    let expected = [("lidar", 1_000_000, 480_000), ("camera", 2_000_000, 840_000)];
    assert_eq!(
        tasks,
        expected.map(|(name, period, wcet)| (name.to_owned(), period, wcet))
    );
    assert!(!answer.stderr.contains("belong to no job"), "{}", answer.stderr);
    // A lost kernel of one process is not hidden by the kernel of the other one with the same stack.
    let database = Connection::open(&path).unwrap();
    database
        .execute(
            "DELETE FROM rocpd_kernel_dispatch_a WHERE pid = 2 AND start > 15000000",
            [],
        )
        .unwrap();
    let text = run(&format!("recording summary {}", path.display())).stdout;
    states(&text, &["1 host call", "not complete"]);
}

#[test]
fn other_tools_are_named() {
    let event = |category: &str, name: &str, args: Value| json!({"cat": category, "name": name, "ph": "X", "ts": 1, "dur": 5, "pid": 1, "tid": 1, "args": args});
    let onnx = json!([
        event("Session", "model_run", json!({})),
        event("Node", "conv_kernel_time", json!({"op_name": "Conv"})),
        event("Kernel", "sgemm", json!({"stream": 7}))
    ]);
    let xla = json!({"traceEvents": [event("kernel", "fusion", json!({"hlo_op": "fusion.1"}))]});
    for (content, name) in [
        (onnx, "a profile of ONNX Runtime"),
        (xla, "a trace of XLA (JAX or TensorFlow)"),
    ] {
        let answer = recording("summary", "trace.json", content.to_string(), "");
        assert_eq!(answer.code, 2, "{name}: {}", answer.stdout);
        states(&answer.stderr, &[name, "hint: record the program with nsys"]);
    }
}

#[test]
fn calls_are_no_launches_and_no_ranges() {
    let calls = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n\
                 1000,200,cudaLaunchKernel,0,12,100,101,20,main\n3000,200,cudaMemcpyAsync,0,13,100,101,20,main\n";
    let answer = recording("summary", "api.csv", calls, "");
    assert_eq!(answer.code, 2, "{}", answer.stdout);
    states(
        &answer.stderr,
        &[
            "only calls of the CUDA API (cuda_api_trace)",
            "hint: `nsys stats --report cuda_gpu_trace",
        ],
    );
    let launches = "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name\n5000,400,12,GPU (0),1,7,k\n";
    for both in [[calls, launches].concat(), [launches, calls].concat()] {
        states(
            &summary("both.csv", both),
            &["nsys (cuda_gpu_trace)", "1 launch of 1 kernel on 1 stream"],
        );
    }
    let header = "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"";
    for domain in ["", "ROCTX_DOMAIN", "MARKER_CORE_RANGE_API"] {
        let rows = format!(
            "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",100,101,1,1000,2000\n\"{domain}\",\"step\",100,101,2,900,3000\n\
             \"HSA_CORE_API\",\"hsa_init\",100,101,3,3100,3200\n"
        );
        let text = summary("api.csv", format!("{header}\n{rows}"));
        states(&text, &["range: step", "rocprof (marker_trace)"]);
        assert!(!text.contains("hipLaunchKernel"), "{text}");
    }
    let rows = "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",100,101,1,1000,2000\n\"MARKER_CORE_API\",\"step\",100,101,2,900,3000\n";
    let text = summary("api.csv", format!("{header}\n{rows}"));
    states(&text, &["range: step"]);
    assert!(!text.contains("hipLaunchKernel"), "{text}");
}

/// rocprofv3 writes one row per launch and counter.
#[test]
fn counters_do_not_multiply_launches() {
    let mut rows = "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Kernel_Name\",\"Counter_Name\",\
                    \"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
        .to_owned();
    for process in [100, 200] {
        for (id, (start, end)) in times().iter().enumerate() {
            for counter in ["SQ_WAVES", "GRBM_COUNT", "SQ_INSTS"] {
                writeln!(
                    rows,
                    "{id},{id},\"Agent 4\",1,{process},\"k\",\"{counter}\",5,{start},{end}"
                )
                .unwrap();
            }
        }
    }
    let text = summary("counter_collection.csv", rows);
    states(
        &text,
        &[
            "16 launches of 1 kernel on 2 streams of 2 processes",
            "6.4ms  400us",
        ],
    );
    assert!(!text.contains("overlap"), "{text}");
}

#[test]
fn sums_of_one_operation_are_one_range() {
    let header =
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range";
    let rows = [
        "20,1000,1,1000,1000,1000,1000,0,PushPop,\"aten::add, op_id = 7\"",
        "60,6000,2,3000,3000,2000,4000,0,PushPop,\"aten::add, seq = 4, op_id = 9\"",
        "20,2000,1,2000,2000,2000,2000,0,PushPop,step",
    ];
    let answer = recording(
        "summary",
        "sums.csv",
        format!("{header}\n{}\n", rows.join("\n")),
        " --format json",
    );
    let found: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let ranges = found["ranges"].as_array().unwrap();
    let of = |name: &str| ranges.iter().find(|range| range["name"] == name).unwrap();
    let add = of("aten::add");
    assert_eq!(ranges.len(), 2, "{ranges:?}");
    assert_eq!(
        (&add["count"], &add["min_ns"], &add["max_ns"]),
        (&json!(3), &json!(1_000), &json!(4_000))
    );
    assert_eq!(of("step")["median_ns"], json!(2_000));
    assert!(add["median_ns"].is_null());
}

/// SQLite stores any value in any column.
#[test]
fn values_of_other_types_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("types.sqlite");
    let database = Connection::open(&path).unwrap();
    let script = "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
        INSERT INTO StringIds VALUES (1, CAST(X'6bff' AS TEXT));
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", streamId INTEGER, shortName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1400, 7, 1), ('n/a', 'NaN', 7, 1), (9e999, 9e999, 7, 1), ('', NULL, 7, 1),
            (2000.0, '2400', 7, 1), ('x', 3000, 7, 1), (4000, X'00', 7, 1);
        CREATE TABLE NVTX_EVENTS (start, \"end\", eventType INTEGER, text TEXT);
        INSERT INTO NVTX_EVENTS VALUES (900, 1500.5, 59, 'step, op_id = 3'), ('n/a', 1, 59, 'step');";
    database.execute_batch(script).unwrap();
    let text = run(&format!("recording summary {}", path.display()));
    let text = text.stdout + &text.stderr;
    states(
        &text,
        &[
            "2 launches of 1 kernel",
            "5 launches without a start",
            "1 range without a start",
            "2 events with impossible values, set aside; the first: start \"x\"",
            "601ns",
            "1 name with bytes not UTF-8: replaced by `\u{fffd}`",
        ],
    );
}

/// A byte that is not UTF-8 is replaced and noted in CSV, too.
#[test]
fn replaced_bytes_of_csv_are_noted() {
    let rows = b"Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name\n1000,200,1,GPU (0),1,7,volta\xff_k\n3000,200,2,GPU (0),1,7,k\n";
    states(
        &summary("trace.csv", rows),
        &["2 launches of 2 kernels", "1 name with bytes not UTF-8"],
    );
}
