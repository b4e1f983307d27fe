//! A task set from recordings has the periods, jitters and execution times of the recorded run.

use std::path::Path;

use serde_json::{Value, json};

use super::audits::simulated;
use super::run::{Kernel, Range, Run};
use super::writers;
use crate::support::{ADAS, root, run};

/// A periodic run of one task with the given execution times [us]. Each job has two kernels with a gap of 5 us between them.
pub fn periodic(times: &[i64]) -> Run {
    let mut recorded = Run::default();
    for (job, &time) in times.iter().enumerate() {
        let release = 1_000_000 * job as i64 + 7_000 * (job as i64 % 2);
        recorded.ranges.push(Range {
            name: format!("camera#{job}"),
            start: release,
            end: Some(release + 10_000),
            thread: 100,
        });
        for (start, length) in [
            (release + 20_000, 400 * time),
            (release + 25_000 + 400 * time, 600 * time),
        ] {
            recorded.kernels.push(Kernel {
                name: "void detect<8>(float*)".to_owned(),
                start,
                end: start + length,
                device: 0,
                context: 1,
                green: 0,
                stream: 7,
                call: (release + length / 100, 100),
            });
        }
    }
    recorded
}

pub fn write(folder: &Path, name: &str, times: &[i64]) -> String {
    let path = folder.join(name);
    writers::sqlite(&path, &periodic(times), &writers::SCHEMAS[1]);
    path.display().to_string()
}

#[test]
fn a_simulated_run_gives_its_task_set() {
    let simulated = simulated();
    let file = simulated.folder.path().join("run.sqlite");
    writers::sqlite(&file, &simulated.run, &writers::SCHEMAS[4]);
    let answer = run(&format!(
        "recording tasks {} --margin 1 --gaps separate -q",
        file.display()
    ));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let set: Value = serde_json::from_str(&std::fs::read_to_string(root().join(ADAS)).unwrap()).unwrap();
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(&simulated.plan).unwrap()).unwrap();
    let longest = |task: &str| {
        let mut jobs = std::collections::BTreeMap::<u64, i64>::new();
        for (kernel, (name, job)) in simulated.run.kernels.iter().zip(&simulated.jobs) {
            if name == task {
                *jobs.entry(*job).or_default() += kernel.end - kernel.start;
            }
        }
        jobs.into_values().max().unwrap()
    };
    for (index, task) in set["tasks"].as_array().unwrap().iter().enumerate() {
        let name = task["name"].as_str().unwrap();
        let derived = found["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|task| task["name"] == name)
            .unwrap();
        let milliseconds: u64 = task["period"]
            .as_str()
            .unwrap()
            .strip_suffix("ms")
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(derived["period"], milliseconds * 1_000_000, "{name}");
        assert_eq!(derived.get("jitter"), None);
        let contains = |part: &&Value| part["tasks"].as_array().unwrap().contains(&index.into());
        let part = plan["partitions"]
            .as_array()
            .unwrap()
            .iter()
            .find(contains)
            .unwrap();
        assert_eq!(
            derived["wcet"],
            json!({"table": [[part["sms"], longest(name)]]}),
            "{name}"
        );
    }
}

#[test]
fn several_sizes_give_a_safe_monotone_function() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("4", [100, 90, 80]), ("8", [60, 55, 50]), ("12", [70, 50, 50])]
        .map(|(sms, times)| format!("{}@{sms}", write(folder.path(), &format!("{sms}.sqlite"), &times)));
    let conflict = format!("{}@8", write(folder.path(), "both.sqlite", &[90, 110, 88]));
    let line = format!(
        "recording tasks {} --conflict {conflict} --margin 1.5 --gaps separate",
        files.join(" ")
    );
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let task = &set["tasks"][0];
    assert_eq!(
        (&task["name"], &task["period"], &task["jitter"]),
        (&"camera".into(), &1_000_000.into(), &7_000.into())
    );
    let wcet = &task["wcet"]["table"];
    assert_eq!(
        wcet["isolated"],
        json!([[4, 150_000], [8, 105_000], [12, 105_000]])
    );
    // The time in conflict is never below the time in isolation.
    assert_eq!(wcet["conflict"].as_array().unwrap().last().unwrap()[1], 165_000);
    assert_eq!(task["wcet_source"], "measured");
    assert_eq!((task.get("kind"), task.get("traffic")), (None, None));
    assert!(
        answer
            .stderr
            .contains("a job took longer on a larger number of SMs"),
        "{}",
        answer.stderr
    );
    let gaps = "jobs have gaps of up to 5us (9 %) between kernels; C(m) does not contain them, which is unsafe (--gaps count)";
    assert!(answer.stderr.contains(gaps), "{}", answer.stderr);
    let text = run(&format!("{line} --format text")).stdout;
    assert!(
        text.contains("in conflict on 8 SMs up to 1.83 times as long"),
        "{text}"
    );
    assert!(
        text.contains("longest time 110us on 8 SMs (job 1 at 1.007ms in "),
        "{text}"
    );
    // The set is valid input.
    let answer = crate::support::run_with("partition - --sms 16 -q", answer.stdout);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
}

#[test]
fn a_warm_up_is_dropped_only_by_a_rule() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "cold.sqlite", &[900, 60, 61, 62]);
    let longest = |more: &str| {
        let answer = run(&format!(
            "recording tasks {file}@8 --margin 1 --gaps separate {more}"
        ));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        (
            set["tasks"][0]["wcet"]["table"][0][1].as_u64().unwrap(),
            answer.stderr,
        )
    };
    assert_eq!(longest("").0, 900_000);
    let (kept, notes) = longest("--warm-up 1");
    assert_eq!(kept, 62_000);
    assert!(
        notes.contains("dropped 1 job (the first job of each recording); the longest takes 900us"),
        "{notes}"
    );
    assert_eq!(longest("--warm-up 1500us").0, 62_000);
    assert_eq!(longest("--warm-up 0.5ms").0, 62_000);
}

#[test]
fn jobs_can_be_kernels_and_groups_on_streams() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &[60, 60, 64, 60]);
    let task = |more: &str| {
        let answer = run(&format!("recording tasks {file}@8 --margin 1 -q {more}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        set["tasks"][0].clone()
    };
    let stream = task("--by stream --gaps separate");
    assert_eq!(
        (&stream["name"], &stream["wcet"]["table"][0][1]),
        (&"stream 7".into(), &64_000.into())
    );
    let whole = task("");
    assert_eq!(whole["wcet"]["table"][0][1], 69_000);
    let kernel = task("--by kernel");
    assert_eq!(
        (&kernel["name"], &kernel["wcet"]["table"][0][1]),
        (&"void detect<8>(float*)".into(), &38_400.into())
    );
    let rows = run(&format!("recording tasks {file}@8 -q --format csv")).stdout;
    assert_eq!(
        rows.lines()
            .nth(1)
            .unwrap()
            .split(',')
            .skip(1)
            .collect::<Vec<_>>()
            .join(","),
        "8,isolated,camera,0,0,20000,85000,60000,5000,2"
    );
}

#[test]
fn counters_give_the_traffic_of_a_job() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &[60, 60]);
    let page = folder.path().join("ncu.csv");
    let text = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Device\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
        \"0\",\"detect(float*)\",\"1\",\"7\",\"0\",\"dram__bytes_read.sum\",\"Kbyte\",\"2.33\"\n\
        \"0\",\"detect(float*)\",\"1\",\"7\",\"0\",\"dram__bytes_write.sum\",\"byte\",\"100\"\n";
    std::fs::write(&page, text).unwrap();
    let answer = run(&format!(
        "recording tasks {file}@8 -q --counters {}",
        page.display()
    ));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    // A value of 2.33 kB may be rounded from 2335 bytes. Each job has two launches.
    assert_eq!(set["tasks"][0]["traffic"], 2 * (2_335 + 100));
}

#[test]
fn what_is_unknown_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &[60, 60]);
    let [deployed, alone] =
        ["deployed", "alone-4"].map(|name| format!("tasksets/recordings/robot/{name}.sqlite"));
    for (line, expected) in [
        (
            format!("recording tasks {file}"),
            "state the number of SMs of the run: FILE@SMS",
        ),
        (
            format!("recording tasks {file}@50%"),
            "found 50 % of an unknown GPU",
        ),
        (
            format!("recording tasks {file}@1g.5gb --gpu orin"),
            "expected a GPU with MIG",
        ),
        (format!("recording tasks {file}@8 --gap 1ms"), "--by stream"),
        (
            format!("recording tasks {file}@8 --name other"),
            "expected the name of an activity: camera",
        ),
        (
            format!("recording tasks {file}@8 --deadline camrea=1ms"),
            "expected the name of an activity: camera",
        ),
        (
            format!("recording tasks {deployed}@8"),
            "but kernels in green contexts with 4 SMs",
        ),
        (
            format!("recording tasks {alone}@17"),
            "but GPUs with at most 16 SMs",
        ),
        (
            format!("recording tasks {file}@8 --warm-up 9"),
            "no GPU work after the warm-up",
        ),
        (
            "recording tasks tasksets/recordings/bert-h100.json.gz".to_owned(),
            "fewer than two jobs",
        ),
        (
            "recording tasks tasksets/recordings/bfs-mi300-rocprof.csv".to_owned(),
            "no named ranges",
        ),
        (
            "recording tasks tasksets/recordings/cpu-only.json.gz".to_owned(),
            "no kernel launches",
        ),
    ] {
        let answer = run(&line);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{line}");
        assert!(answer.stderr.contains(expected), "{line}: {}", answer.stderr);
    }
    let mig = run(&format!("recording tasks {file}@3g.40gb --gpu h100 -q"));
    assert_eq!(mig.code, 0, "{}", mig.stderr);
    let percent = run(&format!("recording tasks {file}@33% --gpu orin -q --margin 1"));
    assert!(percent.stdout.contains("[[6,65000]]"), "{}", percent.stdout);
}

/// The first job of `camera` ends after the release of the second one, and `lidar` runs in another thread.
#[test]
fn other_activities_do_not_change_a_task() {
    let line = "recording tasks tasksets/recordings/robot/alone-4.sqlite@4 --warm-up 1 -q";
    let camera = |more: &str| {
        let answer = run(&format!("{line} {more}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        set["tasks"][0].clone()
    };
    assert_eq!(camera("")["name"], "camera");
    assert_eq!(camera(""), camera("--name camera"));
    let jobs = run(&format!("{line} --format csv")).stdout;
    assert_eq!(jobs.lines().filter(|line| line.contains(",camera,")).count(), 31);
}
