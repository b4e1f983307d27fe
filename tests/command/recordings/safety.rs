//! Promise: a task set from recordings is safe. What a recording lacks makes C(m) longer, is an error, or is an assumption of each
//! verdict.

use std::path::Path;

use serde_json::{Value, json};

use super::run::{Kernel, Range, Run};
use super::writers::{SCHEMAS, kineto, sqlite};
use crate::support::{Answer, run, run_with};

pub const MS: i64 = 1_000_000;

/// A task on a thread and a stream of its own. Each job has two kernels of 1 ms with a gap of 2 ms.
pub struct Periodic {
    pub name: &'static str,
    pub thread: i64,
    pub offset: i64,
    pub period: i64,
    pub jobs: i64,
}

pub const CAMERA: Periodic = Periodic {
    name: "camera",
    thread: 100,
    offset: 0,
    period: 10 * MS,
    jobs: 8,
};

impl Periodic {
    fn add(&self, recorded: &mut Run) {
        for job in 0..self.jobs {
            let release = self.offset + job * self.period;
            recorded.ranges.push(Range {
                name: format!("{}#{job}", self.name),
                start: release,
                end: Some(release + 5 * MS),
                thread: self.thread,
            });
            for start in [release + MS, release + 4 * MS] {
                recorded.kernels.push(Kernel {
                    name: format!("kernel of {}", self.name),
                    start,
                    end: start + MS,
                    device: 0,
                    context: 1,
                    green: 0,
                    stream: self.thread,
                    call: (start - MS / 2, self.thread),
                });
            }
        }
    }
}

pub fn recorded(tasks: &[Periodic]) -> Run {
    let mut recorded = Run::default();
    tasks.iter().for_each(|task| task.add(&mut recorded));
    recorded
}

/// Writes `recorded` for two profilers.
pub fn files(folder: &Path, recorded: &Run) -> [String; 2] {
    let [database, trace] = ["run.sqlite", "run.json"].map(|name| folder.join(name));
    let _ = std::fs::remove_file(&database);
    sqlite(&database, recorded, &SCHEMAS[0]);
    kineto(&trace, recorded, false, false);
    [database, trace].map(|path| path.display().to_string())
}

#[track_caller]
pub fn set(answer: &Answer) -> Value {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

fn wcet(set: &Value, task: usize) -> u64 {
    set["tasks"][task]["wcet"]["table"][0][1].as_u64().unwrap()
}

/// Names of the assumptions in a result.
fn assumptions(result: &str) -> Vec<String> {
    let result: Value = serde_json::from_str(result).unwrap_or_else(|_| panic!("{result}"));
    let list = result["assumptions"].as_array().unwrap().iter();
    list.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
pub fn says(answer: &Answer, code: i32, parts: &[&str]) {
    let text = answer.stdout.clone() + &answer.stderr;
    assert_eq!(answer.code, code, "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn gaps_count_or_are_an_assumption_of_each_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for file in files(folder.path(), &recorded(&[CAMERA])) {
        let tasks = |more: &str| run(&format!("recording tasks {file}@8 --margin 1 {more}"));
        let counted = tasks("");
        assert_eq!(wcet(&set(&counted), 0), 4_000_000, "{file}");
        assert!(!counted.stderr.contains("have gaps"), "{}", counted.stderr);
        let separate = tasks("--gaps separate");
        let found = set(&separate);
        assert_eq!(wcet(&found, 0), 2_000_000, "{file}");
        assert_eq!(found["tasks"][0]["measured_on"]["left_out_gaps"], 2_000_000);
        says(&separate, 0, &["jobs have gaps of up to 2ms (50 %)"]);
        for (found, assumed) in [(set(&counted), false), (found, true)] {
            std::fs::write(path("set.json"), found.to_string()).unwrap();
            let set = path("set.json");
            let has = |text: &str| assumptions(text).contains(&"gaps-left-out".to_owned());
            let answer = run(&format!("test {set} --sms 8 --format json -q"));
            assert_eq!((answer.code, has(&answer.stdout)), (0, assumed), "{file}");
            let answer = run(&format!("partition {set} --sms 8 --format json -q"));
            assert_eq!((answer.code, has(&answer.stdout)), (0, assumed), "{file}");
            std::fs::write(path("plan.json"), &answer.stdout).unwrap();
            let checked = run(&format!("verify {} {set}", path("plan.json")));
            let text = "Jobs have no gaps between their kernels, although measured jobs had gaps of up to 2ms in total (1 of 1 task).";
            assert_eq!(
                (checked.code, checked.stdout.contains(text)),
                (0, assumed),
                "{file}"
            );
            let mut plan: Value = serde_json::from_str(&answer.stdout).unwrap();
            let list = plan["assumptions"].as_array_mut().unwrap();
            list.retain(|one| one["id"] != "gaps-left-out");
            std::fs::write(path("plan.json"), plan.to_string()).unwrap();
            let checked = run(&format!("verify {} {set}", path("plan.json")));
            assert_eq!(checked.code, i32::from(assumed), "{file}: {}", checked.stdout);
        }
    }
}

/// A context without a kernel loses its turn in each gap of a job. So a bound for one segment per job is too small.
#[test]
fn time_slices_refuse_jobs_of_several_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let [file, _] = files(folder.path(), &recorded(&[CAMERA]));
    let found = run(&format!("recording tasks {file}@8 --margin 1 -q")).stdout;
    let shared = |set: &str, more: &str| {
        let line = format!("test - --sms 8 --time-slice 1ms --switch 10us --overrun 0ns {more}");
        run_with(&line, set)
    };
    let refused = shared(&found, "");
    says(
        &refused,
        2,
        &[
            "tasks[0].measured_on.kernels: found 2, expected 1, because a context without a kernel loses its turn",
            "one segment per kernel",
        ],
    );
    assert_eq!(refused.stdout, "");
    let waiting = shared(&found, "--idle wait");
    says(
        &waiting,
        0,
        &[
            "SCHEDULABLE",
            "has a WCET that includes the gaps between its kernels.",
            "note: the WCETs are times on the GPU, and time slices count no overheads of launches",
            "note: the verdict also assumes: The measured jobs ran on the stated number of SMs",
        ],
    );
    let left_out = run(&format!("recording tasks {file}@8 --gaps separate -q")).stdout;
    for rule in ["skip", "wait", "fixed"] {
        let answer = shared(&left_out, &format!("--idle {rule}"));
        says(
            &answer,
            2,
            &["tasks[0].measured_on.left_out_gaps: found gaps of up to 2ms"],
        );
    }
    let several = r#"{"tasks":[{"period":"10ms","launches":3,"wcet":"1ms"}]}"#;
    says(
        &shared(several, ""),
        2,
        &["tasks[0].launches: found 3, expected 1"],
    );
    let stated = r#"{"tasks":[{"period":"10ms","wcet":"1ms"}]}"#;
    let text =
        "Each segment on a context of gpu is one kernel, or its kernels follow each other without gaps.";
    says(&shared(stated, ""), 0, &[text]);
}

/// The counterexample for the refusal: 20 kernels of 150 µs with gaps of 225 µs, against 20 kernels of 300 µs with gaps of 300 µs.
#[test]
fn a_run_of_several_kernels_exceeds_the_bound_of_one_segment() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let kernels = 20;
    let tasks = [("a", 150, 225), ("b", 300, 300)];
    let system = |segments: &dyn Fn(&str, i64, i64) -> Vec<Value>| {
        let context = |(name, ..): (&str, i64, i64)| json!({"name": name, "slice": "2ms", "overrun": "0ns"});
        let task = |(name, kernel, gap): (&str, i64, i64)| json!({"name": name, "period": "200ms", "wait": "suspend", "segments": segments(name, kernel, gap)});
        let cores = tasks.map(|(name, ..)| json!({"name": format!("cpu {name}"), "policy": "fp"}));
        let gpu = json!({"name": "gpu", "sms": 8, "policy": "time-sliced", "switch": "500us", "contexts": tasks.map(context)});
        json!({"cores": cores, "partitions": [gpu], "tasks": tasks.map(task)}).to_string()
    };
    let whole = |name: &str, kernel: i64, gap: i64| {
        let total = kernels * kernel + (kernels - 1) * gap;
        vec![json!({"on": name, "wcet": format!("{total}us")})]
    };
    let real = |name: &str, kernel: i64, gap: i64| {
        let kernel = json!({"on": name, "wcet": format!("{kernel}us")});
        let gap = json!({"on": format!("cpu {name}"), "wcet": format!("{gap}us")});
        let mut segments = vec![kernel.clone()];
        (1..kernels).for_each(|_| segments.extend([gap.clone(), kernel.clone()]));
        segments
    };
    std::fs::write(path("whole.json"), system(&whole)).unwrap();
    std::fs::write(path("real.json"), system(&real)).unwrap();
    let bound = run(&format!("test {} --format json -q", path("whole.json")));
    let bound: Value = serde_json::from_str(&bound.stdout).unwrap();
    let seen = run(&format!("simulate tasks {} --format json -q", path("real.json")));
    let seen: Value = serde_json::from_str(&seen.stdout).unwrap();
    let longest = |task: usize| seen["tasks"][task]["response_max_ns"].as_u64().unwrap();
    let bounded = |task: usize| bound["tasks"][task]["bound_ns"].as_u64().unwrap();
    assert!(
        (0..2).any(|task| longest(task) > bounded(task)),
        "{bound}\n{seen}"
    );
    // The bound of the system with one segment per kernel contains the run.
    let bound = run(&format!("test {} --format json -q", path("real.json")));
    let bound: Value = serde_json::from_str(&bound.stdout).unwrap();
    for task in 0..2 {
        let bounded = bound["tasks"][task]["bound_ns"].as_u64().unwrap();
        assert!(bounded >= longest(task), "{bound}");
    }
}

#[test]
fn lost_records_are_refused_or_assumed() {
    let folder = tempfile::tempdir().unwrap();
    let all = recorded(&[CAMERA]);
    // The second kernel of each job is lost.
    let [database, trace] = files(folder.path(), &all);
    let connection = rusqlite::Connection::open(&database).unwrap();
    let second = "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid % 2 = 0";
    connection.execute_batch(second).unwrap();
    let mut document: Value = serde_json::from_str(
        &std::fs::read_to_string(&trace)
            .unwrap()
            .replace("Infinity", "0")
            .replace("NaN", "0"),
    )
    .unwrap();
    let is_second = |event: &Value| {
        let id = event["args"]["correlation"].as_u64();
        event["cat"] == "kernel" && id.is_some_and(|id| id % 2 == 1)
    };
    let mut events = document["traceEvents"].as_array().unwrap().clone();
    events.retain(|event| !is_second(event));
    document["traceEvents"] = Value::Array(events);
    std::fs::write(&trace, document.to_string()).unwrap();
    for file in [&database, &trace] {
        for gaps in ["count", "separate"] {
            let answer = run(&format!("recording tasks {file}@8 --gaps {gaps}"));
            let found = "8 jobs of \"camera\", each without the times of a launch, expected at least one complete job";
            says(&answer, 2, &[found, "hint: record the run again"]);
            assert_eq!(answer.stdout, "");
        }
    }
    // One job is complete. The verdict assumes that no lost job is longer.
    for file in files(folder.path(), &all) {
        if file.ends_with(".json") {
            continue;
        }
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection
            .execute_batch(&format!("{second} AND rowid > 2"))
            .unwrap();
        let answer = run(&format!("recording tasks {file}@8 --margin 1"));
        let found = set(&answer);
        let measured = &found["tasks"][0]["measured_on"];
        assert_eq!((wcet(&found, 0), &measured["samples"]), (4_000_000, &1.into()));
        assert_eq!(measured["incomplete"], true);
        let tested = run_with("partition - --sms 8 --format json -q", found.to_string());
        assert!(assumptions(&tested.stdout).contains(&"recording-incomplete".to_owned()));
    }
    let whole = set(&run(&format!(
        "recording tasks {}@8",
        files(folder.path(), &all)[0]
    )));
    assert_eq!(whole["tasks"][0]["measured_on"].get("incomplete"), None);
}

/// A launch of a thread with ranges never counts to the task of another thread, and launches without a job never shorten C(m).
#[test]
fn launches_outside_ranges_count_to_the_job_before_them() {
    let folder = tempfile::tempdir().unwrap();
    let lidar = Periodic {
        name: "lidar",
        thread: 200,
        offset: 20 * MS,
        period: 20 * MS,
        ..CAMERA
    };
    let mut partial = recorded(&[CAMERA, lidar]);
    // Each range of `camera` ends before the second call.
    for range in partial.ranges.iter_mut().filter(|range| range.thread == 100) {
        range.end = Some(range.start + 2 * MS);
    }
    for file in files(folder.path(), &partial) {
        for (gaps, expected) in [("count", 4_000_000), ("separate", 2_000_000)] {
            let answer = run(&format!("recording tasks {file}@8 --margin 1 --gaps {gaps}"));
            let found = set(&answer);
            let names: Vec<&Value> = { found["tasks"].as_array().unwrap().iter() }
                .map(|task| &task["name"])
                .collect();
            assert_eq!(names, ["camera", "lidar"], "{file}");
            assert_eq!([wcet(&found, 0), wcet(&found, 1)], [expected; 2], "{file}");
            says(
                &answer,
                0,
                &["jobs of \"camera\" contain 8 launches after their ranges"],
            );
        }
    }
    // A thread without ranges: two threads have a range around its launches, so both jobs contain them.
    let other = Periodic {
        name: "lidar",
        thread: 200,
        ..CAMERA
    };
    let mut worker = recorded(&[CAMERA, other]);
    for kernel in worker
        .kernels
        .iter_mut()
        .filter(|kernel| kernel.call.0 % (10 * MS) > 3 * MS)
    {
        kernel.call.1 = 300;
    }
    for file in files(folder.path(), &worker) {
        let found = set(&run(&format!("recording tasks {file}@8 --margin 1 -q")));
        assert_eq!([wcet(&found, 0), wcet(&found, 1)], [4_000_000; 2], "{file}");
    }
    // A launch without a host call belongs to the jobs around it on its stream.
    let [file, _] = files(folder.path(), &recorded(&[CAMERA]));
    let connection = rusqlite::Connection::open(&file).unwrap();
    let calls = "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId % 2 = 1";
    connection.execute_batch(calls).unwrap();
    let answer = run(&format!("recording tasks {file}@8 --margin 1"));
    assert!(wcet(&set(&answer), 0) >= 4_000_000, "{}", answer.stdout);
    let note = "8 launches without a host call count to the jobs before and after them on their streams";
    says(&answer, 0, &[note]);
}

#[test]
fn stated_sizes_are_assumed_and_copies_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for file in files(folder.path(), &recorded(&[CAMERA])) {
        let answer = run(&format!("recording tasks {file}@8"));
        says(
            &answer,
            0,
            &["the file does not show the number of SMs after `@`, so each verdict assumes it"],
        );
        let found = set(&answer);
        assert_eq!(found["tasks"][0]["measured_on"]["size_stated"], true);
        let tested = run_with("partition - --sms 8 --format json -q", found.to_string());
        assert!(assumptions(&tested.stdout).contains(&"size-stated".to_owned()));
        // The kernels cannot use more than the whole GPU, which has 48 SMs.
        for size in ["@48", ""] {
            let found = set(&run(&format!("recording tasks {file}{size} -q")));
            assert_eq!(found["tasks"][0]["measured_on"].get("size_stated"), None);
        }
        let twice = format!("the same launches as in {file}, expected the recording of another run");
        for more in [format!("{file}@16"), format!("--conflict {file}@8")] {
            says(&run(&format!("recording tasks {file}@8 {more}")), 2, &[&twice]);
        }
    }
    // The green contexts of a deployed run show their sizes.
    let deployed = run("recording tasks tasksets/recordings/robot/deployed.sqlite");
    let deployed = set(&deployed);
    for task in deployed["tasks"].as_array().unwrap() {
        assert_eq!(task["measured_on"]["size_stated"], Value::Null, "{task}");
        assert!(task["measured_on"]["tool"].is_string(), "{task}");
    }
}

#[test]
fn marks_of_the_profiler_and_inner_ranges_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let mut steps = recorded(&[CAMERA]);
    let step = |job: i64, name: &str, (from, to): (i64, i64)| Range {
        name: format!("{name}#{job}"),
        start: job * 10 * MS + from,
        end: Some(job * 10 * MS + to),
        thread: 100,
    };
    steps
        .ranges
        .extend((0..8).map(|job| step(job, "ProfilerStep", (-MS, 9 * MS - 1))));
    steps
        .ranges
        .extend((0..8).map(|job| step(job, "inner", (MS, 2 * MS))));
    for file in files(folder.path(), &steps) {
        let answer = run(&format!("recording tasks {file}@8"));
        assert_eq!(set(&answer)["tasks"][0]["name"], "camera", "{file}");
        says(
            &answer,
            0,
            &[
                "8 ranges `ProfilerStep` are marks of the profiler, and no jobs (--name ProfilerStep)",
                "ranges inside other ranges are parts of the outer jobs: inner; if one of them is the task, choose it with --name",
            ],
        );
        let answer = run(&format!("recording tasks {file}@8 --name ProfilerStep"));
        assert_eq!(set(&answer)["tasks"][0]["name"], "ProfilerStep", "{file}");
    }
    steps
        .ranges
        .retain(|range| range.name.starts_with("ProfilerStep"));
    for file in files(folder.path(), &steps) {
        let answer = run(&format!("recording tasks {file}@8"));
        assert_eq!(set(&answer)["tasks"][0]["name"], "ProfilerStep", "{file}");
        assert!(!answer.stderr.contains("marks"), "{}", answer.stderr);
    }
}

#[test]
fn doubtful_periods_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let [file, _] = files(folder.path(), &recorded(&[CAMERA]));
    let stated = |period: &str| run(&format!("recording tasks {file}@8 --period camera={period}"));
    let grows = "leads to the jitter 1.4ms, but the observed period is 10ms; the jitter grows with the length of the recording";
    let advice = "replace `--period camera=10.2ms` by `--deployed-period camera=10.2ms`";
    says(&stated("10200us"), 0, &[grows, advice]);
    let answer = stated("10100us");
    says(
        &answer,
        0,
        &["is at most 1 % longer than the observed distance 10ms"],
    );
    assert!(!answer.stderr.contains("--deployed-period"), "{}", answer.stderr);
    for period in ["10ms", "9990us"] {
        let answer = stated(period);
        assert!(!answer.stderr.contains("observed period"), "{}", answer.stderr);
    }
    // A busy thread starts each range when the job before it ends.
    let busy = Periodic {
        period: 5 * MS,
        ..CAMERA
    };
    let [file, _] = files(folder.path(), &recorded(&[busy]));
    let answer = run(&format!("recording tasks {file}@8"));
    says(
        &answer,
        0,
        &[
            "jobs fill 100 % of the time between releases",
            "is unsafe if the real period is shorter (--period)",
        ],
    );
    // A longer deployed period needs no other jitter. Its deadline is this period.
    let [file, _] = files(folder.path(), &recorded(&[CAMERA]));
    let answer = run(&format!("recording tasks {file}@8 --deployed-period camera=12ms"));
    let found = &set(&answer)["tasks"][0];
    assert_eq!(
        (&found["period"], found.get("jitter"), found.get("deadline")),
        (&12_000_000.into(), None, None)
    );
    assert!(!answer.stderr.contains("stated period"), "{}", answer.stderr);
    let wrong = run(&format!("recording tasks {file}@8 --deployed-period lidar=12ms"));
    assert!(
        wrong.code == 2 && wrong.stderr.contains("deployed-period: found \"lidar\""),
        "{}",
        wrong.stderr
    );
    // Irregular releases have no jitter without the recorded period.
    let mut irregular = recorded(&[CAMERA]);
    for (range, shift) in irregular
        .ranges
        .iter_mut()
        .zip([0, 7, 0, 6, 1, 7, 0, 5].into_iter().cycle())
    {
        range.start += shift * MS;
        range.end = Some(range.start + MS / 2);
    }
    let [irregular, _] = files(folder.path(), &irregular);
    let answer = run(&format!(
        "recording tasks {irregular}@8 --deployed-period camera=12ms"
    ));
    says(
        &answer,
        2,
        &[
            "deployed-period: found irregular releases of \"camera\"",
            "(--period)",
        ],
    );
    let answer = run(&format!(
        "recording tasks {irregular}@8 --period camera=10ms --deployed-period camera=12ms"
    ));
    assert_eq!(set(&answer)["tasks"][0]["jitter"], 7 * MS, "{answer:?}");
    // The fourth job starts 4 ms after its arrival, and the next jobs catch up.
    let mut late = recorded(&[CAMERA]);
    late.ranges[3].start += 4 * MS;
    late.ranges[3].end = Some(late.ranges[3].start + 5 * MS);
    for kernel in &mut late.kernels[6..8] {
        (kernel.start, kernel.end) = (kernel.start + 4 * MS, kernel.end + 4 * MS);
        kernel.call.0 += 4 * MS;
    }
    let [file, _] = files(folder.path(), &late);
    let answer = run(&format!(
        "recording tasks {file}@8 --warm-up 1 --period camera=10ms"
    ));
    let note = "\"camera\": if the first 4 jobs are a warm-up, `--warm-up 4` gives period 10ms, jitter 0ns. Without it: period 10ms, jitter 4ms; C(m) stays";
    says(&answer, 0, &[note]);
}

/// A slow first job delays the range of the next job, whose deadline then counts from a late release.
#[test]
fn deadlines_of_late_ranges_are_not_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.json");
    let text = json!({"tasks": [{"period": 10 * MS, "name": "camera", "deadline": 9 * MS, "jitter": 2 * MS,
        "wcet": {"table": {"isolated": [[8, 9 * MS]], "conflict": [[8, 9 * MS]]}}}]});
    std::fs::write(&set, text.to_string()).unwrap();
    let deadlines = |recorded: &Run| {
        let [file, _] = files(folder.path(), recorded);
        let answer = run(&format!(
            "recording audit {file}@8 --set {} --warm-up 1 --format json",
            set.display()
        ));
        let found: Value = serde_json::from_str(&answer.stdout).unwrap();
        let checks = found["checks"].as_array().unwrap();
        let check = checks
            .iter()
            .find(|check| check["subject"] == "deadlines")
            .unwrap();
        let reason = "1 job starts directly after the job before";
        (check["verdict"].clone(), answer.stdout.contains(reason))
    };
    let mut recorded = recorded(&[CAMERA]);
    assert_eq!(deadlines(&recorded), ("kept".into(), false));
    // The first job ends 1 ms after the arrival of the second job. Then the thread starts the range of the second job.
    for kernel in &mut recorded.kernels {
        match kernel.start {
            start if start == 4 * MS => kernel.end = 11 * MS,
            start if (11 * MS..20 * MS).contains(&start) => {
                kernel.start += MS;
                kernel.end += MS;
                kernel.call.0 += MS;
            }
            _ => {}
        }
    }
    recorded.ranges[1].start = 11 * MS;
    recorded.ranges[1].end = Some(16 * MS);
    assert_eq!(deadlines(&recorded), ("not-visible".into(), true));
}

#[test]
fn an_empty_trace_is_not_called_complete() {
    let folder = tempfile::tempdir().unwrap();
    let [_, file] = files(folder.path(), &Run::default());
    let answer = run(&format!("recording summary {file}"));
    says(
        &answer,
        0,
        &["the file contains no work on the GPU and no ranges"],
    );
    assert!(!answer.stdout.contains("complete"), "{}", answer.stdout);
}

/// A plan in words is no input.
#[test]
fn a_plan_as_text_has_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("x.plan").display().to_string();
    let set = crate::support::ADAS;
    for gpu in ["--sms 30", "--sms 2"] {
        run(&format!("partition {set} {gpu} -q -o {plan}"));
        for line in [
            format!("verify {plan} {set}"),
            format!("export {plan} {set} --as mps"),
            format!("report {plan} {set} -o {plan}.html"),
        ] {
            says(
                &run(&line),
                2,
                &[
                    "expected a plan",
                    "write the plan as JSON: `gpusched partition … -o plan.json`",
                ],
            );
        }
    }
}

/// Each reason is a sentence that ends with one period.
#[test]
fn reasons_end_with_one_period() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json").display().to_string();
    let set = r#"{"tasks":[{"name":"x","period":"33ms","jitter":"20ms","wcet":{"table":[[2,"40ms"],[4,"20ms"]]}},
        {"name":"y","period":"33ms","jitter":"30ms","wcet":"20ms"}]}"#;
    for policy in ["np-fp", "np-edf", "edf", "np-fifo"] {
        let answer = run_with(&format!("partition - --sms 4 --policy {policy} -o {plan}"), set);
        says(
            &answer,
            1,
            &["note: NOT SCHEDULABLE", ". Release jitter is the cause for task"],
        );
        assert!(!answer.stderr.contains(".. "), "{}", answer.stderr);
    }
}

/// Checks also note that the overheads of dispatchers are absent.
#[test]
fn a_check_notes_absent_overheads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [file, _] = files(folder.path(), &recorded(&[CAMERA]));
    run(&format!("recording tasks {file}@8 -q -o {}", path("set.json")));
    std::fs::write(path("o.json"), r#"{"occupancy_ns":"10us","wake_ns":"10us"}"#).unwrap();
    for (more, noted) in [
        (String::new(), true),
        (format!("--overheads {}", path("o.json")), false),
    ] {
        run(&format!(
            "partition {} --sms 8 -q -o {} {more}",
            path("set.json"),
            path("plan.json")
        ));
        let answer = run(&format!("verify {} {}", path("plan.json"), path("set.json")));
        assert_eq!(answer.code, 0, "{}", answer.stdout);
        let found = answer.stderr.contains("no overheads of dispatchers are stated");
        assert_eq!(found, noted, "{}", answer.stderr);
    }
}
