//! What a measurement leaves out or only states is marked, from the recording to the plan.

use serde_json::{Value, json};

use super::doubtful::event;
use super::siblings::{states, summary};
use crate::support::run;

/// A trace of twelve jobs of 400 µs, one per millisecond.
fn trace() -> String {
    let events: Vec<Value> = (1..=12)
        .map(|job| {
            let args = json!({"device": 0, "context": 1, "stream": 7, "correlation": job});
            event("kernel", "k", (0, 7), (1_000 * job, 400), args)
        })
        .collect();
    json!({"schemaVersion": 1, "traceEvents": events}).to_string()
}

/// Text of the assumption `id` of a plan.
fn text(plan: &Value, id: &str) -> Option<String> {
    let mut assumptions = plan["assumptions"].as_array().unwrap().iter();
    let found = assumptions.find(|assumption| assumption["id"] == id)?;
    Some(found["text"].as_str().unwrap().to_owned())
}

#[test]
fn warm_ups_stated_overheads_and_other_granularities_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("trace.json"), trace()).unwrap();
    let bounds = r#""occupancy_ns":"20us","wake_ns":"10us""#;
    std::fs::write(path("stated.json"), format!("{{{bounds}}}")).unwrap();
    let measured = format!(r#"{{{bounds},"device":"NVIDIA Orin","driver":"580.65","longest":"15us"}}"#);
    std::fs::write(path("measured.json"), measured).unwrap();
    let unmeasured = " Not measured.";
    for (warm_up, overheads, options) in [
        ("", "stated", ""),
        ("--warm-up 2", "measured", ""),
        ("--warm-up 3ms", "stated", "--granularity green-context"),
        ("--warm-up 1", "measured", "--granularity tpc"),
    ] {
        let (set, plan) = (path("set.json"), path("plan.json"));
        let answer = run(&format!(
            "recording tasks {}@8 --by stream {warm_up} -o {set}",
            path("trace.json")
        ));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let overheads_file = path(&format!("{overheads}.json"));
        let made = run(&format!(
            "partition {set} --gpu orin --overheads {overheads_file} {options} -o {plan}"
        ));
        assert_eq!(made.code, 0, "{}", made.stderr);
        // `run` refuses these partitions on a GPU, unless the user chose them.
        let note = made.stderr.contains("add `--granularity green-context`");
        assert_eq!(note, options.is_empty(), "{options}: {}", made.stderr);
        let written: Value = serde_json::from_str(&std::fs::read_to_string(&plan).unwrap()).unwrap();
        let stated = text(&written, "dispatch-overheads").unwrap();
        assert_eq!(stated.ends_with(unmeasured), overheads == "stated", "{stated}");
        let left_out = text(&written, "warm-up-left-out");
        let expected = match warm_up {
            "" => None,
            "--warm-up 2" => Some("the first 2 jobs"),
            "--warm-up 3ms" => Some("the first 3ms"),
            _ => Some("the first job"),
        };
        match (&left_out, expected) {
            (None, None) => {}
            (Some(text), Some(rule)) => assert!(text.contains(&format!(": {rule} (")), "{text}"),
            found => panic!("{warm_up}: {found:?}"),
        }
        let verified = run(&format!("verify {plan} {set} --gpu orin"));
        assert_eq!(verified.code, 0, "{verified:?}");
        let tested = run(&format!(
            "test {set} --sms 8 --overheads {overheads_file} --format json"
        ));
        let verdict: Value = serde_json::from_str(&tested.stdout).unwrap();
        assert_eq!(text(&verdict, "warm-up-left-out"), left_out, "{verdict}");
        assert_eq!(text(&verdict, "dispatch-overheads").unwrap(), stated, "{verdict}");
    }
}

/// Without MPS, processes take turns on the GPU, so the recorded time of a kernel contains slices of the other process.
#[test]
fn kernels_of_several_processes_that_overlap_are_noted() {
    let header = "API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),PID,TID,\
                  DevId,API Function,GridXYZ,BlockXYZ,Kernel Name\n";
    let note = "kernels of several processes ran at the same time, for up to 300us";
    for (process, device, start, noted) in [
        (8, 0, 2_200_000, true),
        (7, 0, 2_200_000, false),
        (8, 1, 2_200_000, false),
        (8, 0, 2_500_000, false),
    ] {
        let row = |process: u32, device: u32, start: u32| {
            format!("1000,10,,,{start},500000,1500,{process},{process},{device},cudaLaunchKernel,1,1,k\n")
        };
        let content = header.to_owned() + &row(7, 0, 2_000_000) + &row(process, device, start);
        let found = summary("exec.csv", content);
        assert_eq!(found.contains(note), noted, "{process} {device} {start}: {found}");
    }
    states(&summary("one.json", trace()), &["complete: "]);
}
