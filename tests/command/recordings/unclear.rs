//! Promise: launches outside ranges and gaps between kernels make no verdict better. A run that may have missed a deadline is never
//! kept, and a C(m) that may be too short is an assumption.

use std::path::Path;

use serde_json::{Value, json};

use super::run::{Kernel, Range, Run};
use super::safety::{CAMERA, MS, Periodic, files, recorded, says, set};
use crate::support::{run, run_with};

/// Thread of the task, and its stream.
const OWN: i64 = 100;

fn kernel(name: &str, (start, end): (i64, i64), call: (i64, i64), stream: i64) -> Kernel {
    Kernel {
        name: name.to_owned(),
        start,
        end,
        device: 0,
        context: 1,
        green: 0,
        stream,
        call,
    }
}

fn range(name: &str, job: i64, (start, end): (i64, i64), thread: i64) -> Range {
    Range {
        name: format!("{name}#{job}"),
        start,
        end: Some(end),
        thread,
    }
}

/// Jobs of `camera`, each with one kernel of 1 ms in its range of 2 ms. The period is 20 ms.
fn camera() -> Run {
    let mut run = Run::default();
    for job in 0..6 {
        let at = 20 * MS * job;
        run.ranges.push(range("camera", job, (at, at + 2 * MS), OWN));
        let times = (at + MS, at + 2 * MS);
        run.kernels.push(kernel("A", times, (at + MS / 2, OWN), OWN));
    }
    run
}

/// Writes a task set of `camera` and its plan, and returns their names.
fn planned(folder: &Path) -> [String; 2] {
    let [set, plan] = ["set.json", "plan.json"].map(|name| folder.join(name).display().to_string());
    let task = json!({"name": "camera", "period": "20ms", "deadline": "10ms", "wcet": "4ms"});
    std::fs::write(&set, json!({"tasks": [task]}).to_string()).unwrap();
    let answer = run(&format!("partition {set} --sms 8 -q -o {plan}"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    [set, plan]
}

/// The kernel B ends 16 ms after the release of its job, and the deadline is 10 ms.
#[test]
fn a_launch_after_a_range_may_miss_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let [set, plan] = planned(folder.path());
    let verdict = |recorded: &Run, hide: bool, options: &str| {
        let [database, trace] = files(folder.path(), recorded);
        let hidden = "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = (SELECT max(correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME)";
        if hide {
            let connection = rusqlite::Connection::open(&database).unwrap();
            connection.execute_batch(hidden).unwrap();
        }
        let of = |file: &String| {
            let answer = run(&format!(
                "recording audit {file}@8 --set {set} {options} --format json -q"
            ));
            let audit: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
            assert_eq!(answer.code == 0, audit["verdict"] == "kept");
            audit["verdict"].as_str().unwrap().to_owned()
        };
        let both = [database, trace];
        let found: Vec<String> = both.iter().take(if hide { 1 } else { 2 }).map(of).collect();
        found.iter().for_each(|one| assert_eq!(*one, found[0]));
        found[0].clone()
    };
    let plan = format!("--plan {plan}");
    for options in ["", plan.as_str()] {
        assert_eq!(verdict(&camera(), false, options), "kept");
        // Start of the call, thread and stream of B. A launch of a thread without ranges may belong to each task of its process.
        for (at, thread, stream, hide, expected) in [
            (60 * MS, OWN, OWN, false, "not-visible"),
            (60 * MS, 900, OWN, false, "not-visible"),
            (60 * MS, 900, 900, false, "not-visible"),
            (60 * MS, OWN, 900, false, "not-visible"),
            (60 * MS, 900, 900, true, "not-visible"),
            (100 * MS, OWN, OWN, false, "not-visible"),
            (1000 * MS, 900, 900, false, "not-visible"),
            (-60 * MS, OWN, OWN, false, "kept"),
            (-60 * MS, 900, 900, true, "kept"),
        ] {
            let mut late = camera();
            let times = (at + 4 * MS, at + 16 * MS);
            late.kernels
                .push(kernel("B", times, (at + 3 * MS, thread), stream));
            let case = format!("{at} {thread} {stream} {hide} {options}");
            assert_eq!(verdict(&late, hide, options), expected, "{case}");
        }
        // Another thread has ranges of its own. Its launches belong to it, unless they are on the stream of the task.
        for (stream, expected) in [(OWN, "not-visible"), (200, "kept")] {
            let mut other = camera();
            other.ranges.push(range("log", 0, (61 * MS, 62 * MS), 200));
            let times = (64 * MS, 76 * MS);
            other.kernels.push(kernel("B", times, (63 * MS, 200), stream));
            assert_eq!(verdict(&other, false, options), expected, "{stream}");
        }
    }
}

/// Each range `camera` is before a range `log` and the call of B. So B may belong to both.
#[test]
fn a_launch_after_two_ranges_is_an_assumption_of_the_other_task() {
    let folder = tempfile::tempdir().unwrap();
    let logged = |after: bool| {
        let mut run = camera();
        for job in 0..6 {
            let at = 20 * MS * job;
            run.ranges
                .push(range("log", job, (at + 2 * MS + 1, at + 3 * MS), OWN));
            let times = (at + 2 * MS, at + 3 * MS);
            run.kernels.push(kernel("L", times, (at + 2 * MS + 2, OWN), OWN));
            if after {
                let times = (at + 4 * MS, at + 5 * MS);
                run.kernels.push(kernel("B", times, (at + 3 * MS + 1, OWN), OWN));
            }
        }
        run
    };
    let incomplete = |found: &Value, name: &str| {
        let tasks = found["tasks"].as_array().unwrap();
        let task = tasks.iter().find(|task| task["name"] == name).unwrap();
        task["measured_on"]["incomplete"] == true
    };
    for (after, names) in [
        (true, ""),
        (true, "--name camera"),
        (false, ""),
        (false, "--name camera"),
    ] {
        for file in files(folder.path(), &logged(after)) {
            let answer = run(&format!("recording tasks {file}@8 --margin 1 {names}"));
            let found = set(&answer);
            assert_eq!(incomplete(&found, "camera"), after, "{file} {names}");
            let note = "\"camera\": 6 launches outside ranges may belong to these jobs, but count to other jobs or to no job";
            assert_eq!(answer.stderr.contains(note), after, "{}", answer.stderr);
            if names.is_empty() {
                assert!(!incomplete(&found, "log"), "{file}");
            }
            let tested = run_with("partition - --sms 8 --format json -q", found.to_string());
            assert_eq!(tested.stdout.contains("recording-incomplete"), after, "{file}");
        }
    }
}

/// A job with a gap of 6 ms takes 8 ms, and the WCET is 4 ms with gaps of 2 ms.
#[test]
fn an_audit_counts_gaps_without_a_plan_and_if_they_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let camera = Periodic {
        period: 20 * MS,
        ..CAMERA
    };
    let even = recorded(&[camera]);
    let (mut longer, mut dense) = (even.clone(), even.clone());
    longer.kernels[7].start += 4 * MS;
    longer.kernels[7].end += 4 * MS;
    for job in dense.kernels.chunks_mut(2) {
        job[1].start = job[0].end;
        job[1].end = job[1].start + MS;
        job[1].call.0 = job[0].call.0 + 1;
    }
    let [file, _] = files(folder.path(), &even);
    for gaps in ["count", "separate"] {
        let set = path(&format!("{gaps}.json"));
        let answer = run(&format!(
            "recording tasks {file}@8 --margin 1 --gaps {gaps} -q -o {set}"
        ));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
    }
    let plan = |gaps: &str, policy: &str| {
        let (set, plan) = (
            path(&format!("{gaps}.json")),
            path(&format!("{gaps}-{policy}.json")),
        );
        let answer = run(&format!("partition {set} --sms 8 --policy {policy} -q -o {plan}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        format!("--plan {plan}")
    };
    for gaps in ["count", "separate"] {
        let mut options = vec![String::new()];
        options.extend(["edf", "np-edf", "lp-edf", "dm"].map(|policy| plan(gaps, policy)));
        for option in options {
            let audit = |recorded: &Run| {
                let [file, _] = files(folder.path(), recorded);
                let set = path(&format!("{gaps}.json"));
                run(&format!("recording audit {file}@8 --set {set} {option}"))
            };
            says(&audit(&dense), 0, &["KEPT"]);
            let separate = gaps == "separate";
            let left_out = "the task set leaves out gaps of up to 2ms, so its verdict assumes none";
            match separate {
                false => says(&audit(&even), 0, &["KEPT"]),
                true => says(&audit(&even), 1, &["BROKEN", "job 3", "by 2ms", left_out]),
            }
            let found = audit(&longer);
            let (by, gaps) = if separate {
                ("by 6ms", left_out)
            } else {
                ("by 4ms", "")
            };
            says(
                &found,
                1,
                &["BROKEN", "job 3", by, "ran for 8ms on the GPU", gaps],
            );
        }
    }
}

/// Another job runs in the gap, so the gap is a preemption. Without a record of this job, the file does not show it.
#[test]
fn a_gap_with_another_job_is_a_preemption() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let task = |name: &str| json!({"name": name, "period": "10ms", "wcet": "2ms"});
    std::fs::write(
        path("set.json"),
        json!({"tasks": [task("camera"), task("lidar")]}).to_string(),
    )
    .unwrap();
    let mut both = recorded(&[CAMERA]);
    for job in 0..CAMERA.jobs {
        let at = 10 * MS * job;
        both.ranges.push(range("lidar", job, (at + MS, at + 5 * MS), 200));
        let times = (at + 2 * MS, at + 4 * MS);
        both.kernels
            .push(kernel("kernel of lidar", times, (at + MS + 1, 200), 200));
    }
    let audit = |recorded: &Run, option: &str| {
        let [file, _] = files(folder.path(), recorded);
        run(&format!(
            "recording audit {file}@8 --set {} {option}",
            path("set.json")
        ))
    };
    let planned = |policy: &str| {
        let (set, plan) = (path("set.json"), path(&format!("{policy}.json")));
        let answer = run(&format!("partition {set} --sms 1 --policy {policy} -q -o {plan}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        format!("--plan {plan}")
    };
    let options = ["edf", "lp-edf"].map(planned);
    says(&audit(&both, ""), 0, &["KEPT"]);
    says(&audit(&both, &planned("edf")), 0, &["KEPT"]);
    let mut one = both.clone();
    one.ranges.retain(|range| !range.name.starts_with("lidar"));
    for option in options.iter().map(String::as_str).chain([""]) {
        let answer = audit(&one, option);
        says(&answer, 1, &["NOT VISIBLE"]);
        assert!(!answer.stdout.contains("wcet-exceeded"), "{}", answer.stdout);
    }
    let mut none = both.clone();
    none.kernels
        .retain(|kernel| kernel.stream != 200 || kernel.start > 70 * MS);
    none.ranges
        .retain(|range| range.thread != 200 || range.start > 70 * MS);
    says(
        &audit(&none, ""),
        1,
        &["BROKEN", "wcet-exceeded of camera", "by 2ms"],
    );
}
