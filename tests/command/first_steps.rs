//! Promise: an error in a first step names the next step, and help fits the screen.
#![cfg(feature = "cli")]

use insta::assert_snapshot;

use crate::help::Help;
use crate::support::transcript::Transcript;
use crate::support::{ADAS, Answer, is_one_complaint, run, run_with};

const ONE: &str = r#"{"tasks":[{"name":"a","period":"33ms","wcet":"2ms"}]}"#;

/// The output of `answer`, without the cost of the search.
fn said(answer: &Answer) -> String {
    let all = format!("exit code {}\n{}{}", answer.code, answer.stderr, answer.stdout);
    let lines = all.lines().filter(|line| !line.starts_with("search: "));
    lines.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn wrong_first_steps_name_the_next_one() {
    let mut told = Transcript::default();
    for (line, set) in [
        ("test - --gpu 4090", ONE),
        ("test - --gpu spark", ONE),
        ("test - --sms 1", r#"{"tasks":[{"period":33,"wcet":"2ms"}]}"#),
        ("test - --sms 1", r#"{"tasks":[{"period":"33ms","wcet":2.5}]}"#),
        (
            "test - --sms 1",
            r#"{"tasks":[{"period":"33ms","kind":4,"wcet":"2ms"}]}"#,
        ),
        ("test - --sms 1", r#"{"tasks":[{"period":"33ms","wcet":"2ms"},]}"#),
        (
            "test - --sms 1",
            r#"{"tasks":[{"name":"a","period":"9ms","wcet":"1ms"},{"name":"a","period":"9ms","wcet":"1ms"}]}"#,
        ),
        ("test - --sms 0", ONE),
        ("simulate tasks -", ONE),
        ("simulate warps - --machine rtx2060 --scheduler old", ""),
        ("partition - --sms 8 --order increasing", ONE),
        ("partition - --sms 8 --time-limit -5ms", ONE),
        ("partition - --sms 8 -o plan.svg", ONE),
        ("partition - --sms 8 -o plans/", ONE),
        ("wcet fit -", "sms,time\n1,5\n"),
        ("wcet fit -", "vadd: 3 times\nsms  time\n"),
        ("wcet fit tasksets/measurements/stencil.csv --period 0ms", ""),
        ("study run - -o results", ""),
    ] {
        let answer = run_with(line, set);
        told.case(format!("{line} < {}", set.escape_debug()), said(&answer));
    }
    assert_snapshot!(told);
}

/// For a failure, gpusched computes the failing condition, the missing amount, and changes that
/// lead to a plan.
#[test]
fn a_failure_explains_itself() {
    let mut told = Transcript::default();
    let late = r#"{"tasks":[{"name":"a","period":"20ms","deadline":"1500us","wcet":"2ms"},{"name":"b","period":"9ms","wcet":"1ms"}]}"#;
    let busy = r#"{"tasks":[{"name":"a","period":"10ms","wcet":{"amdahl":{"work":"30ms","serial":0}}},
        {"name":"b","period":"10ms","wcet":{"amdahl":{"work":"60ms","serial":0}}}]}"#;
    for (line, set) in [
        ("test - --sms 1", late),
        ("test - --sms 1 --policy dm", late),
        ("test - --sms 8", busy),
        ("partition - --sms 4", late),
        ("partition - --sms 8", busy),
        ("partition - --sms 4 --policy density", late),
        (
            "test - --sms 2 --policy density",
            r#"{"tasks":[{"period":"4ms","deadline":"2ms","wcet":"1ms"},{"period":"4ms","deadline":"3ms","wcet":"2ms"}]}"#,
        ),
    ] {
        told.case(
            format!("{line} < {}", set.escape_debug()),
            said(&run_with(line, set)),
        );
    }
    for line in [
        "partition SET --sms 6",
        "partition SET --sms 8 --heuristic ffd",
        "partition SET --sms 10 --interference conflict+bandwidth --memory-bandwidth 100GB/s",
        "test SET --sms 8",
    ] {
        told.case(line, said(&run(&line.replace("SET", ADAS))));
    }
    assert_snapshot!(told);
}

/// The search for changes uses only the time that the search for a plan left.
#[test]
fn changes_keep_the_time_limit() {
    for memory in [
        "",
        " --interference conflict+bandwidth --memory-bandwidth 100GB/s",
    ] {
        let line = format!("partition {ADAS} --sms 6{memory}");
        let told = |line: &str| run(line).stdout;
        assert!(told(&line).contains("Each of these changes makes the task set schedulable:"));
        let late = told(&format!("{line} --time-limit 1ns"));
        let end = "The search used the whole time limit, so gpusched tried no changes of the task set.";
        assert!(late.contains(end) && !late.contains("Each of"), "{late}");
    }
}

/// A missing WCET in conflict causes a note if the missing WCET affects the result.
#[test]
fn a_missing_conflict_is_told_where_it_matters() {
    let set = |kind: &str| {
        format!(
            r#"{{"tasks":[{{"name":"a","kind":"memory","period":"9ms","wcet":"1ms"}},{{"kind":"{kind}","period":"9ms","wcet":{{"table":[[1,"1ms"]]}}}}]}}"#
        )
    };
    let same = run_with("test - --sms 2", set("memory"));
    assert!(
        same.stderr
            .starts_with("note: task `a` shares a partition with tasks of the same or of an unknown kind"),
        "{}",
        same.stderr
    );
    assert!(is_one_complaint(&same.stderr));
    for (line, kind) in [
        ("test - --sms 2", "compute"),
        ("test - --sms 2 -q", "memory"),
        ("test - --sms 2 --interference none", "memory"),
    ] {
        assert_eq!(run_with(line, set(kind)).stderr, "", "{line}");
    }
}

/// Names of earlier versions give the same results.
#[test]
fn former_names_stay() {
    for (former, name) in [
        (
            format!("partition {ADAS} --sms 8 --heuristic sms --improve --budget 50"),
            format!("partition {ADAS} --sms 8 --heuristic fewest-sms --improve --search-effort 50"),
        ),
        (
            "budget simulate tasksets/kernels/histo-table1.json --policy greedy".to_owned(),
            "budget simulate tasksets/kernels/histo-table1.json --budget-policy greedy".to_owned(),
        ),
    ] {
        let text = |line: &str| said(&run(line));
        assert_eq!(text(&former), text(&name));
    }
}

/// `-h` fits one screen of 55 lines and 100 columns, and `--help` has at most 120 lines.
#[test]
fn help_fits_the_screen() {
    for help in Help::all() {
        let below = help.name.strip_prefix("gpusched").unwrap();
        let short = run(&format!("{below} -h")).stdout;
        for (text, most) in [(&short, 55), (&help.text, 120)] {
            assert!(text.lines().count() <= most, "{}:\n{text}", help.name);
            let options = text.lines().filter(|line| line.trim_start().starts_with('-'));
            for line in options {
                assert!(line.chars().count() <= 100, "{}: {line}", help.name);
            }
        }
        assert!(!help.text.contains("--threads <N>") || help.name == "gpusched");
    }
}

/// A proposed deadline suffices, and one nanosecond less does not.
#[test]
fn a_proposed_deadline_is_the_least() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tight.json");
    let test = |deadlines: [u64; 2], wcets: [u64; 2], policy: &str| {
        let task = |index: usize, period: u64| {
            format!(
                "{{\"name\":\"t{index}\",\"period\":{period},\"deadline\":{},\"wcet\":{{\"table\":[[1,{}]]}}}}",
                deadlines[index], wcets[index]
            )
        };
        let set = format!("{{\"tasks\":[{},{}]}}", task(0, 33_000_000), task(1, 50_000_000));
        std::fs::write(&path, set).unwrap();
        run(&format!("test {} --sms 1 --policy {policy}", path.display()))
    };
    let mut proposed = 0;
    for policy in ["edf", "np-edf", "np-fp"] {
        for (deadlines, wcets) in [
            ([9_000_000, 30_000_000], [9_000_000, 8_000_000]),
            ([10_000_000, 30_000_000], [10_000_001, 8_000_000]),
            ([12_000_000, 13_000_000], [7_000_000, 7_000_000]),
            ([1, 50_000_000], [1_000_000, 1]),
        ] {
            let told = test(deadlines, wcets, policy).stdout;
            let Some(line) = told.lines().find(|line| line.ends_with("(1ns less fails)")) else {
                continue;
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let least = words[3].parse::<gpusched_model::time::Time>().unwrap().ns();
            let index = usize::from(line.contains("`t1`"));
            let with = |deadline: u64| {
                let mut deadlines = deadlines;
                deadlines[index] = deadline;
                test(deadlines, wcets, policy).code
            };
            assert_eq!((with(least), with(least - 1)), (0, 1), "{policy}: {line}");
            proposed += 1;
        }
    }
    assert!(proposed >= 6, "{proposed}");
}
