//! `simulate profile --estimate`: the label of estimates, and the cases with exact results.

use serde_json::{Value, json};

use crate::support::run;
use crate::warp_runs::{json, write};

const PC: &str = "simulate profile tasksets/kernels/programs/pc.json --machine rtx2060";

/// A kernel without memory accesses, with 24 blocks of 512 threads; an SM holds two blocks.
const COMPUTE: &str = r#"{"name":"compute","grid":24,"block":512,"parameters":{"n":15},"body":[
 {"loop":"n","counter":"i","body":[{"op":"mad.single","to":"f1","from":["f1","f2","f3"]},{"op":"add.int","to":"r1","from":"r1"}]},
 {"op":"exit"}]}"#;

const LABEL: &str = "estimated from at least 4 rounds of thread blocks: an estimate is not a bound";

#[test]
fn every_format_says_that_it_is_one() {
    for format in ["text", "csv", "json"] {
        let ask = |options: &str| run(&format!("{PC} --sms 5..20:5 --format {format} {options}"));
        let (full, estimate) = (ask(""), ask("--estimate"));
        assert_eq!((full.code, estimate.code), (0, 0), "{}", estimate.stderr);
        let marked = |text: &str| text.contains("estimate");
        assert!(marked(&estimate.stdout) && !marked(&full.stdout), "{format}");
        assert!(!marked(&full.stderr), "{}", full.stderr);
        // On a terminal, the text output already contains the warning.
        let warning = match format {
            "text" => String::new(),
            _ => format!("warning: {LABEL}\n"),
        };
        // All points have few rounds, so the note about them is the same.
        assert_eq!(estimate.stderr, format!("{warning}{}", full.stderr));
        let both = format!("{}{}", estimate.stdout, estimate.stderr);
        assert_eq!(both.matches(LABEL).count(), 1, "{both}");
        // `-q` removes the note but keeps the warning.
        assert!(full.stderr.starts_with("note: "), "{}", full.stderr);
        assert_eq!(ask("-q").stderr, "");
        let quiet = ask("--estimate=4 -q");
        assert_eq!((&quiet.stdout, &quiet.stderr), (&estimate.stdout, &warning));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.txt").display().to_string();
    let filed = run(&format!("{PC} --sms 1 --estimate -o {file}"));
    assert_eq!(filed.stderr, format!("warning: {LABEL}\n")); // the user does not see the file
    let text = run(&format!("{PC} --sms 1 --estimate=5")).stdout;
    assert_eq!(text.lines().nth(1), Some(LABEL.replace('4', "5").as_str()));
    let answer = json(&format!("{PC} --sms 1 --estimate=5"));
    assert_eq!(answer["estimate"], json!({"rounds": 5}));
    assert_eq!(json(&format!("{PC} --sms 1")).get("estimate"), None);
}

/// The fit receives the column with the points and reports the estimate, too.
#[test]
fn the_fit_says_so_too() {
    let folder = tempfile::tempdir().unwrap();
    let points = folder.path().join("points.csv").display().to_string();
    let written = run(&format!("{PC} --sms 5..15:5 --estimate=4 -o {points}"));
    assert_eq!(written.code, 0, "{}", written.stderr);
    let csv = std::fs::read_to_string(&points).unwrap();
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",longest_block_ns,estimate_rounds,uncertainty_percent")
    );
    assert!(csv.lines().skip(1).all(|row| row.ends_with(",4,0.0")), "{csv}");

    let warning = format!("warning: {points}: {LABEL}\n");
    for format in ["text", "csv", "json"] {
        let fit = run(&format!("wcet fit {points} --format {format} -q"));
        assert_eq!((fit.code, fit.stderr.as_str()), (0, warning.as_str()));
    }
    let fit = json(&format!("wcet fit {points}"));
    assert_eq!(fit["estimate"], json!({"rounds": 4}));
    assert_eq!(
        (&fit["kind_reason"], fit.get("kind"), fit.get("traffic")),
        (&json!("estimated"), None, None)
    );
    // A part of the blocks does not bound the longest block.
    assert_eq!(fit.get("block"), None);
    assert_eq!(fit["measured_on"]["gpu"], "rtx2060");
    let text = run(&format!("wcet fit {points}")).stdout;
    assert_eq!(text.lines().nth(1), Some(LABEL));

    // The fit reports the smallest number of rounds. Without estimates, it reports none.
    for (rows, rounds) in [("1,9,\n2,8,7\n3,8,4\n", Some(4)), ("1,9,\n2,8,\n", None)] {
        let mixed = write(
            folder.path(),
            "mixed.csv",
            &format!("sms,time_ns,estimate_rounds\n{rows}"),
        );
        let fit = json(&format!("wcet fit {mixed}"));
        assert_eq!(fit["estimate"]["rounds"].as_u64(), rounds);
    }
    for bad in ["1", "1001", "x", "-2"] {
        let file = write(
            folder.path(),
            "bad.csv",
            &format!("sms,time_ns,estimate_rounds\n1,9,2\n2,8,{bad}\n"),
        );
        let answer = run(&format!("wcet fit {file}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
        let expected = format!("bad.csv:3: at estimate_rounds: found \"{bad}\", expected 2 to 1000 rounds");
        assert!(answer.stderr.contains(&expected), "{}", answer.stderr);
    }
}

/// Kernels with few rounds are simulated completely. Longer kernels have an uncertainty.
#[test]
fn few_rounds_are_exact_and_many_have_an_uncertainty() {
    let folder = tempfile::tempdir().unwrap();
    let compute = write(folder.path(), "compute.json", COMPUTE);
    let ask = |options: &str| -> Value {
        json(&format!("simulate profile {compute} --machine rtx2060 {options}"))["points"][0].clone()
    };
    // Three rounds on four SMs, two on six, one on twelve, and half a round on 24.
    for options in ["--sms 4", "--sms 6", "--sms 12", "--sms 24", "--sms 1 --grid 12"] {
        let (mut full, estimate) = (ask(options), ask(&format!("{options} --estimate")));
        assert_eq!(full.get("uncertainty_percent"), None);
        full["uncertainty_percent"] = json!(0.0);
        assert_eq!(estimate, full);
    }
    let options = "--sms 1 --grid 300";
    let number = |point: &Value, field: &str| point[field].as_f64().unwrap();
    let (full, estimate) = (ask(options), ask(&format!("{options} --estimate")));
    let error = 100.0 * (number(&estimate, "cycles") / number(&full, "cycles") - 1.0).abs();
    let uncertainty = number(&estimate, "uncertainty_percent");
    assert!(
        0.0 < uncertainty && uncertainty <= 12.0 && error < uncertainty,
        "{error} {uncertainty}"
    );
    assert_eq!(estimate["warp_instructions"], full["warp_instructions"]);
    let text = |grid: u32| {
        let line = format!("simulate profile {compute} --machine rtx2060 --sms 1 --grid {grid} --estimate");
        run(&line).stdout
    };
    assert!(
        text(300).trim_end().ends_with(&format!("{uncertainty:.1} %")),
        "{}",
        text(300)
    );
    assert!(text(2).trim_end().ends_with("exact"), "{}", text(2));
}

#[test]
fn too_uncertain_estimates_are_refused() {
    let answer = run(&format!("{PC} --sms 1 --grid 400 --estimate --limit 3000"));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(
        answer.stderr.contains("cannot estimate the duration"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("simulate the whole kernel"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_same_bytes_whatever_the_threads() {
    for format in ["text", "csv", "json"] {
        let ask = |threads| run(&format!("{PC} --estimate --format {format} --threads {threads}"));
        let answer = ask(1);
        assert_eq!(answer.code, 0);
        for threads in [1, 2, 7] {
            assert_eq!(ask(threads), answer);
        }
    }
}

#[test]
fn rounds_that_make_no_estimate_are_refused() {
    for rounds in ["0", "1", "1001", "-2", "2.5", "x", "99999999999", ""] {
        let answer = run(&format!("{PC} --estimate={rounds}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{rounds}");
        let found = if rounds.is_empty() { "nothing" } else { rounds };
        let expected = format!("error: --estimate: found {found}, expected 2 to 1000 rounds\n");
        assert_eq!(answer.stderr, expected);
    }
    for rounds in ["2", "1000"] {
        assert_eq!(run(&format!("{PC} --sms 30 --estimate={rounds}")).code, 0);
    }
}

#[test]
fn a_number_of_rounds_follows_an_equals_sign() {
    for (option, expected) in [
        ("--estimate=-1", "--estimate: found -1, expected 2 to 1000 rounds"),
        ("--estimate 3", "to give '3' to --estimate, write '--estimate=3'"),
        ("--estimate -1", "--estimate: found -1, expected 2 to 1000 rounds"),
    ] {
        let answer = run(&format!("{PC} {option}"));
        assert_eq!(answer.code, 2, "{option}");
        assert!(answer.stderr.contains(expected), "{option}: {}", answer.stderr);
    }
}
