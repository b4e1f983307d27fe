//! Promise: a recording that lacks jobs, or the work of jobs, is not called complete, and an audit does not say that it shows all of them.

use std::path::Path;

use serde_json::Value;

use super::run::{Kernel, Range, Run};
use super::writers::{SCHEMAS, sqlite};
use crate::support::run;

const MS: i64 = 1_000_000;

/// Jobs of the task `cam` at these releases [ms], with one kernel of 1 ms each.
fn recorded(releases: &[i64]) -> Run {
    let mut run = Run::default();
    for (number, release) in releases.iter().map(|release| MS * release).enumerate() {
        run.ranges.push(Range {
            name: format!("cam#{number}"),
            start: release,
            end: Some(release + MS / 2),
            thread: 100,
        });
        run.kernels.push(Kernel {
            name: "k".to_owned(),
            start: release + MS / 10,
            end: release + MS + MS / 10,
            device: 0,
            context: 1,
            green: 0,
            stream: 7,
            call: (release + 1_000, 100),
        });
    }
    run
}

fn write(folder: &Path, name: &str, run: &Run) -> String {
    let path = folder.join(name);
    sqlite(&path, run, &SCHEMAS[0]);
    path.display().to_string()
}

/// Every 10 ms, except for the jobs `without`.
fn every_10_ms(jobs: i64, without: &[i64]) -> Vec<i64> {
    let kept = (0..jobs).filter(|job| !without.contains(job));
    kept.map(|job| 10 * job).collect()
}

struct Found {
    summary: Value,
    text: String,
    set: Value,
    notes: String,
    code: i32,
    audit: String,
}

fn found(folder: &Path, recorded: &Run) -> Found {
    let whole = write(folder, "whole.sqlite", &self::recorded(&every_10_ms(30, &[])));
    let set = folder.join("set.json").display().to_string();
    assert_eq!(run(&format!("recording tasks {whole}@8 -q -o {set}")).code, 0);
    let file = write(folder, "run.sqlite", recorded);
    let derived = run(&format!("recording tasks {file}@8"));
    let audit = run(&format!("recording audit {file}@8 --set {set}"));
    let summary = run(&format!("recording summary {file} --format json")).stdout;
    let answer = Found {
        summary: serde_json::from_str(&summary).unwrap(),
        text: run(&format!("recording summary {file}")).stdout,
        set: serde_json::from_str(&derived.stdout).unwrap(),
        notes: derived.stderr,
        code: audit.code,
        audit: audit.stdout,
    };
    for file in ["whole.sqlite", "run.sqlite"] {
        std::fs::remove_file(folder.join(file)).unwrap();
    }
    answer
}

impl Found {
    fn is_incomplete(&self) -> bool {
        let incomplete = self.set["tasks"][0]["measured_on"]["incomplete"] == true;
        assert_eq!(incomplete, self.summary["complete"] == false, "{}", self.notes);
        incomplete
    }
}

#[test]
fn jobs_without_work_are_a_sign_of_missing_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut lost = recorded(&every_10_ms(30, &[]));
    assert!(!found(folder.path(), &lost).is_incomplete());
    lost.kernels.drain(12..16);
    let found = found(folder.path(), &lost);
    assert!(found.is_incomplete());
    assert_eq!(found.summary["missing"]["idle"], 4);
    let text =
        "4 ranges without GPU work, although other ranges of the name have some: the file may lack launches";
    assert!(found.text.contains(text), "{}", found.text);
    let note = "\"cam\": 4 jobs without GPU work, although the others have some";
    assert!(
        found.notes.starts_with(&format!("note: {note}")),
        "{}",
        found.notes
    );
    assert_eq!(found.code, 1);
    assert!(found.audit.starts_with("NOT VISIBLE"), "{}", found.audit);
}

#[test]
fn holes_in_periodic_releases_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let lost = found(folder.path(), &recorded(&every_10_ms(30, &[12, 13, 14, 15])));
    assert!(lost.is_incomplete());
    assert_eq!(lost.summary["missing"]["absent"], 4);
    let note = "has no release for 50ms after job 11 at 110ms, where its period gives 4 jobs";
    assert!(lost.notes.contains(note), "{}", lost.notes);
    assert_eq!(lost.code, 0);
    let verdict = "shows no violation, but it does not show the releases of all jobs\n";
    let reason =
        "no job is released between 110ms and 160ms, where the distance of the other releases gives 4 jobs";
    assert!(
        lost.audit.starts_with("KEPT as far as visible") && lost.audit.contains(verdict),
        "{}",
        lost.audit
    );
    assert!(lost.audit.contains(reason), "{}", lost.audit);
    // One lost job is a hole, too. The warm-up does not change its number.
    let one = found(folder.path(), &recorded(&every_10_ms(30, &[12])));
    assert!(
        one.is_incomplete() && one.notes.contains("where its period gives 1 job:"),
        "{}",
        one.notes
    );
    // Sporadic releases, a slow job that the next jobs catch up with, and a program that often skips jobs have no holes.
    let sporadic: Vec<i64> = (0..30).map(|job| 10 * job + 7 * (job * job % 5)).collect();
    let late: Vec<i64> = (0..60)
        .map(|job| match job {
            12..20 => 10 * job + 5 * (20 - job),
            _ => 10 * job,
        })
        .collect();
    let skips: Vec<i64> = (0..40).filter(|job| job % 4 != 3).map(|job| 10 * job).collect();
    for (name, releases) in [("sporadic", sporadic), ("late", late), ("skips", skips)] {
        let mut releases = releases;
        releases.sort_unstable();
        let found = found(folder.path(), &recorded(&releases));
        assert!(
            !found.is_incomplete() && !found.audit.contains("no job is released"),
            "{name}"
        );
    }
}

/// A long job delays the next jobs, because one thread starts all ranges.
#[test]
fn jobs_that_start_directly_after_the_job_before_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let mut late = recorded(&every_10_ms(60, &[]));
    let notes = |name: &str, run: &Run| {
        let file = write(folder.path(), name, run);
        self::run(&format!("recording tasks {file}@8 --period cam=10ms")).stderr
    };
    let none = notes("whole.sqlite", &late);
    assert!(!none.contains("directly after"), "{none}");
    late.kernels[30].end = late.kernels[30].start + 40 * MS;
    for job in 31..35 {
        let release = late.kernels[job - 1].end;
        let range = &mut late.ranges[job];
        (range.start, range.end) = (release, Some(release + MS / 2));
        let kernel = &mut late.kernels[job];
        (kernel.start, kernel.end) = (release + MS / 10, release + MS + MS / 10);
        kernel.call.0 = release + 1_000;
    }
    let notes = notes("late.sqlite", &late);
    let note = "late.sqlite, the first is job 31, start directly after the job before: a busy thread starts their ranges late";
    assert!(
        notes.contains("\"cam\": 4 jobs of ") && notes.contains(note),
        "{notes}"
    );
    assert!(
        notes.contains("job 31 of ") && notes.contains("no --warm-up of up to 50 jobs"),
        "{notes}"
    );
}

#[test]
fn tasks_of_several_processes_have_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let mut both = recorded(&every_10_ms(8, &[]));
    let mut other = both.clone();
    for (range, kernel) in other.ranges.iter_mut().zip(&mut other.kernels) {
        range.name = range.name.replace("cam", "lidar");
        (range.thread, kernel.call.1, kernel.stream) = (200, 200, 9);
    }
    both.ranges.extend(other.ranges);
    both.kernels.extend(other.kernels);
    let file = write(folder.path(), "both.sqlite", &both);
    let note = "the tasks run in 2 processes; a plan with green contexts needs one process for all tasks";
    let notes = || run(&format!("recording tasks {file}@8")).stderr;
    assert!(!notes().contains("processes"), "{}", notes());
    // The second half of the launches and ranges is of process 9.
    let sql = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = 9 << 24 WHERE correlationId >= 8; \
               UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = 9 << 24 | 200 WHERE correlationId >= 8 AND globalTid >> 24 = 7; \
               UPDATE NVTX_EVENTS SET globalTid = 9 << 24 | 200 WHERE globalTid & 255 = 200;";
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
    assert!(notes().contains(note), "{}", notes());
}
