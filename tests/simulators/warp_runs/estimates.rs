//! `simulate profile --estimate`: the label of estimates, and the cases with exact results.

use serde_json::{Value, json};

use crate::support::run;
use crate::warp_runs::{json, write};

const PC: &str = "simulate profile tasksets/kernels/programs/pc.json --machine rtx2060";

/// A kernel without memory accesses, with 24 blocks of 512 threads; an SM holds two blocks.
const COMPUTE: &str = r#"{"name":"compute","grid":24,"block":512,"parameters":{"n":15},"body":[
 {"loop":"n","counter":"i","body":[{"op":"mad.single","to":"f1","from":["f1","f2","f3"]},{"op":"add.int","to":"r1","from":"r1"}]},
 {"op":"exit"}]}"#;

const LABEL: &str = "estimated from 3 rounds of thread blocks on one SM: an estimate is not a bound";

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
        assert_eq!(estimate.stderr, warning);
        let both = format!("{}{}", estimate.stdout, estimate.stderr);
        assert_eq!(both.matches(LABEL).count(), 1, "{both}");
        // `-q` removes the note but keeps the warning.
        assert!(full.stderr.starts_with("note: "), "{}", full.stderr);
        assert_eq!(ask("-q").stderr, "");
        let quiet = ask("--estimate=3 -q");
        assert_eq!((&quiet.stdout, &quiet.stderr), (&estimate.stdout, &warning));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.txt").display().to_string();
    let filed = run(&format!("{PC} --sms 1 --estimate -o {file}"));
    assert_eq!(filed.stderr, format!("warning: {LABEL}\n")); // the user does not see the file
    let text = run(&format!("{PC} --sms 1 --estimate=5")).stdout;
    assert_eq!(text.lines().nth(1), Some(LABEL.replace('3', "5").as_str()));
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
            .ends_with(",gpu_bytes_per_second,estimate_rounds")
    );
    assert!(csv.lines().skip(1).all(|row| row.ends_with(",4")), "{csv}");

    let label = LABEL.replace('3', "4");
    let warning = format!("warning: {points}: {label}\n");
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
    let text = run(&format!("wcet fit {points}")).stdout;
    assert_eq!(text.lines().nth(1), Some(label.as_str()));

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

/// The estimate is exact if the blocks of an SM fit into the simulated rounds and the SM shares no resource with
/// others.
#[test]
fn without_memory_and_in_two_rounds_it_is_the_full_run() {
    let folder = tempfile::tempdir().unwrap();
    let compute = write(folder.path(), "compute.json", COMPUTE);
    let ask = |options: &str| -> Vec<Value> {
        let answer = json(&format!("simulate profile {compute} --machine rtx2060 {options}"));
        answer["points"].as_array().unwrap().clone()
    };
    // Three rounds on four SMs, two on six, one on twelve, and half a round on 24.
    for sms in ["4", "6", "12", "24"] {
        assert_eq!(
            ask(&format!("--sms {sms} --estimate")),
            ask(&format!("--sms {sms}"))
        );
    }
    // One SM has twelve rounds, and twelve rounds are requested, so all rounds are simulated.
    let full = ask("--sms 1");
    assert_eq!(ask("--sms 1 --estimate=12"), full);
    assert_eq!(ask("--sms 1 --estimate=1000"), full);
    let cycles = |points: &[Value]| points[0]["cycles"].as_u64().unwrap();
    let estimate = ask("--sms 1 --estimate");
    assert!(cycles(&estimate).abs_diff(cycles(&full)) * 20 < cycles(&full));
    // Two SMs of a cluster get their blocks one after the other. Otherwise, the results are equal.
    for sms in ["2", "12", "24"] {
        let ask = |options: &str| {
            let line = format!("simulate profile {compute} --machine titanv --sms {sms} {options}");
            cycles(json(&line)["points"].as_array().unwrap())
        };
        assert!(ask("").abs_diff(ask("--estimate=12")) <= 2, "{sms} SMs");
    }
    // Memory accesses with little effect change the result only slightly.
    let one = |options: &str| json(&format!("{PC} --sms 1 --grid 4 -p n=64 {options}"))["points"].clone();
    let (full, estimate) = (one(""), one("--estimate"));
    let (full, estimate) = (
        cycles(full.as_array().unwrap()),
        cycles(estimate.as_array().unwrap()),
    );
    assert!(estimate.abs_diff(full) * 100 < full, "{estimate} {full}");
}

/// Six simulated rounds represent 200 rounds. The estimated number of issues is exact.
#[test]
fn long_loops_are_cut_down() {
    let folder = tempfile::tempdir().unwrap();
    let compute = write(folder.path(), "compute.json", COMPUTE);
    for sms in ["1", "4", "24"] {
        let ask = |options: &str| {
            let line = format!("simulate profile {compute} -p n=200 --machine rtx2060 --sms {sms} {options}");
            let point = json(&line)["points"][0].clone();
            let number = |field: &str| point[field].as_u64().unwrap();
            (
                number("cycles"),
                number("warp_instructions"),
                number("thread_instructions"),
            )
        };
        let (full, estimate) = (ask(""), ask("--estimate"));
        assert!(
            estimate.0 != full.0 && estimate.0.abs_diff(full.0) * 20 < full.0,
            "{estimate:?} {full:?}"
        );
        // The estimate counts fewer untaken branches for warps that have not finished.
        assert_eq!(estimate.1, full.1);
        assert!(estimate.2.abs_diff(full.2) * 100 < full.2);
    }
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
