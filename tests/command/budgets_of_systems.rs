//! Promise: `budget export` takes the budgets of a system from their file, and states what its setting does not prove. Notes and
//! errors on the way from a system to a setting state the next step.
#![cfg(feature = "cli")]

use std::path::Path;

use crate::support::run;

const SYSTEM: &str = "tasksets/end_to_end/one-kernel.json";
const RESCTRL: &str = "--as resctrl --rate 4GB/s --core-rate 2.5GB/s --line 64 --cores 2-3";
const MEMGUARD: &str = "--as memguard --rate 4GB/s --line 64 --cores 2,3";

/// Writes the chosen budgets of [`SYSTEM`] to `folder`, and returns their path.
fn chosen(folder: &Path) -> String {
    let path = folder.join("budgets.json").display().to_string();
    let found = run(&format!(
        "budget nominal {SYSTEM} --deadlines --format json -o {path}"
    ));
    assert_eq!(found.code, 0, "{}", found.stderr);
    path
}

/// Writes `text` to a file in `folder`, and returns its path.
fn written(folder: &Path, text: &str) -> String {
    let path = folder.join("file.json");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn system() -> String {
    std::fs::read_to_string(crate::support::root().join(SYSTEM)).unwrap()
}

#[test]
fn export_takes_budget_and_period_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = chosen(folder.path());
    let script = run(&format!("budget export {path} {MEMGUARD}"));
    assert_eq!(script.code, 0, "{}", script.stderr);
    // Budgets are constant, so no process takes misses.
    let stated = run(&format!(
        "budget export --q 0.484615 --period 1ms --process-misses 0 {MEMGUARD}"
    ));
    assert_eq!(script.stdout, stated.stdout);
    assert!(script.stdout.contains("Q = 0.484615 ") && !script.stdout.contains("process"));
    for option in ["--q 0.1", "--period 10ms"] {
        let refused = run(&format!("budget export {path} {MEMGUARD} {option}"));
        assert_eq!(refused.code, 2, "{option}");
        assert!(
            refused.stderr.contains("cannot be used with"),
            "{}",
            refused.stderr
        );
    }
    let missing = run(&format!("budget export {MEMGUARD} --q 0.1"));
    assert!(
        missing
            .stderr
            .contains("--period: found no value, expected --q and --period"),
        "{}",
        missing.stderr
    );
    // Another budget than the proven one.
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = text.replace("\"q\":0.484615", "\"q\":0.5");
    assert_ne!(text, changed);
    let wrong = run(&format!(
        "budget export {} {MEMGUARD}",
        written(folder.path(), &changed)
    ));
    assert_eq!(wrong.code, 2, "{}", wrong.stdout);
    assert!(wrong.stdout.is_empty());
}

#[test]
fn a_system_that_fails_has_no_setting() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &system().replace("\"30ms\"", "\"12ms\""));
    let out = folder.path().join("none.json").display().to_string();
    assert_eq!(
        run(&format!(
            "budget nominal {path} --deadlines --format json -o {out}"
        ))
        .code,
        1
    );
    let none = run(&format!("budget export {out} {MEMGUARD}"));
    assert_eq!((none.code, none.stdout.as_str()), (1, ""), "{}", none.stderr);
    assert!(none.stderr.contains("exports no budget"), "{}", none.stderr);
}

/// Different budgets: a setting that stays constant has the least.
#[test]
fn the_least_of_different_budgets_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), &system().replace("\"30ms\"", "\"28ms\""));
    let out = folder.path().join("kinds.json").display().to_string();
    let found = run(&format!(
        "budget nominal {path} --deadlines --per kind --search-effort 100"
    ));
    assert!(
        found
            .stdout
            .contains("a constant setting must use the least budget"),
        "{}",
        found.stdout
    );
    run(&format!(
        "budget nominal {path} --deadlines --per kind --search-effort 100 --format json -o {out}"
    ));
    let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let groups = file["groups"].as_array().unwrap();
    let budgets = groups.iter().map(|group| group["q"].as_f64().unwrap());
    let least = budgets.fold(1.0, f64::min);
    let script = run(&format!("budget export {out} {MEMGUARD}"));
    assert!(
        script
            .stderr
            .contains(&format!("the script sets the least: {least} ")),
        "{}",
        script.stderr
    );
    assert!(
        least == 0.0 || script.stdout.contains(&format!("Q = {least} ")),
        "{}",
        script.stdout
    );
}

/// Tools that limit the average rate prove no deadline, and have no regulation period.
#[test]
fn settings_state_what_they_do_not_prove() {
    let folder = tempfile::tempdir().unwrap();
    let path = chosen(folder.path());
    let script = run(&format!("budget export {path} {RESCTRL}"));
    assert!(
        script
            .stdout
            .starts_with("#!/bin/sh\n# DEADLINES ARE NOT PROVEN "),
        "{}",
        script.stdout
    );
    assert!(
        script.stderr.contains("NOT PROVEN") && !script.stderr.contains("warning"),
        "{}",
        script.stderr
    );
    let counted = run(&format!("budget export {path} {MEMGUARD}"));
    assert!(!counted.stdout.contains("NOT PROVEN") && counted.stderr.contains("each core stops after"));
    for (options, expected) in [
        (
            format!("--q 0.8 --period 10us {RESCTRL}"),
            "warning: resctrl has no regulation period",
        ),
        (
            format!("--q 1 --period 1ms {MEMGUARD}"),
            "note: Q = 1 needs no regulation",
        ),
        (
            format!("{path} {MEMGUARD} --cores 0"),
            "note: CPU 0 of --cores has the name of a core",
        ),
    ] {
        let found = run(&format!("budget export {options}"));
        assert_eq!(found.code, 0, "{}", found.stderr);
        assert!(found.stderr.contains(expected), "{}", found.stderr);
    }
}

#[test]
fn results_state_when_budgets_have_no_effect() {
    let folder = tempfile::tempdir().unwrap();
    let slow = system().replace("\"deadline\": \"30ms\"", "\"deadline\": \"33ms\"");
    let free = run(&format!(
        "budget nominal {} --deadlines",
        written(folder.path(), &slow)
    ));
    assert!(
        free.stdout.contains("Q = 1 needs no regulation"),
        "{}",
        free.stdout
    );
    assert_eq!(free.stderr, "");
    let camera = run("budget nominal tasksets/end_to_end/camera-budgets.json --deadlines");
    assert!(
        camera.stderr.contains("the search ignores `budgets.q` of"),
        "{}",
        camera.stderr
    );
    assert!(!camera.stdout.contains("needs no regulation"));
}

/// Errors about a file or an option of another command name the command.
#[test]
fn errors_name_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = chosen(folder.path());
    let changed = |from: &str, to: &str| system().replace(from, to);
    let budgets = "{\"regulation_period\": \"1ms\"}";
    for (line, text, expected) in [
        (
            format!("budget nominal {SYSTEM}"),
            String::new(),
            "hint: add `--deadlines`",
        ),
        (
            format!("what-if {path} {SYSTEM} --sms 4"),
            String::new(),
            "or to `gpusched budget export`",
        ),
        (
            format!("export {path} {SYSTEM} --as resctrl"),
            String::new(),
            "`gpusched budget export` accepts resctrl",
        ),
        (
            "test FILE".to_owned(),
            changed(budgets, "{}"),
            "hint: state the regulation period",
        ),
        (
            "test FILE".to_owned(),
            changed(budgets, "{\"regulation_period\": \"1ms\", \"q\": \"10%\"}"),
            "expected a number from 0 to 1 with",
        ),
    ] {
        let line = line.replace("FILE", &written(folder.path(), &text));
        let refused = run(&line);
        assert_eq!(refused.code, 2, "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{line}: {}", refused.stderr);
    }
    let without = changed("\"sms\": 4, ", "");
    let shown = run(&format!("show {}", written(folder.path(), &without)));
    assert!(
        shown.stdout.contains("1 without `sms`, which `test` requires"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("SHA-256 of the canonical form"));
}

/// A time without a unit next to times with units probably lacks its unit, in each kind of file.
#[test]
fn times_without_unit_have_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let bare = system().replace("\"12ms\"", "12").replace("\"26ms\"", "26");
    let kernel =
        r#"{"active_blocks": 4, "regulation_period": "1ms", "clusters": [{"blocks": 9, "e0": 2, "e1": 3}]}"#;
    let set = r#"{"tasks": [{"name": "a", "wcet": 3, "period": "33ms"}]}"#;
    let period = r#"{"tasks": [{"name": "a", "wcet": "3ms", "period": 33}]}"#;
    let whole = r#"{"tasks": [{"name": "a", "wcet": 3000000, "period": 33000000}]}"#;
    for (line, text, field) in [
        (
            "budget nominal FILE --deadlines",
            bare.as_str(),
            "`tasks[0].segments[2].wcet` of 12 ns",
        ),
        ("budget nominal FILE", kernel, "`clusters[0].e0` of 2 ns"),
        ("test FILE --sms 4", set, "`tasks[0].wcet` of 3 ns"),
        ("test FILE --sms 4", period, "`deadline` of 33 ns"),
        ("test FILE --sms 4", whole, ""),
    ] {
        let line = line.replace("FILE", &written(folder.path(), text));
        let found = run(&line);
        assert_eq!(
            found.stderr.matches("a number without a unit").count(),
            usize::from(!field.is_empty()),
            "{}",
            found.stderr
        );
        assert!(
            found.stderr.contains(field) || field == "`deadline` of 33 ns",
            "{}",
            found.stderr
        );
        assert!(!run(&format!("{line} -q")).stderr.contains("unit"));
    }
}

/// The page of chosen budgets says what its numbers and curves mean.
#[test]
fn the_page_defines_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let stated = system().replace("\"1ms\"}", "\"1ms\", \"q\": 0.1}");
    let system = written(folder.path(), &stated);
    let path = folder.path().join("budgets.json").display().to_string();
    assert_eq!(
        run(&format!(
            "budget nominal {system} --deadlines --format json -o {path}"
        ))
        .code,
        0
    );
    let page = folder.path().join("page.html").display().to_string();
    assert_eq!(run(&format!("report {path} {system} -o {page}")).code, 0);
    let page = std::fs::read_to_string(page).unwrap();
    for expected in [
        "share of time for which the segments of the group execute in isolation",
        "so they also access memory with Q = 0",
        "SHA-256 of the saved file",
        "The system as given. Its budgets have no effect on the chosen budgets",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    // All lines have all points.
    assert!(!page.contains("ends where the task has no bound"));
}
