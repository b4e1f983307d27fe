//! The whole path on the simulated GPU: measure → fit → partition → run → audit.

use serde_json::{Value, json};

use super::Case;
use crate::support::{root, run};

/// Measures the simulated kernel `program` on several sizes, and returns the task with the period `period`.
fn task(program: &str, period: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let measured = folder.path().join("measured.csv");
    let path = root().join(format!("tasksets/kernels/programs/{program}.json"));
    let line = format!(
        "simulate profile {} --machine rtx2060 --sms 6..30:6 -q -o {}",
        path.display(),
        measured.display()
    );
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let answer = run(&format!(
        "wcet fit {} --period {period} --format json",
        measured.display()
    ));
    let mut set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let mut task = set["tasks"][0].take();
    task["name"] = program.into();
    task
}

#[test]
fn measured_tasks_are_planned_run_and_audited() {
    let set = json!({"tasks": [task("copyl", "40us"), task("saxpyl", "60us")]});
    let case = Case::of(&set.to_string(), "--gpu rtx2060 --policy np-edf");
    let ran = run(&case.traced("--backend simulated --duration 10ms"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let audit = case.audit();
    assert!(
        audit.code == 0 && audit.stdout.starts_with("KEPT"),
        "{}",
        audit.stdout
    );

    // A kernel that is slower than every measurement.
    let ran = run(&case.traced("--backend simulated --duration 10ms --execution copyl#3=20us"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let audit = case.audit();
    assert!(
        audit.code == 1 && audit.stdout.starts_with("BROKEN"),
        "{}",
        audit.stdout
    );
    assert!(
        audit.stdout.contains("wcet-exceeded of copyl job 3"),
        "{}",
        audit.stdout
    );
}
