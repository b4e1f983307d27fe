//! Promise: each requirement in `docs/explanation/safety-case.md` has tests. The page `docs/reference/report-columns.md` leads
//! from each source to a column, a function and a test that exist, and a report defines each of its columns.

use std::collections::BTreeSet;

use gpusched_report::definitions::DEFINITIONS;

use super::references::defined;
use crate::support::{ADAS, root, run, run_with};

/// Cells of the table rows of a page, without escapes.
pub fn rows(path: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    let cells = |line: &str| {
        let line = line.replace("\\|", "\0");
        let cells = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('\0', "|"));
        cells.collect::<Vec<String>>()
    };
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| source"));
    rows.map(cells).collect()
}

/// The names of all tests of this repository.
pub fn tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![root().join("tests"), root().join("crates/gpusched-verify/tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(path).unwrap();
                let starts = text.split("#[test]\nfn ").skip(1);
                names.extend(starts.filter_map(|start| Some(start.split_once("()")?.0.to_owned())));
            }
        }
    }
    names
}

#[test]
fn the_page_agrees_with_the_reports() {
    let rows = rows("docs/reference/report-columns.md");
    let (mut faults, tests) = (Vec::new(), tests());
    let stated: Vec<(String, String)> = rows.iter().map(|row| (row[1].clone(), row[0].clone())).collect();
    let defines = DEFINITIONS.map(|one| (one.column.to_owned(), one.source.to_owned()));
    assert_eq!(stated, defines);
    for (row, one) in rows.iter().zip(&DEFINITIONS) {
        let (function, test) = (row[2].trim_matches('`'), row[3].trim_matches('`'));
        let file = one.page.split('#').next().unwrap();
        if !root().join("docs").join(file).is_file() {
            faults.push(format!("{}: no page {file}", one.column));
        }
        if !defined(&function.split("::").collect::<Vec<_>>()) {
            faults.push(format!("{}: no function {function}", one.column));
        }
        if !tests.contains(test) {
            faults.push(format!("{}: no test {test}", one.column));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(
        tests.len() > 500 && !tests.contains("by_exhaustion"),
        "{}",
        tests.len()
    );
}

/// Each requirement of the verifier has tests that exist.
#[test]
fn each_requirement_of_verify_has_tests() {
    let (rows, tests) = (rows("docs/explanation/safety-case.md"), tests());
    let requirements: Vec<&Vec<String>> = rows.iter().filter(|row| row[0].starts_with('V')).collect();
    for (index, row) in requirements.iter().enumerate() {
        assert_eq!(row[0], format!("V{}", index + 1));
        let named: Vec<&str> = row[2].split(", ").map(|name| name.trim_matches('`')).collect();
        assert!(
            named.iter().all(|name| tests.contains(*name)),
            "{}: {named:?}",
            row[0]
        );
    }
    assert!(requirements.len() >= 17, "{}", requirements.len());
}

/// Columns that only number rows.
const NUMBERS: [&str; 6] = ["#", "Partition", "Rank", "Segment", "Cluster", "No."];

#[test]
fn each_column_of_numbers_has_a_definition() {
    let slices = r#"{"tasks": [
     {"name": "camera", "period": "20ms", "jitter": "1ms", "wcet": {"amdahl": {"work": "160ms", "serial": 0.02}}, "traffic": "6GB"},
     {"name": "lidar", "period": "25ms", "wcet": {"amdahl": {"work": "180ms", "serial": 0.02}}, "traffic": "4GB"}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.json").display().to_string();
    std::fs::write(&set, slices).unwrap();
    let memory = "--interference conflict+bandwidth --memory-bandwidth 2TB/s";
    let system = "tasksets/end_to_end/camera-budgets.json";
    let kernel = "tasksets/kernels/histo-table1.json";
    let mut columns = BTreeSet::new();
    for (command, input) in [
        (
            format!("partition {set} --gpu h100 --granularity mig --policy edf {memory}"),
            set.as_str(),
        ),
        (format!("partition {set} --sms 64 --policy edf {memory}"), &set),
        (
            format!("partition {ADAS} --gpu h100 --granularity tpc --policy dm --sensitivity"),
            ADAS,
        ),
        (format!("partition {ADAS} --sms 8 --policy edf"), ADAS),
        (format!("budget nominal {system} --deadlines"), system),
        (format!("budget nominal {kernel}"), kernel),
    ] {
        let result = run(&format!("{command} --format json")).stdout;
        let page = run_with(&format!("report - {input}"), result).stdout;
        let (tables, definitions) = page.split_once("<table id=\"definitions\"").unwrap();
        for head in tables.split("<th scope=\"col\" class=\"number\"").skip(1) {
            let title = head.split(['>', '<']).nth(1).unwrap().replace("&#x2f;", "/");
            let title = title.replace("&#x27;", "'");
            let cell = format!(">{}</th>", title.replace('/', "&#x2f;").replace('\'', "&#x27;"));
            assert!(
                NUMBERS.contains(&title.as_str()) || definitions.contains(&cell),
                "{command}: {title}"
            );
            columns.insert(title);
        }
    }
    assert!(columns.len() >= 45, "{columns:?}");
}
