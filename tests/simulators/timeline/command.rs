//! `--trace` and `--gantt`: the trace and the chart show the simulated events.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::timeline::trace::{Event, events, faults};

fn gpusched(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusched"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command.output().unwrap()
}

fn answer(folder: &Path, arguments: &str) -> Value {
    let output = gpusched(folder, arguments);
    assert!(output.status.success(), "{arguments}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// Returns the slices of each lane, by process and lane.
fn lanes(events: &[Event]) -> HashMap<(String, String), Vec<&Event>> {
    let name = |what: &str, pid: usize, tid: Option<usize>| {
        let mut named = events
            .iter()
            .filter(|event| event.ph == "M" && event.name == what);
        let found = named.find(|event| event.pid == pid && (tid.is_none() || event.tid == tid));
        found.unwrap().args["name"].as_str().unwrap().to_owned()
    };
    let mut lanes: HashMap<(String, String), Vec<&Event>> = HashMap::new();
    for event in events.iter().filter(|event| event.ph == "X") {
        let lane = (
            name("process_name", event.pid, None),
            name("thread_name", event.pid, event.tid),
        );
        lanes.entry(lane).or_default().push(event);
    }
    lanes
}

#[test]
fn ten_tasks_in_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    answer(
        at,
        "generate --tasks 10 --utilization 3 --count 1 --seed 3 -o set.json",
    );
    answer(
        at,
        "partition set.json --gpu xavier --granularity sm --policy edf -o plan.json",
    );
    let run = "simulate tasks set.json --plan plan.json --duration 1s --format json";
    let plain = answer(at, run);
    let drawn = answer(
        at,
        &format!("{run} --trace trace.json --gantt figure.svg --to 200ms"),
    );
    assert_eq!(plain, drawn, "looking on changes nothing");
    let trace = fs::read_to_string(at.join("trace.json")).unwrap();
    assert_eq!(faults(&trace), [""; 0]);
    let events = events(&trace);
    let lanes = lanes(&events);
    let partitions = plain["partitions"].as_array().unwrap();
    let (mut jobs, mut tasks) = (0, 0);
    for (index, partition) in partitions.iter().enumerate() {
        let all: Vec<_> = lanes
            .iter()
            .filter(|((process, _), _)| process.starts_with(&format!("partition {index},")))
            .collect();
        let busy = |lane: &[&Event]| lane.iter().map(|event| event.end() - event.start()).sum::<u64>();
        let of = |wanted: bool| {
            all.iter()
                .filter(move |((_, lane), _)| (lane == "runs") == wanted)
        };
        let runs: u64 = of(true).map(|(_, lane)| busy(lane)).sum();
        assert_eq!(Some(runs), partition["busy_ns"].as_u64(), "partition {index}");
        assert_eq!(of(false).map(|(_, lane)| busy(lane)).sum::<u64>(), runs);
        tasks += of(false).count();
        jobs += partition["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["jobs"].as_u64().unwrap())
            .sum::<u64>();
    }
    assert_eq!(tasks, 10);
    let releases = events
        .iter()
        .filter(|event| event.ph == "i" && event.name.starts_with("release"))
        .count();
    assert_eq!(releases as u64, jobs);
    let figure = fs::read_to_string(at.join("figure.svg")).unwrap();
    crate::support::xml::check_xml(&figure);
    assert!(figure.contains("partition 0"));
}

#[test]
fn thread_blocks_of_two_applications() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, switch) in [("block", "block"), ("instruction", "instruction")] {
        let text = fs::read_to_string(root.join("tasksets/scenarios/two-applications.json")).unwrap();
        let mut scenario: Value = serde_json::from_str(&text).unwrap();
        scenario["switch"] = switch.into();
        fs::write(at.join("scenario.json"), scenario.to_string()).unwrap();
        let plain = answer(at, "simulate blocks scenario.json --format json");
        let drawn = answer(
            at,
            "simulate blocks scenario.json --format json --trace trace.json --gantt chart.svg",
        );
        assert_eq!(plain, drawn, "looking on changes nothing");
        let trace = fs::read_to_string(at.join("trace.json")).unwrap();
        assert_eq!(faults(&trace), [""; 0], "{name}");
        let events = events(&trace);
        let lanes = lanes(&events);
        // The total time of blocks per SM, from the result and from the trace.
        let mut on: HashMap<u64, u64> = HashMap::new();
        for block in plain["blocks"].as_array().unwrap() {
            let time = block["end_ns"].as_u64().unwrap() - block["start_ns"].as_u64().unwrap();
            *on.entry(block["sm"].as_u64().unwrap()).or_default() += time;
        }
        assert!(!on.is_empty());
        for (sm, time) in on {
            let name = format!("SM {sm}");
            let of = lanes
                .iter()
                .filter(|((_, lane), _)| *lane == name || lane.starts_with(&format!("{name} ")));
            let drawn: u64 = of
                .flat_map(|(_, lane)| lane)
                .map(|event| event.end() - event.start())
                .sum();
            match switch {
                "block" => assert_eq!(drawn, time, "SM {sm}"),
                _ => assert!(drawn <= time && drawn > 0, "SM {sm}: {drawn} of {time}"),
            }
        }
        assert!(lanes.keys().any(|(_, lane)| lane == "application"));
        assert!(fs::read_to_string(at.join("chart.svg")).unwrap().contains("SM 0"));
    }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    answer(at, "generate --tasks 2 --utilization 1 --count 2 -o sets.jsonl");
    answer(at, "generate --tasks 2 --utilization 1 --count 1 -o one.json");
    let mut told = Transcript::in_folder(at);
    for line in [
        "simulate tasks sets.jsonl --sms 4 --trace t.json",
        "simulate tasks sets.jsonl --sms 4 --from 1ms",
        "simulate tasks one.json --sms 4 --trace -",
        "simulate tasks one.json --sms 4 --gantt a --trace a",
        "simulate tasks one.json --sms 4 --gantt a.svg --from 2ms --to 1ms",
        "simulate tasks one.json --sms 4 --gantt g.svg --trace missing/t.json",
        "simulate tasks sets.jsonl --sms 4 --trace missing/t.json",
    ] {
        let mut command = crate::support::gpusched(line.split_whitespace());
        told.refusal(line, &crate::support::answer(command.current_dir(at)));
        for left in ["t.json", "g.svg", "a", "a.svg", "-"] {
            assert!(!at.join(left).exists(), "{line}: {left}");
        }
    }
    assert_snapshot!(told);
}

/// A chart with too many elements is rejected, and an existing file stays unchanged. The run still prints its result.
#[test]
fn a_chart_that_is_too_large_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let blocks =
        r#"{"platform":"xavier","kernels":[{"stream":0,"blocks":60000,"threads":128,"block_time":"1us"}]}"#;
    fs::write(at.join("blocks.json"), blocks).unwrap();
    let step = r#"{"latency":1}"#;
    let warps = format!(
        r#"{{"scheduler":"lrr","kernels":[{{"name":"K","warps":60,"launch":0,"program":[{}]}}]}}"#,
        vec![step; 1000].join(",")
    );
    fs::write(at.join("warps.json"), warps).unwrap();
    let program = r#"{"name":"adds","grid":120,"block":512,"parameters":{"n":30},"body":[
        {"loop":"n","counter":"i","body":[{"op":"add.int","to":"r","from":"r"}]},{"op":"exit"}]}"#;
    fs::write(at.join("program.json"), program).unwrap();
    answer(at, "generate --tasks 2 --utilization 1 --count 1 -o one.json");
    for (run, more) in [
        (
            "simulate tasks one.json --sms 4 --duration 6000s",
            Some("--utilization"),
        ),
        ("simulate blocks blocks.json", None),
        ("simulate warps warps.json", None),
        ("simulate warps program.json --machine rtx2060", Some("--issues")),
    ] {
        for format in ["text", "csv", "json"] {
            let more = more.map_or(String::new(), |option| format!("{option} more.csv"));
            let all = format!("{run} --format {format} -o whole {more} --trace t.json");
            assert!(gpusched(at, &all).status.success(), "{all}");
            let trace = fs::read(at.join("t.json")).unwrap();
            assert!(trace.len() > 1_000_000, "{run}");
            let left = ["whole", "more.csv", "t.json"].map(|name| at.join(name));
            for path in left.iter().filter(|path| path.exists()) {
                fs::write(path, "before").unwrap();
            }
            let before = fs::read_dir(at).unwrap().count();
            let refused = gpusched(at, &format!("{all} --gantt g.svg"));
            let stderr = String::from_utf8(refused.stderr).unwrap();
            assert_eq!(refused.status.code(), Some(2), "{run}: {stderr}");
            assert!(stderr.starts_with("error: --gantt: found "), "{run}: {stderr}");
            assert!(stderr.ends_with("choose a shorter window\n"), "{run}: {stderr}");
            assert_eq!(fs::read_dir(at).unwrap().count(), before, "{run}");
            for path in left.iter().filter(|path| path.exists()) {
                assert_eq!(fs::read_to_string(path).unwrap(), "before", "{run}");
                fs::remove_file(path).unwrap();
            }
        }
    }
}

/// gpusched refuses a run with too many events before the run starts. These runs would take hours.
#[test]
fn a_trace_that_is_too_long_is_refused_early() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let blocks = r#"{"platform":"xavier","kernels":[{"stream":0,"blocks":150000000,"threads":128,"block_time":"1us"}]}"#;
    fs::write(at.join("blocks.json"), blocks).unwrap();
    fs::write(
        at.join("set.json"),
        format!(r#"{{"tasks":[{}]}}"#, crate::support::TASK),
    )
    .unwrap();
    let system = r#"{"cores":[{"name":"c","policy":"fp"}],"tasks":[{"name":"t","period":"1ms","segments":[{"on":"c","wcet":"1us"}]}]}"#;
    fs::write(at.join("system.json"), system).unwrap();
    for line in [
        "simulate blocks blocks.json --format csv --trace t.json",
        "simulate tasks set.json --sms 1 --policy edf --duration 9000000s --format csv --trace t.json",
        "simulate tasks system.json --duration 9000000s --trace t.json",
    ] {
        let refused = gpusched(at, line);
        let stderr = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{line}: {stderr}");
        let message = "error: --trace: found more than 4000000 events, expected at most 4000000 events";
        assert!(stderr.starts_with(message), "{line}: {stderr}");
        assert!(!at.join("t.json").exists());
    }
}

/// A record of the issues of a simulated GPU ends the run at its limit. The run has 10^12 instructions.
#[test]
fn a_trace_of_a_simulated_gpu_is_refused_early() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program = r#"{"name":"adds","grid":120,"block":512,"parameters":{"n":16000000},"body":[
        {"loop":"n","counter":"i","body":[{"op":"add.int","to":"r","from":"r"}]},{"op":"exit"}]}"#;
    fs::write(at.join("program.json"), program).unwrap();
    let refused = gpusched(at, "simulate warps program.json --machine rtx2060 --trace t.json");
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    let message = "the run issues more than 4000000 instructions, which is the limit for a record of the run";
    assert!(stderr.contains(message), "{stderr}");
}
