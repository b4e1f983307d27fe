//! Files with missing, wrong or foreign records, made by hand from public reports. Each stands for a kind of fault.

use serde_json::Value;

use crate::support::run;

const FOLDER: &str = "tests/command/recordings/faults";

/// Runs `recording COMMAND` with the file `name`, and returns its output and its messages as one text.
fn recording(command: &str, name: &str, more: &str, code: i32) -> String {
    let answer = run(&format!("recording {command} {FOLDER}/{name} {more}"));
    assert_eq!(answer.code, code, "{name}: {}", answer.stderr);
    answer.stdout + &answer.stderr
}

/// Returns name, period and C of each task that `recording tasks` derives from the file `name`.
fn tasks(name: &str, more: &str) -> Vec<(String, u64, u64)> {
    let answer = run(&format!("recording tasks {FOLDER}/{name} {more}"));
    let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let number = |value: &Value| value.as_u64().unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter();
    let shape = |task: &Value| {
        let name = task["name"].as_str().unwrap().to_owned();
        (
            name,
            number(&task["period"]),
            number(&task["wcet"]["table"][0][1]),
        )
    };
    tasks.map(shape).collect()
}

fn task(name: &str, period: u64, wcet: u64) -> (String, u64, u64) {
    (name.to_owned(), period, wcet)
}

#[track_caller]
fn states(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// CUPTI and rocprof write start and end 0 for a launch that they have not measured.
#[test]
fn zero_is_no_time() {
    let name = "01-zero-timestamps.sqlite";
    assert_eq!(tasks(name, "").len(), 1);
    let text = recording("tasks", name, "", 0);
    states(
        &text,
        &[
            "5 launches without a start or an end",
            "5 jobs with 5 launches without times",
        ],
    );
    let text = recording("summary", name, "", 0);
    states(
        &text,
        &["15 launches", "5 launches without a start", "\nnot complete\n"],
    );
    let text = recording(
        "audit",
        name,
        &format!("--set {FOLDER}/01-zero-timestamps.set.json"),
        1,
    );
    states(
        &text,
        &[
            "NOT VISIBLE",
            "wcet of camera: 5 jobs with 5 launches without times",
            "deadlines of camera",
        ],
    );
    let name = "01c-zero-timestamps-rocprofv3.csv";
    assert_eq!(
        tasks(&format!("{name}@100"), "--by stream"),
        [task("device 4 stream 2", 1_000_000, 480_000)]
    );
    states(
        &recording("summary", name, "", 0),
        &["1 launch without a start", "not complete"],
    );
}

/// Contexts, streams, threads and calls of two processes have the same numbers.
#[test]
fn processes_are_kept_apart() {
    let name = "02-two-processes-one-context.sqlite";
    states(
        &recording("summary", name, "", 0),
        &[
            "15 launches of 2 kernels on 2 streams of 2 processes",
            "complete: ",
        ],
    );
    assert_eq!(
        tasks(name, "--by stream"),
        [
            task("process 100 stream 7", 10_000_000, 2_400_000),
            task("process 200 stream 7", 20_000_000, 1_200_000)
        ]
    );
    assert_eq!(
        tasks(name, ""),
        [
            task("lidar", 10_000_000, 2_400_000),
            task("camera", 20_000_000, 1_200_000)
        ]
    );
    let both = format!("--set {FOLDER}/02-two-processes.set.json --plan {FOLDER}/02-two-processes.plan.json");
    let text = recording("audit", name, &format!("{both} --format json"), 0);
    let audit: Value = serde_json::from_str(text.split_inclusive('\n').next().unwrap_or_default())
        .or_else(|_| serde_json::from_str(&text))
        .unwrap();
    let contexts = audit["checks"].as_array().unwrap().iter();
    let contexts = contexts.filter(|check| check["subject"] == "context");
    assert!(contexts.clone().count() == 2 && contexts.clone().all(|check| check["verdict"] == "kept"));

    let text = recording("tasks", "02d-merged-kineto-ranks.json@108", "", 2);
    states(
        &text,
        &["host calls of the processes 900 and 901 with the same number 1"],
    );
}

/// Other tools write JSON of the same form.
#[test]
fn foreign_json_is_named_or_read() {
    states(
        &recording("summary", "03-jax-trace.json", "", 2),
        &["a trace of XLA (JAX or TensorFlow)", "hint: "],
    );
    states(
        &recording("summary", "03b-rocprof-v1-results.json", "", 0),
        &[
            "rocprof (results)",
            "2 launches of 2 kernels on 2 streams; kernels run in 206us of 503us",
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    for foreign in [
        "[]",
        "[1, 2]",
        "{\"traceEvents\": []}",
        "{\"traceEvents\": [{}]}",
        "[{\"ph\": \"X\", \"name\": \"a\", \"ts\": 1, \"dur\": 2}]",
        "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"net\", \"name\": \"a\", \"ts\": 1, \"dur\": 2}]}",
        "{\"events\": []}",
    ] {
        let path = folder.path().join("foreign.json");
        std::fs::write(&path, foreign).unwrap();
        let answer = run(&format!("recording summary {}", path.display()));
        assert_eq!(answer.code, 2, "{foreign}: {}", answer.stdout);
    }
}

/// Columns that link the rows of the reports of nsys.
#[test]
fn reports_link_launches_with_ranges() {
    for (name, activity) in [
        ("04-nvtx-gpu-proj.csv", ":step"),
        ("05-kern-exec-trace-nvtx.csv", "step"),
    ] {
        assert_eq!(
            tasks(&format!("{name}@108"), ""),
            [task(activity, 2_000_000, 612_000)]
        );
    }
}

/// A stream runs one kernel after the other.
#[test]
fn overlap_in_one_stream_is_noted() {
    let mut events = Vec::new();
    for (index, length) in [600, 600, 1_600_000, 600].into_iter().enumerate() {
        let start = 1_000 * index;
        events.push(format!(
            "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":{start},\"dur\":{length},\"args\":{{\"device\":0,\"context\":1,\
             \"stream\":7}}}}"
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overlap.json");
    for (kept, noted) in [(4, true), (2, false)] {
        std::fs::write(&path, format!("[{}]", events[..kept].join(","))).unwrap();
        let text = run(&format!("recording summary {}", path.display())).stderr;
        let note = "kernels of one stream overlap: k starts 1.599s before the end of a kernel before it";
        assert_eq!(text.contains(note), noted, "{text}");
    }
}

/// `NaN`, infinity, `null` and `n/a` are one case, and a byte that is not UTF-8 is replaced.
#[test]
fn values_that_are_no_values_are_one_case() {
    let whole =
        std::fs::read_to_string(crate::support::root().join(FOLDER).join("08-nan-duration.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no-value.json");
    let texts = [
        "NaN",
        "null",
        "Infinity",
        "-Infinity",
        "\"NaN\"",
        "\"n/a\"",
        "\"\"",
        "[]",
    ];
    let answers = texts.map(|text| {
        std::fs::write(&path, whole.replace("NaN", text)).unwrap();
        run(&format!("recording summary {}", path.display())).stdout
    });
    states(
        &answers[0],
        &["9 launches of 1 kernel", "1 launch without a start or an end"],
    );
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
    states(
        &recording("summary", "09-bad-utf8-name.json", "", 0),
        &[
            "10 launches of 1 kernel",
            "volta?_sgemm",
            "10 bytes not UTF-8: replaced by `?`",
        ],
    );
    states(
        &recording("summary", "14-ncu-na.csv", "", 0),
        &[
            "1 launch of 1 kernel",
            "12.55us",
            "1 launch without a start or an end",
        ],
    );
}

/// trtexec writes one object per inference. Inferences of two streams overlap.
#[test]
fn inferences_of_trtexec_are_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("times.json");
    for [copy_in, copy_out] in [["In", "Out"], ["H2d", "D2h"]] {
        let inference = |start: u32| {
            let at = |micros: u32| f64::from(start * 1_000 + micros) / 1_000.0;
            format!(
                "{{\"start{copy_in}Ms\": {}, \"end{copy_in}Ms\": {}, \"startComputeMs\": {}, \"endComputeMs\": {}, \
                 \"start{copy_out}Ms\": {}, \"end{copy_out}Ms\": {}, \"latencyMs\": 3}}",
                at(0),
                at(500),
                at(600),
                at(2_600),
                at(2_600),
                at(3_000)
            )
        };
        std::fs::write(&path, format!("[{}]", [0, 2, 4, 6].map(inference).join(",\n"))).unwrap();
        let answer = run(&format!("recording tasks {}@48", path.display()));
        let set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
        let task = &set["tasks"][0];
        // 3 ms from the first start to the last end, and 20 %.
        assert_eq!(
            (&task["name"], &task["period"], &task["wcet"]["table"][0][1]),
            (&"inference".into(), &2_000_000.into(), &3_600_000.into())
        );
        assert_eq!(task["measured_on"]["tool"], "trtexec");
    }
}

/// The numbers that PyTorch adds to the name of each operation are no part of the name.
#[test]
fn numbers_of_emit_nvtx_are_no_names() {
    let range = |name: &str| format!("1000,2000,1000,0,1000,\"{name}\",5,5,0,0,1,,:1,x");
    let header = "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,\
                  NameTree";
    let names = [
        "aten::add, op_id = 7",
        "aten::add, op_id = 71",
        "aten::add, op_id = 9, sizes = [[2, 3], []], input_op_ids = [(7,0)]",
        "aten::add, sizes = [[4]]",
        "AddBackward0, seq = 5, op_id = 12",
        "step",
    ];
    let rows = names.map(range).join("\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ranges.csv");
    std::fs::write(&path, format!("{header}\n{rows}\n")).unwrap();
    let text = run(&format!("recording summary {}", path.display())).stdout;
    states(
        &text,
        &[
            " 4      -  1us     1us  1us  1us  range: aten::add\n",
            "range: AddBackward0\n",
            "range: step\n",
        ],
    );
}

/// One damaged record does not make a file useless. It is set aside, counted and named.
#[test]
fn a_damaged_record_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    for (row, reason) in [
        (
            "5,x,3,GPU (0),1,7,k",
            "line 4: Duration: found \"x\", expected a time",
        ),
        ("5,-3,3,GPU (0),1,7,k", "\"k\" from 5 to 2 ns"),
        (
            "9000000000000000000,1,3,GPU (0),1,7,k",
            "\"k\" from 9000000000000000000 to 9000000000000000001 ns",
        ),
    ] {
        let header = "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name";
        let rows = ["1,2,1,GPU (0),1,7,k", "3,4,2,GPU (0),1,7,k", row];
        std::fs::write(&path, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        let text = run(&format!("recording summary {}", path.display())).stdout;
        let note = format!("1 event with impossible values, set aside; the first: {reason}\n");
        states(
            &text,
            &[
                "2 launches of 1 kernel",
                "1 launch without a start",
                "not complete\n",
                &note,
            ],
        );
    }
}

#[test]
fn a_file_of_counters_lacks_times() {
    states(
        &recording("summary", "10-rocprof-counters-only.csv", "", 2),
        &[
            "a file of rocprof without times",
            "`BeginNs` and `EndNs`",
            "hint: `rocprof",
        ],
    );
}
