//! A simulated run of a plan, written as a recording, keeps to its plan. Each injected fault is found, and nothing else.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::run::{Kernel, Range, Run};
use super::writers;
use crate::support::{ADAS, Answer, run};

/// A simulated run of a plan, with the name and the number of the job of each kernel.
pub struct Simulated {
    pub folder: TempDir,
    pub plan: PathBuf,
    pub run: Run,
    pub jobs: Vec<(String, u64)>,
}

/// Simulates the plan of `adas.json` on eight SMs.
pub fn simulated() -> Simulated {
    simulate(
        ADAS,
        "--gpu xavier --granularity sm --policy edf",
        "--duration 600ms",
    )
}

/// Simulates a plan of `set` with the options `gpu` of `partition` and `more` of `simulate tasks`. Each partition is a green
/// context.
pub fn simulate(set: &str, gpu: &str, more: &str) -> Simulated {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (plan, trace, rows) = (path("plan.json"), path("trace.json"), path("jobs.csv"));
    let line = format!("partition {set} {gpu} -q -o {}", plan.display());
    assert_eq!(run(&line).code, 0);
    let line = format!(
        "simulate tasks {set} --plan {} {more} -q --trace {} -o {}",
        plan.display(),
        trace.display(),
        rows.display()
    );
    assert_eq!(run(&line).code, 0);

    let names: Vec<String> = tasks(set);
    let parts: Value = serde_json::from_str(&std::fs::read_to_string(&plan).unwrap()).unwrap();
    let parts = parts["partitions"].as_array().unwrap();
    let context = |task: usize| {
        let contains = |part: &Value| part["tasks"].as_array().unwrap().contains(&task.into());
        2 + parts.iter().position(contains).unwrap() as i64
    };
    let mut recorded = Run::default();
    for (index, part) in parts.iter().enumerate() {
        recorded
            .green
            .push((2 + index as i64, part["sms"].as_u64().unwrap() as u32));
    }
    let mut releases = Vec::new();
    let mut reader = csv::Reader::from_path(&rows).unwrap();
    for row in reader.deserialize::<std::collections::HashMap<String, String>>() {
        let row = row.unwrap();
        let number = |field: &str| row[field].parse::<i64>().unwrap();
        let task = number("task") as usize;
        releases.push((names[task].clone(), number("job") as u64, number("release_ns")));
        recorded.ranges.push(Range {
            name: format!("{}#{}", names[task], number("job")),
            start: number("release_ns"),
            end: Some(number("release_ns") + 1_000),
            thread: 100 + task as i64,
        });
    }
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    // The slices of all tasks of a partition are also on one common track.
    let tracks: Vec<&Value> = events
        .iter()
        .filter(|event| event["name"] == "thread_name" && event["args"]["name"] == "runs")
        .map(|event| &event["tid"])
        .collect();
    let mut jobs = Vec::new();
    for event in events.iter().filter(|event| !tracks.contains(&&event["tid"])) {
        let task = names.iter().position(|name| event["cat"] == *name);
        let (Some(task), "X") = (task, event["ph"].as_str().unwrap()) else {
            continue;
        };
        let job: u64 = event["name"]
            .as_str()
            .unwrap()
            .strip_prefix("job ")
            .unwrap()
            .parse()
            .unwrap();
        let ns = |field: &str| (event[field].as_f64().unwrap() * 1000.0).round() as i64;
        let release = releases
            .iter()
            .find(|(name, number, _)| *name == names[task] && *number == job)
            .unwrap()
            .2;
        jobs.push((names[task].clone(), job));
        recorded.kernels.push(Kernel {
            name: format!("kernel of {}", names[task]),
            start: ns("ts"),
            end: ns("ts") + ns("dur"),
            device: 0,
            context: context(task),
            green: context(task),
            stream: 7 + task as i64,
            call: (release + 500, 100 + task as i64),
        });
    }
    Simulated {
        folder,
        plan,
        run: recorded,
        jobs,
    }
}

fn tasks(set: &str) -> Vec<String> {
    let set: Value =
        serde_json::from_str(&std::fs::read_to_string(crate::support::root().join(set)).unwrap()).unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| task["name"].as_str().unwrap().to_owned())
        .collect()
}

impl Simulated {
    /// Splits the kernel of a job after 1 µs, and moves the rest by `gap` [ns].
    fn split(&self, job: usize, gap: i64) -> Run {
        let mut run = self.run.clone();
        let mut rest = run.kernels[job].clone();
        run.kernels[job].end = rest.start + 1_000;
        rest.start += 1_000 + gap;
        rest.end += gap;
        run.kernels.push(rest);
        run
    }

    /// Writes the run as an SQLite export and as a Kineto trace.
    pub fn files(&self, run: &Run) -> [PathBuf; 2] {
        let [sqlite, kineto] = ["run.sqlite", "run.json.gz"].map(|name| self.folder.path().join(name));
        let _ = std::fs::remove_file(&sqlite);
        writers::sqlite(&sqlite, run, &writers::SCHEMAS[4]);
        writers::kineto(&kineto, run, false, true);
        [sqlite, kineto]
    }

    pub fn audit(&self, file: &Path, more: &str) -> Answer {
        let plan = self.plan.display();
        run(&format!(
            "recording audit {} --set {ADAS} --plan {plan} {more}",
            file.display()
        ))
    }

    /// Returns the violations in both files as (kind, task, job, amount).
    fn violations(&self, changed: &Run) -> Vec<(String, String, u64, Option<u64>)> {
        let mut both = self.files(changed).map(|file| {
            let answer = self.audit(&file, "--format json");
            let audit: Value = serde_json::from_str(&answer.stdout).unwrap();
            let findings = audit["findings"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|finding| finding["kind"] != "unknown");
            let found: Vec<_> = findings
                .map(|finding| {
                    let text = |field: &str| finding[field].as_str().unwrap().to_owned();
                    (
                        text("kind"),
                        text("task"),
                        finding["job"].as_u64().unwrap(),
                        finding["by_ns"].as_u64(),
                    )
                })
                .collect();
            assert_eq!(
                (answer.code, audit["kept"].as_bool()),
                (i32::from(!found.is_empty()), Some(found.is_empty()))
            );
            found
        });
        assert_eq!(both[0], both[1]);
        std::mem::take(&mut both[0])
    }

    /// Position of the kernel of a job that runs without preemption.
    fn kernel(&self, task: &str, job: u64) -> usize {
        let of = self
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, (name, number))| name == task && *number == job);
        let positions: Vec<usize> = of.map(|(position, _)| position).collect();
        assert_eq!(positions.len(), 1, "{task} {job}");
        positions[0]
    }
}

#[test]
fn a_simulated_run_keeps_to_its_plan() {
    let simulated = simulated();
    assert_eq!(simulated.violations(&simulated.run), []);
    let [sqlite, kineto] = simulated.files(&simulated.run);
    let of = |file: &Path| -> Value {
        serde_json::from_str(&simulated.audit(file, "--format json").stdout).unwrap()
    };
    let (exported, traced) = (of(&sqlite), of(&kineto));
    // Kineto states no sizes of contexts, so the audit does not state them either.
    assert!(exported["findings"].as_array().unwrap().is_empty(), "{exported}");
    let unknown = traced["findings"].as_array().unwrap();
    assert!(
        unknown.len() == 8 && unknown.iter().all(|finding| finding["check"] == "size"),
        "{traced}"
    );
    // The simulation runs all jobs for their WCET, so the slack is 0.
    let slack = |audit: &Value, subject: &str| {
        let checks = audit["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["subject"] == subject);
        checks.map(|check| check["slack_ns"].as_i64().unwrap()).min()
    };
    for audit in [&exported, &traced] {
        assert_eq!(
            (slack(audit, "wcet"), slack(audit, "releases")),
            (Some(0), Some(0))
        );
        assert!(slack(audit, "deadlines") > Some(0));
    }
}

#[test]
fn each_fault_is_found_alone() {
    let simulated = simulated();
    let found = |change: &dyn Fn(&mut Run)| {
        let mut run = simulated.run.clone();
        change(&mut run);
        simulated.violations(&run)
    };
    let finding =
        |kind: &str, task: &str, job, by: Option<u64>| vec![(kind.to_owned(), task.to_owned(), job, by)];
    let detection = simulated.kernel("object-detection", 3);
    let length = simulated.run.kernels[detection].end - simulated.run.kernels[detection].start;
    let late = 61_000_000 - length;
    assert_eq!(
        found(&|run| {
            run.kernels[detection].start += late;
            run.kernels[detection].end += late;
        }),
        finding("deadline-miss", "object-detection", 3, Some(1_000_000))
    );
    assert_eq!(
        found(&|run| run.kernels[detection].end += 300_000),
        finding("wcet-exceeded", "object-detection", 3, Some(300_000))
    );
    let depth = simulated.kernel("stereo-depth", 4);
    assert_eq!(
        found(&|run| {
            run.kernels[depth].call.0 -= 2_000_000;
            let release = run
                .ranges
                .iter_mut()
                .find(|range| range.name == "stereo-depth#4")
                .unwrap();
            release.start -= 2_000_000;
            release.end = Some(release.start + 1_000);
        }),
        finding("early-release", "stereo-depth", 4, Some(2_000_000))
    );
    assert_eq!(
        found(&|run| {
            let other = run.kernels[detection].context;
            run.kernels[depth].context = other;
            run.kernels[depth].green = other;
        }),
        finding("wrong-context", "stereo-depth", 4, None)
    );
    // A job starts when another job of its partition ends. Its kernel is moved to an earlier time.
    let (kernels, jobs) = (&simulated.run.kernels, &simulated.jobs);
    let follows = |last: &usize| {
        let kernel = &kernels[*last];
        let whole = jobs.iter().filter(|job| **job == jobs[*last]).count() == 1;
        let before = kernels
            .iter()
            .any(|first| first.context == kernel.context && first.end == kernel.start);
        whole && before && kernel.call.0 + 50_000 < kernel.start
    };
    let last = (0..kernels.len()).find(follows).unwrap();
    let (name, job) = &simulated.jobs[last];
    assert_eq!(
        found(&|run| {
            run.kernels[last].start -= 40_000;
            run.kernels[last].end -= 40_000;
        }),
        finding("overlap", name, *job, Some(40_000))
    );
}

#[test]
fn sizes_of_green_contexts_are_compared() {
    let simulated = simulated();
    let mut run = simulated.run.clone();
    run.green[0].1 += 2;
    let [sqlite, _] = simulated.files(&run);
    let answer = simulated.audit(&sqlite, "--format csv");
    assert_eq!(answer.code, 1);
    let wrong: Vec<&str> = answer
        .stdout
        .lines()
        .filter(|line| line.contains("wrong-context,size"))
        .collect();
    assert_eq!(wrong.len(), 2, "{}", answer.stdout);
    assert!(
        wrong[0].contains("green context 2 has 4 SMs, but the partition has 2"),
        "{}",
        wrong[0]
    );
}

#[test]
fn one_green_context_for_all_partitions_is_a_violation() {
    let simulated = simulated();
    let mut run = simulated.run.clone();
    for kernel in &mut run.kernels {
        (kernel.context, kernel.green) = (2, 2);
    }
    // The export names green contexts. A Kineto trace states contexts, which may contain the partitions of libsmctrl.
    let [sqlite, kineto] = simulated.files(&run);
    let answer = simulated.audit(&sqlite, "");
    assert_eq!(answer.code, 1);
    let shared = "ran in green context 2, which another partition also uses";
    assert!(
        answer.stdout.starts_with("BROKEN: ") && answer.stdout.contains(shared),
        "{}",
        answer.stdout
    );
    let answer = simulated.audit(&kineto, "");
    assert_eq!(answer.code, 0);
    assert!(
        answer.stdout.starts_with("KEPT as far as visible: "),
        "{}",
        answer.stdout
    );
    // With sizes, the verdict of a good run has no restriction.
    let [sqlite, _] = simulated.files(&simulated.run);
    let answer = simulated.audit(&sqlite, "");
    assert!(answer.stdout.starts_with("KEPT: "), "{}", answer.stdout);
}

#[test]
fn gaps_between_kernels_count_under_each_policy() {
    for policy in ["np-edf", "edf", "lp-edf"] {
        let simulated = simulate(
            ADAS,
            &format!("--gpu xavier --granularity sm --policy {policy}"),
            "--duration 600ms",
        );
        let run = simulated.split(simulated.kernel("object-detection", 3), 300_000);
        let [sqlite, _] = simulated.files(&run);
        let text = simulated.audit(&sqlite, "").stdout;
        let found = text.contains("wcet-exceeded of object-detection job 3") && text.contains("by 300us");
        let gaps = text.contains(", with the gaps between its kernels, longer than the WCET");
        assert!(found && gaps, "{policy}: {text}");
    }
}

#[test]
fn the_text_groups_violations_of_one_kind() {
    let simulated = simulated();
    let mut run = simulated.run.clone();
    for (kernel, (name, _)) in run.kernels.iter_mut().zip(&simulated.jobs) {
        kernel.end += if name == "stereo-depth" { 1_000_000 } else { 0 };
    }
    let [sqlite, _] = simulated.files(&run);
    let text = simulated.audit(&sqlite, "").stdout;
    let table = simulated.audit(&sqlite, "--format csv").stdout;
    let all = table
        .lines()
        .filter(|line| line.starts_with("stereo-depth,wcet-exceeded"))
        .count();
    let mut lines = text
        .lines()
        .filter(|line| line.starts_with("wcet-exceeded of stereo-depth"));
    assert!(all > 5 && lines.clone().count() == 6, "{text}");
    let last = lines.next_back().unwrap();
    let rest = format!(
        "wcet-exceeded of stereo-depth: {} more, by up to 1ms (`--format csv` lists each)",
        all - 5
    );
    assert_eq!(last, rest);
}

#[test]
fn tasks_that_the_file_does_not_show_are_not_kept() {
    let simulated = simulated();
    let mut run = simulated.run.clone();
    run.ranges
        .retain(|range| !range.name.starts_with("lane-detection"));
    let [sqlite, _] = simulated.files(&run);
    let answer = simulated.audit(&sqlite, "");
    assert_eq!(answer.code, 1);
    assert!(answer.stdout.starts_with("NOT VISIBLE: "), "{}", answer.stdout);
    let text = simulated.audit(&sqlite, "--task lane-detection=nothing");
    assert!(
        text.code == 2 && text.stderr.contains("expected an activity of the recording"),
        "{}",
        text.stderr
    );
}

#[test]
fn the_run_is_drawn_beside_its_plan() {
    let simulated = simulated();
    let [sqlite, _] = simulated.files(&simulated.run);
    let [trace, chart] = ["beside.json", "beside.svg"].map(|name| simulated.folder.path().join(name));
    let files = format!(
        "--trace {} --gantt {} --to 100ms",
        trace.display(),
        chart.display()
    );
    let answer = simulated.audit(&sqlite, &files);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let trace = std::fs::read_to_string(trace).unwrap();
    let events: Value = serde_json::from_str(&trace).unwrap();
    assert!(events["traceEvents"].as_array().unwrap().len() > 200);
    let chart = std::fs::read_to_string(chart).unwrap();
    for label in ["lane-detection: plan", "lane-detection: run"] {
        assert!(trace.contains(label) && chart.contains(label), "{label}");
    }
}
