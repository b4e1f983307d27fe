//! Promise: a file that contradicts a stated size, a stated contention or a plan is named in the task set, in each verdict and in the audit.

use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, root, run};

const ROBOT: &str = "tasksets/recordings/robot";

/// A folder with the overheads and the plan of the robot, and a copy of its deployed run.
struct Robot {
    folder: tempfile::TempDir,
}

impl Robot {
    fn new() -> Robot {
        let robot = Robot {
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::write(
            robot.path("overheads.json"),
            r#"{"occupancy_ns": "100us", "wake_ns": "50us"}"#,
        )
        .unwrap();
        robot.copy("deployed.sqlite", "deployed.sqlite");
        robot
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn copy(&self, from: &str, to: &str) -> String {
        let to = self.path(to);
        std::fs::copy(root().join(ROBOT).join(from), &to).unwrap();
        to
    }

    fn tasks(&self, line: &str) -> (Value, String) {
        let answer = run(&format!("recording tasks {line} --warm-up 1"));
        assert_eq!(answer.code, 0, "{answer:?}");
        std::fs::write(self.path("set.json"), &answer.stdout).unwrap();
        (serde_json::from_str(&answer.stdout).unwrap(), answer.stderr)
    }

    fn plan(&self, more: &str) -> Answer {
        let [set, plan, overheads] = ["set.json", "plan.json", "overheads.json"].map(|name| self.path(name));
        let gpu = "--gpu orin --granularity green-context";
        run(&format!(
            "partition {set} {gpu} --overheads {overheads} {more} -o {plan}"
        ))
    }

    /// The identifiers and the texts of the assumptions of the plan.
    fn assumptions(&self) -> Vec<(String, String)> {
        let plan: Value =
            serde_json::from_str(&std::fs::read_to_string(self.path("plan.json")).unwrap()).unwrap();
        let list = plan["assumptions"].as_array().unwrap().iter();
        list.map(|one| (one["id"].as_str().unwrap().to_owned(), one["text"].to_string()))
            .collect()
    }

    fn audit(&self, sql: &str) -> Answer {
        let file = self.copy("deployed.sqlite", "changed.sqlite");
        change(Path::new(&file), sql);
        let [set, plan] = ["set.json", "plan.json"].map(|name| self.path(name));
        run(&format!("recording audit {file} --set {set} --plan {plan}"))
    }
}

fn change(file: &Path, sql: &str) {
    rusqlite::Connection::open(file)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

/// The cells of the column `title` in the table of an audit.
fn column(text: &str, title: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| !line.contains("overlap"));
    let header = lines.next().unwrap();
    let (start, end) = (header.find(title).unwrap(), header.find(title).unwrap() + 11);
    lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            line.chars()
                .skip(start)
                .take(end - start)
                .collect::<String>()
                .trim()
                .to_owned()
        })
        .collect()
}

/// Moves the task `camera` into a process of its own.
const OTHER_PROCESS: &str = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid + 16777216 WHERE streamId = 7; \
     UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + 16777216 WHERE globalTid = 117440612; \
     UPDATE NVTX_EVENTS SET globalTid = globalTid + 16777216 WHERE globalTid = 117440612;";

#[test]
fn an_audit_keeps_no_partition_that_the_file_does_not_show() {
    let robot = Robot::new();
    robot.tasks(&format!(
        "{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8 {ROBOT}/alone-12.sqlite@12"
    ));
    assert_eq!(robot.plan("").code, 0);
    let kept = robot.audit("");
    assert!(kept.code == 0 && kept.stdout.starts_with("KEPT: "), "{kept:?}");
    // Two processes have no green contexts in common.
    let two = robot.audit(OTHER_PROCESS);
    assert_eq!(two.code, 1, "{two:?}");
    assert!(two.stdout.starts_with("BROKEN: "), "{}", two.stdout);
    let detail = "the tasks ran in 2 processes, but the green contexts of a plan belong to one process";
    assert_eq!(two.stdout.matches(detail).count(), 3, "{}", two.stdout);
    assert_eq!(
        column(&two.stdout, "overlap"),
        ["not visible"; 3],
        "{}",
        two.stdout
    );
    // The file has a column for green contexts, and no kernel has one.
    let none = robot.audit("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET greenContextId = NULL, contextId = 1;");
    assert_eq!(none.code, 1, "{none:?}");
    let line = "does not show that the partitions existed, because no kernel states a green context\n";
    assert!(
        none.stdout.starts_with("NOT VISIBLE: ") && none.stdout.contains(line),
        "{}",
        none.stdout
    );
    for title in ["overlap", "context"] {
        assert_eq!(column(&none.stdout, title), ["not visible"; 3], "{}", none.stdout);
    }
    // Without the column, the file says nothing.
    let old = robot.audit(
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN greenContextId; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET contextId = 1;",
    );
    assert_eq!(old.code, 0, "{old:?}");
    assert!(
        old.stdout.starts_with("KEPT as far as visible: "),
        "{}",
        old.stdout
    );
    assert_eq!(
        column(&old.stdout, "overlap"),
        ["not visible"; 3],
        "{}",
        old.stdout
    );
}

#[test]
fn a_contradicted_size_is_in_the_task_set_and_in_each_verdict() {
    let robot = Robot::new();
    let file = robot.copy("alone-12.sqlite", "alone_12sm.sqlite");
    let processes = robot.copy("alone-4.sqlite", "processes.sqlite");
    let camera = OTHER_PROCESS
        .replace("streamId = 7", "streamId = 13")
        .replace("117440612", "117444512");
    change(Path::new(&processes), &camera);
    for (line, signs, text) in [
        (
            format!("{file}@8"),
            &["file-name", "no-green-context"][..],
            "despite another size in a file name, no green context",
        ),
        (
            format!("{file}@12"),
            &["no-green-context"],
            "despite no green context",
        ),
        (
            format!("{processes}@8"),
            &["processes", "no-green-context"],
            "despite several processes, no green context",
        ),
        // A client of MPS is a process of its own, and needs no green context.
        (
            format!("{processes}@50%"),
            &[],
            "which the recordings do not show",
        ),
        (format!("{file}@16"), &[], ""),
    ] {
        let (set, notes) = robot.tasks(&line);
        let found = &set["tasks"][0]["measured_on"]["size_signs"];
        let found: Vec<&str> = { found.as_array().into_iter().flatten() }
            .map(|sign| sign.as_str().unwrap())
            .collect();
        assert_eq!(found, signs, "{line}");
        assert_eq!(
            notes.contains("check the size of"),
            !text.is_empty(),
            "{line}: {notes}"
        );
        robot.plan("-q");
        let list = robot.assumptions();
        let id = match (signs, text) {
            ([], "") => None,
            ([], _) => Some("size-stated"),
            _ => Some("size-contradicted"),
        };
        let sizes: Vec<&(String, String)> = list.iter().filter(|(id, _)| id.starts_with("size-")).collect();
        assert_eq!(
            sizes.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(),
            Vec::from_iter(id),
            "{line}"
        );
        assert!(
            sizes.iter().all(|(_, found)| found.contains(text)),
            "{line}: {sizes:?}"
        );
    }
}

#[test]
fn a_recording_without_overlaps_is_no_conflict() {
    let robot = Robot::new();
    // The phases of this recording follow one another, so no kernels of two tasks overlap.
    let apart = robot.copy("alone-12.sqlite", "apart.sqlite");
    change(
        Path::new(&apart),
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = \"end\" + 1000;",
    );
    let alone = format!("{ROBOT}/alone-8.sqlite@8");
    let conflict = |set: &Value| -> usize {
        let tasks = set["tasks"].as_array().unwrap().iter();
        tasks
            .filter(|task| task["wcet"]["table"].get("conflict").is_some())
            .count()
    };
    let (set, notes) = robot.tasks(&format!("{alone} --conflict {ROBOT}/together-8.sqlite@8"));
    assert_eq!(conflict(&set), 3, "{set}");
    assert!(!notes.contains("never ran at the same time"), "{notes}");
    let (set, notes) = robot.tasks(&format!("{alone} --conflict {apart}@12"));
    assert_eq!(conflict(&set), 0, "{set}");
    let note = "kernels of camera, lidar, planner never ran at the same time as kernels of another activity, so their times count as \
                times in isolation, and this file gives no WCET in conflict";
    assert!(notes.contains(note), "{notes}");
    robot.plan("-q");
    let list = robot.assumptions();
    assert!(
        list.iter().any(|(id, _)| id == "conflict-as-isolated"),
        "{list:?}"
    );
    // Only tasks that overlap have a WCET in conflict.
    let planner = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"start\" = \"start\" + 5000000000, \"end\" = \"end\" + 5000000000 WHERE streamId = 15; \
         UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET \"start\" = \"start\" + 5000000000, \"end\" = \"end\" + 5000000000 WHERE globalTid % 16777216 = 4002; \
         UPDATE NVTX_EVENTS SET \"start\" = \"start\" + 5000000000, \"end\" = \"end\" + 5000000000 WHERE globalTid % 16777216 = 4002;";
    let some = robot.copy("together-8.sqlite", "some.sqlite");
    change(Path::new(&some), planner);
    let (set, notes) = robot.tasks(&format!("{alone} --conflict {some}@8"));
    assert_eq!(conflict(&set), 2, "{set}");
    assert!(
        notes.contains("kernels of planner never ran at the same time"),
        "{notes}"
    );
}

#[test]
fn limits_are_in_tables_and_missing_deadlines_in_notes() {
    let robot = Robot::new();
    let line = format!("{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8 --deadline camera=30ms");
    let (_, notes) = robot.tasks(&line);
    let note = "--deadline NAME=TIME: no deadline is stated for 2 tasks, so it is their period, such as ";
    assert!(notes.contains(note), "{notes}");
    let text = run(&format!("recording tasks {line} --warm-up 1 --format text")).stdout;
    assert!(text.lines().next().unwrap().contains(" deadline "), "{text}");
    assert!(text.contains("      30ms "), "{text}");
    let [set, plan, overheads] = ["set.json", "plan.json", "overheads.json"].map(|name| robot.path(name));
    let text = run(&format!(
        "partition {set} --gpu orin --granularity green-context --overheads {overheads} -q"
    ));
    assert_eq!(robot.plan("").code, 0);
    let verified = run(&format!("verify {plan} {set}"));
    for answer in [&text, &verified] {
        let mut lines = answer.stdout.lines().skip_while(|line| !line.contains("period"));
        let header = lines.next().unwrap_or_else(|| panic!("{answer:?}"));
        let titles: Vec<&str> = header.split_whitespace().collect();
        assert_eq!(
            titles,
            ["#", "task", "partition", "period", "C(m)", "D"],
            "{header}"
        );
        let camera: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!((camera[1], camera[5]), ("camera", "30ms"), "{camera:?}");
    }
    // A deadline of seconds is probably a mistake, and each command says so.
    robot.tasks(&format!(
        "{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8 --deadline camera=30s"
    ));
    assert_eq!(robot.plan("").code, 0);
    let trace = robot.path("trace.json");
    for line in [
        format!("recording tasks {ROBOT}/alone-8.sqlite@8 --deadline camera=30s"),
        format!("verify {plan} {set}"),
        format!("run {plan} {set} --backend simulated -o {trace}"),
    ] {
        let answer = run(&line);
        assert!(
            answer.stderr.contains("a deadline of 30s and a period of "),
            "{line}: {answer:?}"
        );
    }
}

#[test]
fn a_trace_of_a_run_needs_its_plan_and_its_set() {
    let robot = Robot::new();
    robot.tasks(&format!("{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8"));
    assert_eq!(robot.plan("").code, 0);
    let [set, plan, trace, other] =
        ["set.json", "plan.json", "trace.json", "other.json"].map(|name| robot.path(name));
    let ran = run(&format!(
        "run {plan} {set} --backend simulated --duration 200ms -o {trace}"
    ));
    assert_eq!(ran.code, 0, "{ran:?}");
    let without = run(&format!("recording audit {trace} --set {set}"));
    assert!(
        without.stderr.contains("state the plan of the run with --plan"),
        "{without:?}"
    );
    assert!(!without.stdout.contains("wcet-exceeded"), "{}", without.stdout);
    // The plan of a task set with other WCETs.
    let text = std::fs::read_to_string(&set).unwrap();
    std::fs::copy(&plan, &other).unwrap();
    robot.tasks(&format!(
        "{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8 --margin 1.3"
    ));
    assert_eq!(robot.plan("").code, 0);
    std::fs::write(&set, text).unwrap();
    let answer = run(&format!("recording audit {trace} --set {set} --plan {plan}"));
    assert_eq!(answer.code, 2, "{answer:?}");
    let answer = run(&format!("recording audit {trace} --set {set} --plan {other}"));
    assert!(
        answer.code == 0 && answer.stdout.starts_with("KEPT: "),
        "{answer:?}"
    );
}

#[test]
fn overheads_without_units_and_other_granularities_have_notes() {
    let robot = Robot::new();
    let (set, _) = robot.tasks(&format!("{ROBOT}/alone-4.sqlite@4 {ROBOT}/alone-8.sqlite@8"));
    std::fs::write(
        robot.path("overheads.json"),
        r#"{"occupancy_ns": 100, "wake_ns": "50us"}"#,
    )
    .unwrap();
    let answer = robot.plan("");
    let note = "`occupancy_ns` of 100 ns is below 1 us: a number without a unit is in nanoseconds (write \"100us\" for microseconds)";
    assert!(answer.stderr.contains(note), "{}", answer.stderr);
    let [path, plan, overheads] = ["set.json", "plan.json", "overheads.json"].map(|name| robot.path(name));
    std::fs::write(&overheads, r#"{"occupancy_ns": "100us", "wake_ns": "50us"}"#).unwrap();
    let answer = run(&format!(
        "partition {path} --gpu orin --granularity tpc --overheads {overheads} -o {plan}"
    ));
    assert_eq!(answer.code, 0, "{answer:?}");
    let answer = run(&format!("run {plan} {path} --backend simulated --duration 100ms"));
    assert!(
        answer.stderr.contains("the partitions have the granularity tpc"),
        "{}",
        answer.stderr
    );
    // Without a plan, first jobs can be the reason.
    let advice = "The measurement of task `camera` left out no warm-up, and first jobs are often slow";
    let mut slow = set.clone();
    slow["tasks"][0]["deadline"] = "1us".into();
    for (rule, expected) in [(Value::Null, true), (Value::from(1), false)] {
        let on = slow["tasks"][0]["measured_on"].as_object_mut().unwrap();
        on.remove("warm_up");
        if !rule.is_null() {
            on.insert("warm_up".to_owned(), rule);
        }
        let answer = crate::support::run_with("partition - --gpu orin -q", slow.to_string());
        assert_eq!(answer.code, 1, "{answer:?}");
        assert_eq!(answer.stdout.contains(advice), expected, "{}", answer.stdout);
    }
}
