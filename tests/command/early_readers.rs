//! Promise: if the reader of the output stops early (`| head`), gpusched reports no error, and no verdict changes.
#![cfg(feature = "cli")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::support::{ADAS, root, run, tenths};

/// Runs the command with a closed standard output. Returns exit code and standard error.
fn unread(line: &str) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(line.split_whitespace())
        .current_dir(root())
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), said)
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sets.jsonl");
    // With unread results, the exit code is 141. One negative result at any position changes the
    // exit code to 1.
    for (first, code) in [(3, 141), (11, 1)] {
        let sets = tenths(first) + "\n" + &(tenths(3) + "\n").repeat(20_000);
        std::fs::write(&path, sets).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gpusched"))
            .args(["test", "--sms", "1", "--format", "json"])
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.starts_with("{\"schedulable\":"), "{line}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// A command that has written all its results returns the exit code of its verdict, even if the
/// output was closed.
#[test]
fn the_verdict_decides_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (fits, none) = (path("fits.json"), path("none.json"));
    assert_eq!(run(&format!("partition {ADAS} --sms 8 -o {fits}")).code, 0);
    assert_eq!(run(&format!("partition {ADAS} --sms 4 -o {none}")).code, 1);
    for (line, code) in [
        (format!("test {ADAS} --gpu rtx2060"), 0),
        (format!("test {ADAS} --sms 8"), 1),
        (format!("partition {ADAS} --sms 8 --format csv"), 0),
        (format!("partition {ADAS} --sms 4 --format json"), 1),
        (format!("verify {fits} {ADAS}"), 0),
        (format!("verify {none} {ADAS}"), 1),
        (format!("simulate tasks {ADAS} --plan {fits} --duration 200ms"), 0),
        (format!("simulate tasks {ADAS} --sms 2 --duration 200ms"), 1),
        (
            format!("simulate tasks {ADAS} --sms 2 --duration 2s --format csv"),
            1,
        ),
        ("validate --systems 20 -q".to_owned(), 0),
        ("study list analysis".to_owned(), 0),
        ("study sets analysis/smoke.toml --point 3".to_owned(), 0),
        (
            "generate --tasks 50 --utilization 30 --count 10000000 -q".to_owned(),
            0,
        ),
    ] {
        assert_eq!(unread(&line), (code, String::new()), "{line}");
    }
    // Bad input is still an error.
    let (code, said) = unread("test missing.json --sms 8");
    assert!(code == 2 && said.starts_with("error: missing.json"), "{said}");
}

/// If the reader stops before the end of a stream of plans and sets, the exit code is 141, or 1
/// if a read result is negative.
#[test]
fn streams_end_with_their_readers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (sets, plans) = (path("sets.jsonl"), path("plans.jsonl"));
    std::fs::write(&sets, (tenths(1) + "\n").repeat(5_000)).unwrap();
    assert_eq!(run(&format!("partition {sets} --sms 2 -q -o {plans}")).code, 0);
    assert_eq!(unread(&format!("verify {plans} {sets}")), (141, String::new()));
    let wrong = std::fs::read_to_string(&plans).unwrap();
    std::fs::write(&plans, wrong.replacen("\"sms_used\":1", "\"sms_used\":2", 1)).unwrap();
    assert_eq!(unread(&format!("verify {plans} {sets}")), (1, String::new()));
    let simulate = format!("simulate tasks {sets} --sms 1 --duration 20ms --format json");
    assert_eq!(unread(&simulate), (141, String::new()));
    let budgets = "tasksets/kernels/histo-table1.json --blocks drawn --runs 1000000 --format csv";
    assert_eq!(
        unread(&format!("budget simulate {budgets}")),
        (141, String::new())
    );
}
