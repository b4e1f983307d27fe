//! Long commands state their progress on standard error, also where it is not a terminal.

use crate::support::{Answer, answer, gpusched};

/// Runs a command that states its progress every millisecond.
fn often(arguments: &[&str]) -> Answer {
    answer(gpusched(arguments).env("GPUSCHED_PROGRESS", "1ms"))
}

/// The finished units in lines such as `progress: small: 3 of 9 sets (33 %), about 2 s left`.
fn positions(answer: &Answer, name: &str, total: &str) -> Vec<u64> {
    let lines = answer
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("progress: "));
    let position = |line: &str| {
        let line = line.strip_prefix(name).unwrap_or_else(|| panic!("{line}"));
        let (done, rest) = line.split_once(" of ").unwrap_or_else(|| panic!("{line}"));
        assert!(rest.starts_with(total), "{line}");
        let left = line.rsplit(", ").next().unwrap();
        let is_estimate = left.starts_with("about ") && left.ends_with(" left");
        assert!(is_estimate || left == "time left unknown", "{line}");
        done.parse().unwrap()
    };
    lines.map(position).collect()
}

#[test]
fn lines_state_the_progress_and_the_time_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (sets, results) = (path("sets.jsonl"), path("results"));
    let generate = [
        "generate",
        "--tasks",
        "50",
        "--utilization",
        "9",
        "--count",
        "4000",
        "-o",
        &sets,
    ];
    let study = [
        "study",
        "run",
        "analysis/smoke.toml",
        "-o",
        &results,
        "--threads",
        "1",
    ];
    let validate = ["validate", "--systems", "300", "--threads", "1"];
    let cases: [(&[&str], &str, &str); 3] = [
        (&generate, "", "4000 sets ("),
        (&study, "smoke: ", ""),
        (&validate, "", "300 systems ("),
    ];
    for (arguments, name, total) in cases {
        let answer = often(arguments);
        assert!(answer.code < 2, "{answer:?}");
        let seen = positions(&answer, name, total);
        assert!(seen.len() > 1 && seen.is_sorted(), "{answer:?}");
        // A small validation is one step.
        assert!(seen.last() > Some(&0) || arguments[0] == "validate", "{answer:?}");
    }
    let again = [
        "study",
        "run",
        "analysis/smoke.toml",
        "-o",
        &results,
        "--fresh",
        "-q",
    ];
    assert!(!often(&again).stderr.contains("progress"));
    // Without a total, a line states what is done.
    let text = std::fs::read_to_string(&sets).unwrap();
    let mut test = gpusched(["test", "-", "--sms", "8", "--format", "csv", "--threads", "1"]);
    let answer = answer(test.env("GPUSCHED_PROGRESS", "1ms").write_stdin(text));
    assert!(answer.stderr.contains(" task sets, after 1 s"), "{answer:?}");
    let choice = "test tasksets/tasksets/adas.json --gpu rtx2060 --switch 1ms --turns 8 --turn-tests 5000 \
                  --time-slice 1ms,2ms,3ms,4ms,5ms,6ms,7ms,8ms";
    let answer = often(&choice.split(' ').collect::<Vec<_>>());
    assert!(
        answer.stderr.contains(" choices of contexts tested, after 1 s"),
        "{answer:?}"
    );
}

/// By default, a line appears after 30 s, so short runs stay as they are.
#[test]
fn short_runs_have_no_lines() {
    let mut generate = gpusched("generate --tasks 5 --utilization 2 --count 500".split(' '));
    let answer = answer(generate.env_remove("GPUSCHED_PROGRESS"));
    assert!(answer.code == 0 && answer.stderr.is_empty(), "{answer:?}");
}

/// Ctrl-C ends a search for a plan with the best plan so far, which is not an error.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_keeps_its_plan() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set.json").display().to_string();
    let generate = format!("generate --tasks 150 --utilization 34 --seed 3 -o {set}");
    assert_eq!(answer(&mut gpusched(generate.split(' '))).code, 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusched"));
    command
        .args(["partition", &set, "--sms", "68", "--heuristic", "optimal"])
        .args(["--search-effort", "1000000000000"])
        .env("GPUSCHED_PROGRESS", "1ms")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let told = lines
        .find(|line| line.starts_with("progress: best plan so far: "))
        .unwrap();
    assert!(told.contains(" SMs, lower bound: "), "{told}");
    super::run::ring::send("-INT", &child);
    // A search that does not read its messages would wait for their reader.
    lines.for_each(drop);
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{text}");
    assert!(text.starts_with("SCHEDULABLE on "), "{text}");
    assert!(
        text.contains("\nthe search was interrupted; a longer search"),
        "{text}"
    );
}
