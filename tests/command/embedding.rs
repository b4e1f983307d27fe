//! Commands inside the process of another program.

use std::ffi::OsString;
use std::fs;

use gpusched_cli::Outcome;
use gpusched_cli::embedding::{Answer, Failure, Watch, call, is_active};

fn run(arguments: &str) -> Result<Answer, Failure> {
    let arguments: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
    gpusched::register_parts();
    call(&arguments, &Watch::default())
}

#[test]
fn results_and_notes_reach_the_program() {
    let answer = run("gpusched generate --tasks 2 --utilization 1 --count 3").unwrap();
    assert_eq!(answer.outcome, Outcome::Positive);
    assert_eq!(answer.output.split(|&byte| byte == b'\n').count(), 4);
    let answer = run("gpusched gpus --seed 3").unwrap();
    assert_eq!(answer.notes.len(), 1, "{:?}", answer.notes);
    assert!(!is_active());
}

/// Worker threads write this note.
#[test]
fn notes_of_all_threads_reach_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.json");
    let task = r#"{"period":"50ms","wcet":{"amdahl":{"work":"5ms","serial":0.1}}}"#;
    fs::write(&path, format!("{{\"tasks\":[{task},{task}]}}")).unwrap();
    let answer = run(&format!("gpusched partition {} --sms 8", path.display())).unwrap();
    let is_known = answer.notes.iter().any(|note| note.contains("unsafe"));
    assert!(is_known, "{:?}", answer.notes);
}

#[test]
fn errors_are_values() {
    let message = |arguments| match run(arguments) {
        Err(Failure::Failed(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(message("gpusched gpus nowhere").contains("nowhere"));
    let unknown = message("gpusched partition x --nothing");
    assert_eq!(unknown, "arguments: unexpected argument '--nothing' found");
    assert!(message("gpusched").starts_with("arguments: "));
    let help = run("gpusched test --help").unwrap();
    assert!(String::from_utf8(help.output).unwrap().contains("--sms"));
}

#[test]
fn progress_is_visible() {
    let watch = Watch::default();
    assert_eq!(watch.step(), None);
    let arguments = "gpusched generate --tasks 2 --utilization 1 --count 30".split(' ');
    let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
    gpusched::register_parts();
    call(&arguments, &watch).unwrap();
    let step = watch.step().unwrap();
    assert_eq!(
        (step.position, step.total, step.units.as_str()),
        (30, Some(30), "sets")
    );
}
