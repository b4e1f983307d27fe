//! `gpusched budget simulate`: the summary, the periods, the figure, and errors.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::support::{gpusched, run, run_with};

const HISTO: &str = "budget simulate tasksets/kernels/histo-table1.json";

/// The CSV output agrees with the summary.
#[test]
fn periods_add_up_to_the_summary() {
    let options = "--blocks drawn --offset random --pattern random --runs 5";
    let summary: Value =
        serde_json::from_str(&run(&format!("{HISTO} {options} --format json")).stdout).unwrap();
    let csv = run(&format!("{HISTO} {options} --format csv")).stdout;
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name| header.iter().position(|&column| column == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(summary["policies"].as_array().unwrap().len(), 4);
    for policy in summary["policies"].as_array().unwrap() {
        let own = || {
            rows.iter()
                .filter(|row| Some(row[at("policy")]) == policy["policy"].as_str())
        };
        let requests: f64 = own()
            .map(|row| row[at("be_requests")].parse::<f64>().unwrap())
            .sum();
        let mean = policy["requests"]["mean"].as_f64().unwrap();
        assert!((requests / 5.0 - mean).abs() < 10.0, "{requests} {policy}");
        let low = policy["requests"]["low"].as_f64().unwrap();
        assert!(low <= mean && policy["late_runs"] == 0 && policy["margin_ns"].as_f64().unwrap() > 0.0);
        for run in 0..5 {
            let run = run.to_string();
            let first = own().find(|row| row[at("run")] == run).unwrap();
            assert_eq!(
                (first[at("time_ms")], first[at("remaining")]),
                ("0.000000", "37627")
            );
            assert_eq!(first[at("remaining_by_cluster")], "12543:12542:12542");
        }
        for row in own() {
            let sum: u64 = row[at("remaining_by_cluster")]
                .split(':')
                .map(|count| count.parse::<u64>().unwrap())
                .sum();
            assert_eq!(sum.to_string(), row[at("remaining")]);
        }
    }
}

/// The memory time of the budget computation reduces only dynamic budgets, not the nominal
/// budget.
#[test]
fn the_process_has_its_price() {
    for (policy, first) in [
        ("nominal", "0.130013"),
        ("fair", "0.122179"),
        ("greedy", "0.122179"),
        ("smooth", "0.122179"),
    ] {
        let csv = run(&format!("{HISTO} --policy {policy} --format csv")).stdout;
        let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        assert_eq!((row[0], row[4]), (policy, first));
    }
}

#[test]
fn bytes_depend_on_the_seed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: u32, seed: u32| {
        let svg = folder.path().join("q.svg");
        let mut command =
            gpusched(format!("{HISTO} --blocks drawn --pattern random --offset random --runs 3").split(' '));
        let options = format!("--format csv --threads {threads} --seed {seed}");
        let output = command
            .args(options.split(' '))
            .arg("--svg")
            .arg(&svg)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        (output.stdout, std::fs::read(svg).unwrap())
    };
    let one = bytes(1, 7);
    assert!(one == bytes(3, 7) && one.0 != bytes(1, 8).0);
    let svg = String::from_utf8(one.1).unwrap();
    assert!(
        ["nominal", "fair", "greedy", "smooth"]
            .iter()
            .all(|policy| svg.contains(policy))
    );
}

/// A budget computation that accesses memory all the time exceeds every budget.
#[test]
fn late_kernels_are_reported() {
    let late = run(&format!(
        "{HISTO} --q 0.001 --process 60000 --policy fair --format json"
    ));
    assert_eq!(late.code, 1, "{late:?}");
    let summary: Value = serde_json::from_str(&late.stdout).unwrap();
    assert_eq!(summary["policies"][0]["late_runs"], 1);
    assert!(summary["policies"][0]["margin_ns"].as_f64().unwrap() < 0.0);
    assert_eq!(
        run(&format!("{HISTO} --q 0.001 --process 0 --policy fair")).code,
        0
    );
}

#[test]
fn bad_settings_are_refused() {
    let mut told = Transcript::default();
    for options in [
        "--offset 1ms",
        "--lead 2ms",
        "--demand 1.5",
        "--offset soon",
        "--q 0.1 --slowdown 0.2",
        "--q 1.1",
        "--runs 0",
        "--process 60001",
    ] {
        told.refusal(options, &run(&format!("{HISTO} {options}")));
    }
    let bare =
        r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":10,"e0":"2us","e1":"3us"}]}"#;
    for (options, kernels) in [
        ("--blocks mean", bare.to_owned()),
        ("--blocks drawn", bare.to_owned()),
        ("", format!("{bare}\n{bare}\n")),
        ("", String::new()),
        ("", bare.replace("1ms", "1ns").replace("10,", "40000000,")),
        (
            "--lead 0ns",
            bare.replace("1ms", "1ns")
                .replace("2us", "1000s")
                .replace("3us", "1000s"),
        ),
    ] {
        let given = format!("{options} {kernels}");
        told.refusal(
            given,
            &run_with(&format!("budget simulate - --process 0 {options}"), kernels),
        );
    }
    assert_snapshot!(told);
}
