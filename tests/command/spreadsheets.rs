//! Promise: a spreadsheet takes no name in a CSV file as a formula, and gpusched reads the original names back.

use crate::support::{answer, gpusched, run, run_with};

/// Task sets whose names begin with characters of formulas.
const NAMES: [&str; 7] = ["=1+1", "+cmd", "-x", "@sum", "\tx", "'=x", "-1"];

fn set(name: &str) -> String {
    let name = serde_json::to_string(name).unwrap();
    format!(r#"{{"name":{name},"tasks":[{{"period":"10ms","wcet":{{"table":[[1,"1ms"]]}}}}]}}"#)
}

#[test]
fn names_are_texts_and_numbers_are_numbers() {
    let sets: String = NAMES.iter().map(|name| set(name) + "\n").collect();
    let csv = run_with("test - --sms 1 --policy edf --format csv", sets.clone());
    assert_eq!(csv.code, 0, "{csv:?}");
    let mut reader = csv::Reader::from_reader(csv.stdout.as_bytes());
    let written: Vec<String> = reader.records().map(|row| row.unwrap()[1].to_owned()).collect();
    assert_eq!(written, ["'=1+1", "'+cmd", "'-x", "'@sum", "'\tx", "''=x", "-1"]);
    // A file has the same rows as standard output.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tests.csv");
    let mut command = gpusched(["test", "-", "--sms", "1", "--policy", "edf", "-o"]);
    assert_eq!(answer(command.arg(&path).write_stdin(sets.clone())).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), csv.stdout);
    // `plot` shows the original names.
    let mut plot = gpusched(["plot"]);
    plot.arg(&path).args([
        "--x",
        "name",
        "--y",
        "utilization",
        "--kind",
        "bar",
        "--series",
        "",
    ]);
    let svg = answer(&mut plot);
    assert_eq!(svg.code, 0, "{svg:?}");
    for name in ["=1+1", "+cmd", "-x", "@sum"] {
        assert!(
            svg.stdout.contains(&format!(">{name}<")) && !svg.stdout.contains(&format!("'{name}")),
            "{name}"
        );
    }
    // JSON and text have the names as they are.
    let plan = run_with(
        "partition - --sms 1 --policy edf --granularity sm --format json",
        set("=1+1"),
    );
    assert!(!plan.stdout.contains("'="), "{plan:?}");
}

#[test]
fn a_prediction_names_its_kernels_as_texts() {
    let group = r#"{"kernels":[{"name":"=k","sms":15,"profile":"VADD"}]}"#;
    let json = run_with("predict - --format json", group).stdout;
    assert!(json.contains(r#""kernel":"=k""#), "{json}");
    let csv = run_with("predict - --format csv", group).stdout;
    assert!(csv.contains("\n0,fluid,'=k,15,"), "{csv}");
}

/// The numbers of a table stay as they are, also below 0.
#[test]
fn negative_numbers_have_no_apostrophe() {
    let csv = run("partition tasksets/tasksets/adas.json --sms 8 --policy edf --granularity sm --format csv")
        .stdout;
    assert!(!csv.contains('\''), "{csv}");
    let run = r#"{"name":"s","kernels":[{"period":"2ms","deadline":"1us","kernel":{"active_blocks":1,"regulation_period":"1ms","clusters":[{"blocks":9,"e0":"40us","e1":"41us"}]}}]}"#;
    let csv = run_with("budget sequence - --format csv", run).stdout;
    assert!(!csv.contains('\''), "{csv}");
}
