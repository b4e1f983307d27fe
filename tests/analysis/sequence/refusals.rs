//! Invalid systems and settings: exit code 2, one message, no output.

use insta::assert_snapshot;

use crate::support::run_with;
use crate::support::transcript::{Transcript, refusals};

const KERNEL: &str =
    r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":10,"e0":"2us","e1":"3us"}]}"#;

fn system(tasks: &[&str]) -> String {
    let tasks: Vec<String> = tasks
        .iter()
        .map(|task| format!("{{\"kernel\":{KERNEL}{task}}}"))
        .collect();
    format!("{{\"kernels\":[{}]}}", tasks.join(","))
}

#[test]
fn bad_systems_are_refused() {
    let two = system(&[r#","period":"4ms""#, r#","period":"6ms""#]);
    let mut told = Transcript::default();
    for text in [
        String::new(),
        "[]".to_owned(),
        KERNEL.to_owned(),
        r#"{"kernels":[]}"#.to_owned(),
        r#"{"kernels":[{"period":"1ms"}]}"#.to_owned(),
        format!("{two}\n{two}\n"),
        two.replacen("1ms", "2ms", 1),
        two.replace("4ms", "0ms"),
        two.replace("4ms", "soon"),
        two.replacen("\"2us\"", "\"4us\"", 1),
        system(&["", r#","period":"1ms","offset":"2ms""#]),
        system(&[r#","deadline":0"#]),
        system(&[r#","q":2"#]),
        system(&[r#","slowdown":-1"#]),
        system(&[r#","q":0.1,"slowdown":0.1"#]),
        system(&[r#","period":"1ms""#, r#","period":"101s""#]),
        system(&[
            r#","period":9223372036854775807"#,
            r#","period":9223372036854775806"#,
        ]),
        // These times are valid input but too long for a simulation.
        system(&[r#","period":"20000s""#]),
        system(&[r#","offset":9223372036854775807"#]),
        two.replace(":10,", ":40000000,"),
        system(&[r#","period":"1s""#, r#","period":"9999s""#]).replace(":10,", ":5000000,"),
        system(&[""])
            .replace("1ms", "1ns")
            .replace("2us", "1000s")
            .replace("3us", "1000s"),
    ] {
        let given = text.replace(KERNEL, "KERNEL");
        told.refusal(given, &run_with("budget sequence - --lead 0ns", text));
    }
    assert_snapshot!(told);
}

#[test]
fn bad_settings_are_refused() {
    let mut told = refusals(["budget sequence none.json"]);
    for options in [
        "--blocks mean",
        "--blocks drawn",
        "--offset 1ms",
        "--lead 2ms",
        "--dispatch edf",
        "--demand 1.5",
        "--runs 0",
        "--slowdown x",
    ] {
        let line = format!("budget sequence - {options}");
        told.refusal(&line, &run_with(&line, system(&["", ""])));
    }
    assert_snapshot!(told);
}

/// A rejected run leaves no file.
#[test]
fn nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let line = format!(
        "budget sequence - --blocks mean -o {} --svg {}",
        path("a.csv"),
        path("a.svg")
    );
    assert_eq!(run_with(&line, system(&[""])).code, 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Periods and deadlines at the limit of time neither overflow nor miss.
#[test]
fn huge_times_are_fine() {
    let huge = system(&[
        r#","period":9223372036854775807,"deadline":9223372036854775807"#,
        r#","deadline":9223372036854775807"#,
        r#","period":9223372036854775807"#,
    ]);
    for dispatch in ["fifo", "np-edf", "np-fp", "np-fp-rm", "np-fp-given"] {
        // The regulation period is equally long, so the run is short.
        let text = huge.replace("\"1ms\"", "9223372036854775807");
        let answer = run_with(
            &format!("budget sequence - --lead 0ns --dispatch {dispatch}"),
            text,
        );
        assert_eq!(answer.code, 0, "{dispatch} {answer:?}");
    }
}
