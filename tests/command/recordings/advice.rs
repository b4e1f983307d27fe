//! Promise: notes and refusals about recordings name a proven miss, a plan of another set, slow first jobs, misspelt and numbered names.

use std::path::Path;

use serde_json::Value;

use super::run::{Kernel, Range, Run};
use super::writers;
use crate::support::{Answer, run};

/// Jobs of the task `name`, each from its release to the end of its kernel [us]. The kernel starts 20 us after the release, or after
/// the end of the kernel before it.
fn recorded(name: &str, jobs: &[(i64, i64)]) -> Run {
    let mut run = Run::default();
    let mut free = i64::MIN;
    for (number, &(release, end)) in jobs.iter().enumerate() {
        let (release, end) = (1_000 * release, 1_000 * end);
        run.ranges.push(Range {
            name: format!("{name}#{number}"),
            start: release,
            end: Some(release + 10_000),
            thread: 100,
        });
        run.kernels.push(Kernel {
            name: "k".to_owned(),
            start: free.max(release + 20_000),
            end,
            device: 0,
            context: 1,
            green: 0,
            stream: 7,
            call: (release + 1_000, 100),
        });
        free = end;
    }
    run
}

/// Jobs with a period of 10 ms and these execution times [us].
fn periodic(name: &str, times: &[i64]) -> Run {
    let jobs = times.iter().enumerate();
    let jobs: Vec<(i64, i64)> = jobs
        .map(|(job, time)| (10_000 * job as i64, 10_000 * job as i64 + 20 + time))
        .collect();
    recorded(name, &jobs)
}

fn write(folder: &Path, name: &str, run: &Run) -> String {
    let path = folder.join(name);
    writers::sqlite(&path, run, &writers::SCHEMAS[0]);
    path.display().to_string()
}

fn save(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A set of one task `cam` with this jitter, and a period of 100 ms.
fn set(folder: &Path, jitter: &str, wcet: &str) -> String {
    let text = format!(
        r#"{{"tasks":[{{"name":"cam","period":"100ms","jitter":"{jitter}","wcet":{{"table":[[16,"{wcet}"]]}}}}]}}"#
    );
    save(folder, "set.json", &text)
}

#[test]
fn later_releases_prove_a_miss() {
    let folder = tempfile::tempdir().unwrap();
    let audit = |jobs: &[(i64, i64)], jitter: &str| -> (Answer, Value) {
        let jobs: Vec<(i64, i64)> = jobs
            .iter()
            .map(|&(release, end)| (1000 * release, 1000 * end))
            .collect();
        let file = folder.path().join("run.sqlite");
        let _ = std::fs::remove_file(&file);
        let file = write(folder.path(), "run.sqlite", &recorded("cam", &jobs));
        let line = format!(
            "recording audit {file}@16 --set {}",
            set(folder.path(), jitter, "95ms")
        );
        (
            run(&line),
            serde_json::from_str(&run(&format!("{line} --format json")).stdout).unwrap(),
        )
    };
    // Job 3 arrives at 300 ms at the latest, so job 2 arrives at 200 ms at the latest, and its deadline is at 300 ms.
    let jobs = [(0, 30), (100, 130), (255, 335), (300, 365), (400, 430)];
    let (answer, json) = audit(&jobs, "60ms");
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    let detail = "ended 135ms after its latest possible arrival, 100ms before the release of job 3, later than the deadline 100ms";
    assert!(answer.stdout.contains(detail), "{}", answer.stdout);
    let misses: Vec<&Value> = { json["findings"].as_array().unwrap().iter() }
        .filter(|finding| finding["kind"] == "deadline-miss")
        .collect();
    assert_eq!(misses.len(), 1);
    assert_eq!(
        (&misses[0]["job"], &misses[0]["by_ns"]),
        (&2.into(), &35_000_000.into())
    );
    // The bound goes back over several jobs.
    let (_, json) = audit(&[(0, 30), (190, 250), (255, 290), (300, 365)], "95ms");
    let missed = |json: &Value| {
        let findings = json["findings"].as_array().unwrap().iter();
        let jobs = findings.filter(|finding| finding["kind"] == "deadline-miss");
        jobs.map(|finding| finding["job"].as_u64().unwrap())
            .collect::<Vec<u64>>()
    };
    assert_eq!(missed(&json), [1]);
    // One job less late, and the file cannot show it. The headline says so.
    let jobs = [(0, 30), (100, 130), (255, 300), (300, 365), (400, 430)];
    let (answer, json) = audit(&jobs, "60ms");
    assert_eq!((answer.code, missed(&json)), (0, vec![]));
    let headline = "KEPT as far as visible: ";
    let rest = "shows no violation, but it does not show that all jobs met their deadlines\n";
    assert!(
        answer.stdout.starts_with(headline) && answer.stdout.contains(rest),
        "{}",
        answer.stdout
    );
    // A job that is released too early does not make the job before it late.
    let (_, json) = audit(&[(0, 90), (50, 140), (150, 200)], "0ms");
    assert_eq!(missed(&json), Vec::<u64>::new(), "{json}");
    let (answer, _) = audit(&[(0, 30), (100, 130)], "0ms");
    assert!(answer.stdout.starts_with("KEPT: "), "{}", answer.stdout);
}

#[test]
fn proven_misses_are_misses_of_each_possible_arrival() {
    // Reference: the latest arrivals of all jobs together, found by moving each arrival back until all distances are at least T.
    use rand::{RngExt as _, SeedableRng as _};
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..8 {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let (mut release, mut free, mut jobs) = (0, 0, Vec::new());
        for job in 0..12i64 {
            release = (100 * job + rng.random_range(0..=80)).max(release + 1);
            let end = free.max(release) + rng.random_range(5..95);
            free = end;
            jobs.push((release, end));
        }
        let mut arrivals: Vec<i64> = jobs.iter().map(|&(release, _)| release).collect();
        for _ in 0..arrivals.len() {
            for job in 1..arrivals.len() {
                arrivals[job - 1] = arrivals[job - 1].min(arrivals[job] - 100);
            }
        }
        let late = (0..jobs.len()).filter(|&job| jobs[job].1 > arrivals[job] + 100);
        let late: Vec<u64> = late.map(|job| job as u64).collect();
        let jobs: Vec<(i64, i64)> = jobs
            .iter()
            .map(|&(release, end)| (1000 * release, 1000 * end))
            .collect();
        let file = write(folder.path(), &format!("{seed}.sqlite"), &recorded("cam", &jobs));
        let line = format!(
            "recording audit {file}@16 --set {} --format json",
            set(folder.path(), "80ms", "95ms")
        );
        let json: Value = serde_json::from_str(&run(&line).stdout).unwrap();
        let mut found: Vec<u64> = { json["findings"].as_array().unwrap().iter() }
            .filter(|finding| finding["kind"] == "deadline-miss")
            .map(|finding| finding["job"].as_u64().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, late, "{seed}: {json}");
    }
}

#[test]
fn a_plan_of_another_set_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<(i64, i64)> = (0..5)
        .map(|job| (100_000 * job, 100_000 * job + 60_000))
        .collect();
    let file = write(folder.path(), "run.sqlite", &recorded("cam", &jobs));
    let plan = folder.path().join("plan.json").display().to_string();
    let small = set(folder.path(), "0ms", "70ms");
    assert_eq!(
        run(&format!(
            "partition {small} --gpu orin --granularity sm -q -o {plan}"
        ))
        .code,
        0
    );
    let kept = run(&format!("recording audit {file} --set {small} --plan {plan}"));
    assert_eq!(kept.code, 0, "{}{}", kept.stdout, kept.stderr);
    let sized = run(&format!("recording audit {file}@8 --set {small} --plan {plan}"));
    let note =
        "the size 8 after `@` has no effect, because the plan states the sizes of the partitions: 16 SMs";
    let other = "no partition of the plan has 8 SMs";
    assert!(
        sized.stderr.contains(note) && sized.stderr.contains(other),
        "{}",
        sized.stderr
    );
    // The same file, but the WCET does not fit.
    let large = set(folder.path(), "40ms", "70ms");
    let refused = run(&format!("recording audit {file} --set {large} --plan {plan}"));
    let found = "plan.json: found a plan of another task set, at identity.tasks[";
    assert!(
        refused.code == 2 && refused.stderr.contains(found),
        "{}{}",
        refused.stdout,
        refused.stderr
    );
    // `run` says it, too.
    let small = set(folder.path(), "0ms", "70ms");
    let measured = |margin: &str| {
        let text = std::fs::read_to_string(&small).unwrap();
        let stated =
            format!(r#""wcet_source":"measured","measured_on":{{"tool":"nsys","margin":{margin}}},"wcet""#);
        save(
            folder.path(),
            &format!("{margin}.json"),
            &text.replacen("\"wcet\"", &stated, 1),
        )
    };
    let (one, other) = (measured("1.2"), measured("1.5"));
    assert_eq!(
        run(&format!(
            "partition {one} --gpu orin --granularity sm -q -o {plan}"
        ))
        .code,
        0
    );
    let refused = run(&format!("run {plan} {other} --backend simulated"));
    assert!(
        refused.code == 2
            && refused
                .stderr
                .contains("at identity.tasks[0]: found another source or measurement of the WCETs"),
        "{}",
        refused.stderr
    );
}

#[test]
fn slow_first_jobs_are_a_warm_up() {
    let folder = tempfile::tempdir().unwrap();
    let notes = |times: &[i64], more: &str| {
        let file = folder.path().join("run.sqlite");
        let _ = std::fs::remove_file(&file);
        let file = write(folder.path(), "run.sqlite", &periodic("cam", times));
        let answer = run(&format!("recording tasks {file}@16 {more}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer
    };
    let slow = notes(&[1500, 1000, 900, 900, 900, 900], "");
    let note = "if the first job is a warm-up, `--warm-up 1` gives period 10ms, jitter 0ns, C(16) = 1.2ms. Without it: period 10ms, \
                jitter 0ns, C(16) = 1.8ms; the larger C(m) is safer, because dropped jobs take up to 1.5ms\n";
    assert!(slow.stderr.contains(note), "{}", slow.stderr);
    let two = notes(&[1500, 1400, 900, 900, 900, 900, 900], "");
    assert!(
        two.stderr
            .contains("`--warm-up 2` gives period 10ms, jitter 0ns, C(16) = 1.08ms. Without it"),
        "{}",
        two.stderr
    );
    let three = notes(&[100, 1500, 1400, 900, 900, 900, 900, 900], "--warm-up 1");
    assert!(
        three
            .stderr
            .contains("`--warm-up 3` gives period 10ms, jitter 0ns, C(16) = 1.08ms"),
        "{}",
        three.stderr
    );
    for (times, more) in [
        (&[1499, 1000, 900, 900, 900, 900][..], ""),
        (&[900, 900, 900, 900, 900, 1500], ""),
        (&[1500, 900, 900, 900], ""),
        (&[1500, 1000, 900, 900, 900, 900], "--warm-up 1"),
    ] {
        let fine = notes(times, more);
        assert!(!fine.stderr.contains("a warm-up, `"), "{}", fine.stderr);
    }
    // A rule of one task, which replaces the rule of all.
    let own = notes(&[1500, 1000, 900, 900, 900, 900], "--warm-up 3 --warm-up cam=1");
    assert!(
        own.stderr.contains(
            "dropped 1 job (the first job of each recording); the longest takes 1.5ms, and no C(m) covers it"
        ),
        "{}",
        own.stderr
    );
    let file = folder.path().join("run.sqlite").display().to_string();
    let wrong = run(&format!("recording tasks {file}@16 --warm-up can=1"));
    assert!(
        wrong.code == 2
            && wrong
                .stderr
                .contains("warm-up: found \"can\", expected the name of an activity: cam"),
        "{}",
        wrong.stderr
    );
    // The dropped job counts its gaps, as C(m) does. The text states the sizes.
    let mut gaps = periodic("cam", &[1500, 1000, 900, 900, 900, 900]);
    let mut second = gaps.kernels[0].clone();
    (second.start, second.end) = (second.end + 100_000, second.end + 300_000);
    gaps.kernels.push(second);
    let file = write(folder.path(), "gaps.sqlite", &gaps);
    let answer = run(&format!("recording tasks {file}@16 --warm-up 1 --format text"));
    let dropped = "dropped 1 job (the first job of each recording); the longest takes 1.8ms";
    assert!(answer.stdout.contains(dropped), "{}", answer.stdout);
    assert!(
        answer
            .stdout
            .contains("longest time 1ms on 16 SMs (job 1 at 10ms)"),
        "{}",
        answer.stdout
    );
}

#[test]
fn misspelt_and_numbered_names_have_notes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, run: &Run| write(folder.path(), name, run);
    let times = [900; 6];
    let one = write("16.sqlite", &periodic("detector", &times));
    let two = write("32.sqlite", &periodic("detectr", &[903; 6]));
    let three = write("48.sqlite", &periodic("detector", &[901; 6]));
    let note = "only this recording has ranges \"detectr\", and 2 other recordings have \"detector\"";
    for files in [
        format!("{one}@16 {two}@32 {three}@48"),
        format!("{two}@32 {three}@48"),
    ] {
        let answer = run(&format!("recording tasks {files}"));
        assert_eq!(
            (
                answer.code,
                answer.stderr.matches("only this recording has").count()
            ),
            (0, 1),
            "{}",
            answer.stderr
        );
    }
    let answer = run(&format!("recording tasks {one}@16 {two}@32 {three}@48"));
    assert!(answer.stderr.contains(note), "{}", answer.stderr);
    // Two tasks with close names, each in a recording of its own.
    let other = write("other.sqlite", &periodic("detector-2", &[902; 6]));
    for files in [format!("{one}@16 {other}@16"), format!("{one}@16 {three}@48")] {
        let answer = run(&format!("recording tasks {files}"));
        assert!(
            !answer.stderr.contains("only this recording"),
            "{}",
            answer.stderr
        );
    }
    let answer = run(&format!("recording tasks {one}@16 --period detectr=33ms"));
    let found = "period: found \"detectr\", expected the name of an activity: detector";
    assert!(
        answer.code == 2 && answer.stderr.contains(found),
        "{}",
        answer.stderr
    );
    let answer = run(&format!("recording tasks {one}@16 --deadline detectr=33ms"));
    assert!(
        answer.stderr.contains("deadline: found \"detectr\""),
        "{}",
        answer.stderr
    );
    // Each numbered range looks like a task of its own.
    let mut numbered = periodic("detector", &times);
    let names = numbered.ranges.iter_mut();
    names.for_each(|range| range.name = range.name.replace('#', "_"));
    let numbered = write("numbered.sqlite", &numbered);
    let answer = run(&format!("recording tasks {numbered}@16"));
    assert!(
        answer.code == 2 && answer.stderr.contains("`detector#0` instead of `detector_0`"),
        "{}",
        answer.stderr
    );
}

#[test]
fn hints_name_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let empty = save(folder.path(), "empty.json", "");
    let answer = run(&format!("recording summary {empty}"));
    assert!(
        answer.code == 2 && answer.stderr.contains("export_chrome_trace"),
        "{}",
        answer.stderr
    );
    let packed = folder.path().join("run.json.gz");
    writers::kineto(&packed, &periodic("cam", &[900; 60]), false, true);
    let bytes = std::fs::read(&packed).unwrap();
    std::fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
    let answer = run(&format!("recording tasks {}", packed.display()));
    assert!(
        answer.code == 2 && answer.stderr.contains("the file is cut off"),
        "{}",
        answer.stderr
    );
    let mut bare = periodic("cam", &[900; 6]);
    bare.ranges.clear();
    let file = write(folder.path(), "bare.sqlite", &bare);
    let answer = run(&format!("recording tasks {file}@16"));
    assert!(
        answer.code == 2 && answer.stderr.contains("record_function"),
        "{}",
        answer.stderr
    );
}
