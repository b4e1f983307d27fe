//! The audit of runs whose jobs are chunks, and of runs after an overrun.

use serde_json::{Value, json};

use super::Case;
use crate::support::run;

/// One partition. Jobs have chunks of 1 ms.
const SET: &str = r#"{"tasks":[
  {"name":"radar","period":"10ms","block":"1ms","launches":3,"wcet":{"table":[[8,"3ms"]]}},
  {"name":"map","period":"50ms","block":"1ms","launches":10,"wcet":{"table":[[8,"10ms"]]}}]}"#;

fn ns(value: &Value) -> i64 {
    (value.as_f64().unwrap() * 1000.0).round() as i64
}

/// Returns the violations in the trace of `case`: kind, task, job and amount.
fn violations(case: &Case) -> Vec<(String, String, u64, Option<u64>)> {
    let (trace, set, plan) = (case.trace.display(), case.set.display(), case.plan.display());
    let answer = run(&format!(
        "recording audit {trace} --set {set} --plan {plan} --format json"
    ));
    let audit: Value = serde_json::from_str(&answer.stdout).unwrap();
    let findings = audit["findings"].as_array().unwrap().iter();
    let found = findings.filter(|finding| finding["kind"] != "unknown");
    let found: Vec<_> = found
        .map(|finding| {
            let text = |field: &str| finding[field].as_str().unwrap().to_owned();
            let (job, by) = (finding["job"].as_u64().unwrap(), finding["by_ns"].as_u64());
            (text("kind"), text("task"), job, by)
        })
        .collect();
    assert_eq!(answer.code, i32::from(!found.is_empty()), "{audit}");
    found
}

fn violation(kind: &str, task: &str, job: u64, by: Option<u64>) -> (String, String, u64, Option<u64>) {
    (kind.to_owned(), task.to_owned(), job, by)
}

/// Moves the kernel event at `index` and its host call, which is the event before it.
fn place(trace: &mut Value, index: usize, (start, end): (i64, i64)) {
    let us = |ns: i64| json!(ns as f64 / 1000.0);
    let events = trace["traceEvents"].as_array_mut().unwrap();
    events[index - 1]["ts"] = us(start);
    events[index - 1]["dur"] = us(0);
    events[index]["ts"] = us(start);
    events[index]["dur"] = us(end - start);
}

#[test]
fn faults_of_chunks_are_found() {
    for policy in ["lp-edf", "lp-fp"] {
        let case = Case::of(SET, &format!("--sms 8 --policy {policy}"));
        let file = case.plan.with_file_name("overheads.json");
        std::fs::write(&file, r#"{"occupancy_ns":"20us","wake_ns":"10us"}"#).unwrap();
        let line = format!("--backend simulated --duration 1s --overheads {}", file.display());
        let ran = run(&case.traced(&line));
        assert_eq!(ran.code, 0, "{policy}: {}", ran.stderr);
        assert_eq!(violations(&case), []);
        let good = case.read();
        let events = good["traceEvents"].as_array().unwrap();
        let time = |index: usize| {
            let start = ns(&events[index]["ts"]);
            (start, start + ns(&events[index]["dur"]))
        };
        let kernels: Vec<usize> = (0..events.len())
            .filter(|&index| events[index]["cat"] == "kernel")
            .collect();
        let audit = case.audit();
        let decisions = format!("replayed {} decisions of 1 partition", kernels.len());
        assert!(audit.stdout.contains(&decisions), "{}", audit.stdout);
        let last = |kernel: usize| kernel > 1 && events[kernel - 2]["cat"] == "user_annotation";
        let name = |index: usize| events[index]["name"].as_str().unwrap();
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut trace = good.clone();
            change(&mut trace);
            std::fs::write(&case.trace, trace.to_string()).unwrap();
            violations(&case)
        };
        // The job that preempts `map` first: its chunks are between two chunks of `map` without a gap.
        let at = (1..kernels.len())
            .find(|&at| {
                let [one, other] = [kernels[at - 1], kernels[at]];
                let next = (at..kernels.len()).find(|&next| name(kernels[next]) == "map");
                let within = !last(one) && next.is_some_and(|next| !last(kernels[next]));
                (name(one), name(other)) == ("map", "radar") && time(one).1 == time(other).0 && within
            })
            .unwrap();
        let next = (at..).find(|&next| name(kernels[next]) == "map").unwrap();
        let number = time(kernels[at]).0 / 50_000_000;
        let later = changed(&|trace| {
            let (start, _) = time(kernels[at]);
            let (from, to) = time(kernels[next]);
            place(trace, kernels[next], (start, start + to - from));
            for &radar in &kernels[at..next] {
                let (start, end) = time(radar);
                place(trace, radar, (start + to - from, end + to - from));
            }
            // The range of the job of `radar` is before the events of its last chunk.
            let range = kernels[next - 1] - 2;
            let dur = ns(&trace["traceEvents"][range]["dur"]) + to - from;
            trace["traceEvents"][range]["dur"] = json!(dur as f64 / 1000.0);
        });
        assert_eq!(
            later,
            [violation("wrong-order", "map", number as u64, None)],
            "{policy}"
        );
        // Two chunks of `map` that are one kernel.
        let pair = (1..kernels.len())
            .find(|&at| {
                let [one, other] = [kernels[at - 1], kernels[at]];
                (name(one), name(other)) == ("map", "map") && time(one).1 == time(other).0 && !last(other)
            })
            .unwrap();
        let long = changed(&|trace| {
            let (start, end) = (time(kernels[pair - 1]).0, time(kernels[pair]).1);
            place(trace, kernels[pair - 1], (start, end));
            trace["traceEvents"]
                .as_array_mut()
                .unwrap()
                .drain(kernels[pair] - 1..=kernels[pair]);
        });
        let (start, end) = (time(kernels[pair - 1]).0, time(kernels[pair]).1);
        let job = (start / 50_000_000) as u64;
        let by = (end - start - 1_020_000) as u64;
        assert_eq!(
            long,
            [violation("wcet-exceeded", "map", job, Some(by))],
            "{policy}"
        );
        // A chunk that starts later than the chunk before it ends, although its job waits.
        let idle = changed(&|trace| {
            let (start, end) = time(kernels[pair]);
            place(trace, kernels[pair], (start + 1_000, end));
        });
        assert_eq!(idle, [violation("idle", "map", job, Some(1_000))], "{policy}");
    }
}

/// A skipped job is stated as such, and no decision counts as wrong because of it. After `abort`, each task states why its jobs
/// are missing.
#[test]
fn the_audit_knows_skipped_jobs_and_the_end_after_an_overrun() {
    for policy in ["np-edf", "np-fifo", "np-fp"] {
        let case = Case::new(&format!("--gpu h100 --policy {policy}"));
        let with = |overrun: &str| {
            let line =
                format!("--backend simulated --duration 2s --execution radar#7=4.5ms --overrun {overrun}");
            let ran = run(&case.traced(&line));
            assert_eq!(ran.code, 1, "{}", ran.stderr);
            violations(&case)
        };
        let exceeded = violation("wcet-exceeded", "radar", 7, Some(1_500_000));
        assert_eq!(with("record"), std::slice::from_ref(&exceeded), "{policy}");
        assert_eq!(
            with("skip-next"),
            [exceeded.clone(), violation("job-missing", "radar", 8, None)],
            "{policy}"
        );
        assert!(
            case.audit()
                .stdout
                .contains("was skipped, because the job before it exceeded its budget")
        );
        let found = with("abort");
        assert_eq!(found[0], exceeded, "{policy}");
        let missing = found[1..]
            .iter()
            .map(|(kind, task, ..)| (kind.as_str(), task.as_str()));
        let mut missing: Vec<_> = missing.collect();
        missing.sort_unstable();
        let all = ["camera", "lidar", "map", "radar"].map(|task| ("job-missing", task));
        assert_eq!(missing, all, "{policy}");
        let text = case.audit().stdout;
        let reasons = [
            "radar#7 exceeded its budget, and the run ended",
            "another partition ended the run",
        ];
        assert!(reasons.iter().all(|reason| text.contains(reason)), "{text}");
    }
}
