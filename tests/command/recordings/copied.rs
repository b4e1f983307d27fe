//! Promise: `--copies count` puts the copies around the kernels of a job into C(m), and an audit ends a job with its last copy.

use std::path::Path;

use serde_json::Value;

use super::run::{Kernel, Range, Run};
use super::writers::{SCHEMAS, sqlite};
use crate::support::{Answer, run};

/// Number of jobs, one per millisecond.
const JOBS: i64 = 9;

/// Jobs with these times after their releases [us]: a copy in from 20 to 120, a kernel from 130 to 430, and a copy out from 440 to `out`.
fn recorded(folder: &Path, name: &str, out: i64) -> String {
    let mut recorded = Run::default();
    for job in 0..JOBS {
        // Two recordings have different times.
        let release = 1_000_000 * job + out;
        recorded.ranges.push(Range {
            name: format!("cam#{job}"),
            start: release,
            end: Some(release + 15_000),
            thread: 100,
        });
        recorded.kernels.push(Kernel {
            name: "k".to_owned(),
            start: release + 130_000,
            end: release + 430_000,
            device: 0,
            context: 1,
            green: 0,
            stream: 7,
            call: (release + 10_000, 100),
        });
    }
    let path = folder.join(name);
    sqlite(&path, &recorded, &SCHEMAS[0]);
    let copy = |from: i64, to: i64| {
        format!(
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT \"start\" + {}, \"start\" + {}, correlationId, globalPid \
             FROM CUPTI_ACTIVITY_KIND_KERNEL;",
            1_000 * (from - 130),
            1_000 * (to - 130)
        )
    };
    let table = "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (\"start\", \"end\", correlationId, globalPid);";
    let sql = format!("{table} {} {}", copy(20, 120), copy(440, out));
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(&sql)
        .unwrap();
    path.display().to_string()
}

fn derive(line: &str) -> Value {
    let answer = run(&format!("recording tasks {line} -q"));
    assert_eq!(answer.code, 0, "{answer:?}");
    serde_json::from_str::<Value>(&answer.stdout).unwrap()["tasks"][0].clone()
}

#[test]
fn counted_copies_are_in_each_wcet() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path(), "run.sqlite", 540);
    // From the release to the kernel are 130 us, and from the kernel to the end of the copy out are 110 us.
    for (option, margin, wcet) in [
        ("leave-out", "1", 300_000),
        ("count", "1", 540_000),
        ("count", "1.2", 648_000),
    ] {
        let task = derive(&format!("{file}@8 --copies {option} --margin {margin}"));
        assert_eq!(
            task["wcet"]["table"],
            serde_json::json!([[8, wcet]]),
            "{option} {margin}"
        );
        let on = &task["measured_on"];
        let (left, counted) = match option {
            "count" => (Value::Null, Value::from(240_000)),
            _ => (Value::from(200_000), Value::Null),
        };
        assert_eq!(
            (&on["left_out_copies"], &on["counted_copies"]),
            (&left, &counted),
            "{option}"
        );
    }
    // The longest time of all recordings counts for each size.
    let longer = recorded(folder.path(), "longer.sqlite", 560);
    let task = derive(&format!("{file}@8 {longer}@4 --copies count --margin 1"));
    assert_eq!(
        task["wcet"]["table"],
        serde_json::json!([[4, 560_000], [8, 560_000]])
    );
    let assumes = |option: &str| {
        let set = run(&format!("recording tasks {file}@8 --copies {option} -q")).stdout;
        let tested = crate::support::run_with("partition - --sms 8 --format json -q", set).stdout;
        tested.contains("copies-left-out")
    };
    assert!(assumes("leave-out") && !assumes("count"));
}

#[test]
fn an_audit_ends_a_job_with_its_last_copy() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path(), "run.sqlite", 540);
    let late = recorded(folder.path(), "late.sqlite", 570);
    let set = folder.path().join("set.json").display().to_string();
    let audit = |deadline: &str, copies: &str, file: &str| -> Answer {
        let derived = run(&format!(
            "recording tasks {file}@8 --deadline cam={deadline} --copies {copies} --margin 1 -q -o {set}"
        ));
        assert_eq!(derived.code, 0, "{derived:?}");
        run(&format!("recording audit {file}@8 --set {set}"))
    };
    // The last kernel ends 430 us after the release, and the copy out 540 us after it.
    for copies in ["count", "leave-out"] {
        assert_eq!(audit("540us", copies, &file).code, 0);
        let answer = audit("535us", copies, &file);
        let detail =
            "by 5us: ended, with its last copy, 540us after its release, later than the deadline 535us";
        assert!(answer.code == 1 && answer.stdout.contains(detail), "{answer:?}");
    }
    // With its copies, a job lasts from 20 us to 570 us after its release, which is 10 us longer than the WCET.
    audit("1ms", "count", &file);
    let answer = run(&format!("recording audit {late}@8 --set {set}"));
    let detail = "by 10us: ran for 550us on the GPU, with its copies and the gaps between its kernels, longer than the WCET 540us";
    assert!(answer.code == 1 && answer.stdout.contains(detail), "{answer:?}");
}
