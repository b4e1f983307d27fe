//! One damaged record among many does not make a file useless, in any format. The record is set aside, counted and named. No
//! audit of the file is kept, and no task set has a smaller C(m) without the mark that its recording is incomplete.

use std::path::Path;

use serde_json::{Value, json};

use super::siblings::states;
use crate::support::run;

/// Start of job `job` [ns]. Each job takes 400 µs.
fn start(job: i64) -> i64 {
    1_000_000 * (job + 1)
}

const JOBS: i64 = 12;

/// A report with the columns `header`, and one row per job.
fn report(header: &str, row: impl Fn(i64) -> String) -> String {
    let rows: Vec<String> = (0..JOBS).map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

fn gpu_trace() -> String {
    report("Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name", |job| {
        format!("{},400000,{job},GPU (0),1,7,k", start(job))
    })
}

fn kernel_trace() -> String {
    let header = "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"";
    report(header, |job| {
        format!(
            "\"KERNEL_DISPATCH\",\"Agent 4\",7,\"k\",{},{}",
            start(job),
            start(job) + 400_000
        )
    })
}

fn kineto() -> String {
    let event = |job: i64| {
        json!({"ph": "X", "cat": "kernel", "name": "k", "ts": start(job) / 1000, "dur": 400, "pid": 0, "tid": 7,
               "args": {"device": 0, "context": 1, "stream": 7}})
        .to_string()
    };
    let events: Vec<String> = (0..JOBS).map(event).collect();
    format!(
        "{{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n]}}",
        events.join(",\n")
    )
}

fn rocprofv3() -> String {
    let dispatch = |job: i64| {
        json!({"start_timestamp": start(job), "end_timestamp": start(job) + 400_000, "stream_id": {"handle": 7},
               "dispatch_info": {"agent_id": {"handle": 4}, "queue_id": {"handle": 2}, "kernel_id": 1}})
        .to_string()
    };
    let dispatches: Vec<String> = (0..JOBS).map(dispatch).collect();
    let symbols = json!([{"kernel_id": 1, "formatted_kernel_name": "k"}]);
    format!(
        "{{\"rocprofiler-sdk-tool\": [{{\"kernel_symbols\": {symbols}, \"buffer_records\": {{\"kernel_dispatch\": [\n{}\n]}}}}]}}",
        dispatches.join(",\n")
    )
}

fn trtexec() -> String {
    let inference = |job: i64| {
        let at = |us: i64| (start(job) + 1000 * us) as f64 / 1e6;
        json!({"startInMs": at(0), "endInMs": at(50), "startComputeMs": at(50), "endComputeMs": at(350),
               "startOutMs": at(350), "endOutMs": at(400)})
        .to_string()
    };
    let inferences: Vec<String> = (0..JOBS).map(inference).collect();
    format!("[\n{}\n]", inferences.join(",\n"))
}

/// Replaces the line with the record of job 5. Line 1 is a header, or the start of a document.
fn damaged(content: &str, line: impl Fn(&str) -> String) -> String {
    let lines = content.lines().enumerate().map(|(number, text)| match number {
        6 => line(text),
        _ => text.to_owned(),
    });
    lines.collect::<Vec<String>>().join("\n") + "\n"
}

/// Checks a file with one damaged record against the set of the intact file.
#[track_caller]
fn check(folder: &Path, name: &str, (intact, damaged): (&str, &str), by: &str, reason: &str) {
    let [whole, file, set] =
        ["whole-", "damaged-", "set-"].map(|start| folder.join(format!("{start}{name}")));
    std::fs::write(&whole, intact).unwrap();
    std::fs::write(&file, damaged).unwrap();
    let tasks = |file: &Path| {
        let answer = run(&format!(
            "recording tasks {}@8 --by {by} --margin 1",
            file.display()
        ));
        assert_eq!(answer.code, 0, "{damaged}: {}", answer.stderr);
        answer.stdout
    };
    let text = tasks(&whole);
    std::fs::write(&set, &text).unwrap();
    let audit = |file: &Path| {
        run(&format!(
            "recording audit {}@8 --set {} --by {by}",
            file.display(),
            set.display()
        ))
    };
    let found = audit(&whole);
    assert!(found.stdout.starts_with("KEPT"), "{name}: {found:?}");
    let found = audit(&file);
    assert!(found.stdout.starts_with("NOT VISIBLE"), "{damaged}: {found:?}");
    let summary = run(&format!("recording summary {}", file.display()));
    states(
        &summary.stdout,
        &["not complete", "set aside; the first: ", reason],
    );
    let (before, after): (Value, Value) = (
        serde_json::from_str(&text).unwrap(),
        serde_json::from_str(&tasks(&file)).unwrap(),
    );
    let of = |set: &Value| set["tasks"][0]["wcet"]["table"][0][1].as_u64().unwrap();
    assert!(of(&after) >= of(&before), "{damaged}: {before} {after}");
    assert!(
        after.to_string().contains("\"incomplete\":true"),
        "{damaged}: {after}"
    );
}

#[test]
fn rows_of_reports_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let cut = |row: &str| row.split(',').take(3).collect::<Vec<&str>>().join(",");
    for (name, intact, columns) in [("gpu.csv", gpu_trace(), 7), ("kernel.csv", kernel_trace(), 6)] {
        let reason = format!("line 7: found 3 values, expected {columns}");
        let content = damaged(&intact, cut);
        check(folder.path(), name, (&intact, &content), "stream", &reason);
        check(folder.path(), name, (&intact, &content), "kernel", &reason);
        let content = damaged(&intact, |row| format!("{row},x"));
        let reason = format!("line 7: found {} values", columns + 1);
        check(folder.path(), name, (&intact, &content), "stream", &reason);
        // The end of the file is missing.
        let (rest, last) = intact.trim_end().rsplit_once('\n').unwrap();
        let content = format!("{rest}\n{}", cut(last));
        check(
            folder.path(),
            name,
            (&intact, &content),
            "stream",
            "line 13: found 3 values",
        );
    }
    // A quotation mark without its end joins all later rows.
    let intact = gpu_trace();
    let content = damaged(&intact, |row| format!("\"{row}"));
    let reasons = [
        "line 7: found 1 values, expected 7",
        "5 launches of 1 kernel",
        "7 launches without a start",
    ];
    for reason in reasons {
        check(folder.path(), "quote.csv", (&intact, &content), "stream", reason);
    }
    // By chance, the joined rows have the number of values of one row, at the end of the file or up to the next quotation mark.
    let content = damaged(&intact, |row| row.replace(",k", ",\"k"));
    for reason in [
        "line 7: found values with the line break",
        "7 launches without a start",
    ] {
        check(folder.path(), "last.csv", (&intact, &content), "stream", reason);
    }
    let intact = kernel_trace().replace("\"KERNEL_DISPATCH\",\"Agent 4\"", "KERNEL_DISPATCH,Agent 4");
    let intact = intact.replace("\"k\"", "\"k(int, int)\"");
    let content = damaged(&intact, |row| {
        row.replace(",7,", ",\"7,").replace("\"k(int, int)\"", "k")
    });
    for reason in [
        "line 7: found values with the line break",
        "2 launches without a start",
    ] {
        check(folder.path(), "next.csv", (&intact, &content), "stream", reason);
    }
    // The row ends before the name of its kernel.
    let intact = gpu_trace();
    let content = damaged(&intact, |row| row.replace(",k", ","));
    let reason = "line 7: Name: found no text, expected the name of a kernel or copy";
    check(folder.path(), "name.csv", (&intact, &content), "stream", reason);
    // A range may have a name with a line break.
    let header = "Start (ns),End (ns),Duration (ns),Name,PID,TID,RangeId,RangeStack,NameTree";
    let text = format!("{header}\n1,5,4,\"a,\nb\",7,7,1,:1,\"a,\nb\"\n");
    let answer = super::siblings::summary("names.csv", text);
    assert!(!answer.contains("set aside"), "{answer}");
}

/// A file with more damaged rows than other rows is refused.
#[test]
fn a_file_of_damaged_rows_is_refused() {
    let content = "Start (ns),Duration (ns),CorrId,Device,Ctx,Strm,Name\n1,2,1,GPU (0),1,7,k\n1,2\n3\n";
    let answer = super::siblings::recording("summary", "rows.csv", content, "");
    assert_eq!(answer.code, 2, "{answer:?}");
    states(&answer.stderr, &["rows.csv:3: found 2 values, expected 7"]);
}

#[test]
fn values_of_json_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let comma = |line: &str| if line.ends_with(',') { "," } else { "" };
    for (name, intact, by) in [
        ("kineto.json", kineto(), "stream"),
        ("rocprof.json", rocprofv3(), "stream"),
        ("trtexec.json", trtexec(), "range"),
    ] {
        for value in ["null", "\"x\"", "7", "[{}]", "true", "-1.5"] {
            let content = damaged(&intact, |line| value.to_owned() + comma(line));
            check(
                folder.path(),
                name,
                (&intact, &content),
                by,
                "a value that is no ",
            );
        }
    }
    for (from, to, reason) in [
        ("\"ph\":\"X\"", "\"ph\":5", "\"k\" without a known phase"),
        ("\"ph\":\"X\"", "\"ph\":\"Y\"", "\"k\" without a known phase"),
        ("\"cat\":\"kernel\"", "\"cat\":null", "\"k\" without a category"),
        ("\"ts\":", "\"ts\":{\"a\":1},\"t\":", "\"k\" with ts"),
    ] {
        let intact = kineto();
        let content = damaged(&intact, |line| line.replace(from, to));
        assert_ne!(content, intact + "\n");
        check(
            folder.path(),
            "event.json",
            (&kineto(), &content),
            "stream",
            reason,
        );
    }
    let intact = trtexec();
    for (from, to) in [
        ("\"startComputeMs\":", "\"x\":"),
        ("\"startComputeMs\":", "\"startComputeMs\":\"x\",\"x\":"),
    ] {
        let content = damaged(&intact, |line| line.replace(from, to));
        let answer = super::siblings::summary("trtexec.json", content);
        states(&answer, &["not complete", "1 launch without a start"]);
    }
}

/// The kernel of a damaged row of Nsight Compute may have more traffic than its other launches.
#[test]
fn rows_of_counters_are_set_aside() {
    let header = "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";
    let mut rows = vec![header.to_owned()];
    for (id, kernel) in (0..8).zip(["a", "b"].into_iter().cycle()) {
        for (metric, unit) in [
            ("gpu__time_duration.sum", "ns"),
            ("dram__bytes_read.sum", "byte"),
            ("dram__bytes_write.sum", "byte"),
        ] {
            rows.push(format!(
                "\"{id}\",\"10\",\"{kernel}\",\"{metric}\",\"{unit}\",\"100{id}\""
            ));
        }
    }
    let read = |rows: &[String]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.csv");
        std::fs::write(&path, rows.join("\n") + "\n").unwrap();
        let options = gpusched::recording::readers::Options::default();
        let found = gpusched::recording::readers::read(&path, options, &mut |_| {}).unwrap();
        let traffic =
            { found.traffic.iter() }.map(|&(name, bytes)| (found.names.get(name).to_owned(), bytes));
        let mut traffic: Vec<(String, u64)> = traffic.collect();
        traffic.sort();
        (traffic, found.open.len(), found.missing.impossible)
    };
    let both = [("a".to_owned(), 2012), ("b".to_owned(), 2014)];
    assert_eq!(read(&rows), (both.to_vec(), 0, 0));
    for (change, left) in [
        // The row of launch 7 states its kernel, and the row of an unknown kernel may be of each kernel.
        (
            &(|row: &str| row[..row.len() - 20].to_owned()) as &dyn Fn(&str) -> String,
            1,
        ),
        (&|_: &str| "\"7\",\"10\"".to_owned(), 0),
        (&|row: &str| row.replace("\"b\"", "\"b,\"\"\",\"c\""), 0),
        (&|row: &str| row.replace("\"byte\"", "\"furlong\""), 1),
    ] {
        let mut rows = rows.clone();
        let last = rows.last_mut().unwrap();
        *last = change(last);
        let text = last.clone();
        let (traffic, _, aside) = read(&rows);
        assert_eq!((traffic.len(), aside), (left, 1), "{text}: {traffic:?}");
    }
}
