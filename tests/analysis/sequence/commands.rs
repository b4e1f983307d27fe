//! `gpusched budget sequence`: the summary, the periods, the figure, and exit codes.

use serde_json::Value;

use crate::support::{gpusched, run, run_with};

const TWO: &str = "budget sequence tasksets/kernels/two-kernels.json";

fn summary(options: &str) -> (i32, Value) {
    let answer = run(&format!("{TWO} {options} --format json"));
    (
        answer.code,
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}")),
    )
}

/// The CSV output agrees with the summary.
#[test]
fn stretches_add_up_to_the_summary() {
    let options = "--blocks drawn --offset random --pattern random --dispatch np-edf";
    let (code, summary) = summary(options);
    assert_eq!((code, summary["hyperperiod_ns"].as_u64()), (0, Some(80_000_000)));
    let csv = run(&format!("{TWO} {options} --format csv")).stdout;
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|&column| column == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    for policy in summary["policies"].as_array().unwrap() {
        let own: Vec<_> = rows
            .iter()
            .filter(|row| Some(row[0]) == policy["policy"].as_str())
            .collect();
        let sum = |column: &str, idle: bool| -> f64 {
            let rows = own.iter().filter(|row| row[at("kernel")].is_empty() == idle);
            rows.map(|row| row[at(column)].parse::<f64>().unwrap()).sum()
        };
        let number = |field: &str| policy[field]["mean"].as_f64().unwrap();
        assert!((sum("be_requests", false) - number("running_requests")).abs() < 10.0);
        let all = sum("be_requests", false) + sum("be_requests", true);
        assert!((all - number("requests")).abs() < 20.0, "{all}");
        assert!((sum("length_ms", true) / 80.0 - number("idle_share")).abs() < 1e-9);
        assert!((sum("length_ms", true) + sum("length_ms", false) - 80.0).abs() < 1e-6);
        for job in policy["jobs"].as_array().unwrap() {
            let time = |field: &str| job[field].as_u64().unwrap();
            let name = summary["kernels"][time("kernel") as usize]["name"]
                .as_str()
                .unwrap();
            let number = job["job"].to_string();
            let mut rows = own
                .iter()
                .filter(|row| row[at("kernel")] == name && row[at("job")] == number);
            let first = rows.next().unwrap();
            assert_eq!(
                first[at("time_ms")],
                format!("{:.6}", time("start_ns") as f64 / 1e6)
            );
            let last = rows.next_back().unwrap();
            let end = ["time_ms", "length_ms"].map(|column| last[at(column)].parse::<f64>().unwrap());
            assert!((end[0] + end[1] - time("finish_ns") as f64 / 1e6).abs() < 2e-6);
            assert_eq!(time("response_ns"), time("finish_ns") - time("release_ns"));
        }
    }
}

/// Best-effort cores with a demand of one tenth get one tenth while no kernel runs.
#[test]
fn demand_limits_idle_time_too() {
    let (_, all) = summary("--policy nominal");
    let (_, tenth) = summary("--policy nominal --demand 0.1");
    let idle = |summary: &Value| {
        let of = |field: &str| summary["policies"][0][field]["mean"].as_f64().unwrap();
        (of("requests") - of("running_requests")) / of("idle_share") / 80.0
    };
    assert!((idle(&all) - 60_000.0).abs() < 1.0, "{}", idle(&all));
    assert!((idle(&tenth) - 6_000.0).abs() < 1.0, "{}", idle(&tenth));
}

#[test]
fn bytes_depend_on_the_seed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: u32, seed: u32, format: &str| {
        let svg = folder.path().join("q.svg");
        let line = format!(
            "{TWO} --blocks drawn --pattern random --offset random --runs 20 --format {format} --threads {threads} --seed {seed}"
        );
        let output = gpusched(line.split(' ')).arg("--svg").arg(&svg).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (output.stdout, std::fs::read(svg).unwrap())
    };
    for format in ["csv", "json", "text"] {
        let one = bytes(1, 7, format);
        assert!(one == bytes(3, 7, format) && one.0 != bytes(1, 8, format).0);
        let svg = String::from_utf8(one.1).unwrap();
        assert!(
            ["nominal", "fair", "greedy", "smooth"]
                .iter()
                .all(|policy| svg.contains(policy))
        );
    }
}

/// Kernels and jobs have different blocks. Each job has the same blocks under all policies.
#[test]
fn every_job_draws_its_own_blocks() {
    let text =
        std::fs::read_to_string(crate::support::root().join("tasksets/kernels/two-kernels.json")).unwrap();
    let system: Value = serde_json::from_str(&text).unwrap();
    let mut same = system["kernels"][1].clone();
    same["q"] = 0.into();
    same.as_object_mut().unwrap().remove("slowdown");
    let system = serde_json::json!({"kernels": [same, same]}).to_string();
    let line = "budget sequence - --blocks drawn --runs 2 --format csv --process 0 --demand 0 --offset 0ns";
    let answer = run_with(line, system);
    assert_eq!(answer.code, 0, "{answer:?}");
    let ends = |policy: &str| -> Vec<String> {
        let rows = answer
            .stdout
            .lines()
            .filter(|line| line.starts_with(policy) && line.contains(",filter,"));
        let ends = rows.filter(|line| !line.split(',').nth(3).unwrap().ends_with(".000000"));
        ends.map(|line| line.split(',').nth(3).unwrap().to_owned())
            .collect()
    };
    let nominal = ends("nominal");
    assert!(nominal.len() >= 4, "{nominal:?}");
    assert_eq!(nominal, ends("fair"));
    for (index, length) in nominal.iter().enumerate() {
        assert!(!nominal[..index].contains(length), "{nominal:?}");
    }
}

/// A missed deadline and a process that needs more than the budget of one kernel both give exit code 1 with different
/// messages.
#[test]
fn what_goes_wrong_is_reported() {
    let text =
        std::fs::read_to_string(crate::support::root().join("tasksets/kernels/two-kernels.json")).unwrap();
    let tight = text.replacen(
        "\"period\": \"40ms\"",
        "\"period\": \"40ms\", \"deadline\": \"20ms\"",
        1,
    );
    let answer = run_with("budget sequence - --policy greedy", tight.clone());
    assert_eq!(answer.code, 1);
    for expected in [
        "1 job MISSES its deadline, and 0 jobs take longer than the nominal WCET",
        "NOT SCHEDULABLE under np-fifo (deadline-missed)",
        "MISSED",
    ] {
        assert!(answer.stdout.contains(expected), "{expected}: {}", answer.stdout);
    }
    assert_eq!(
        run_with("budget sequence - --policy greedy --dispatch np-edf", tight).code,
        0
    );
    let late = text.replace(
        "\"period\": \"40ms\", \"slowdown\": 0.2",
        "\"period\": \"40ms\", \"q\": 0.001",
    );
    let line = "budget sequence - --policy fair --dispatch np-edf --format json";
    let answer = run_with(&format!("{line} --process 6000"), late.clone());
    let summary: Value = serde_json::from_str(&answer.stdout).unwrap();
    let policy = &summary["policies"][0];
    assert_eq!(
        (answer.code, policy["missed_jobs"].as_u64()),
        (1, Some(0)),
        "{policy}"
    );
    assert!(policy["late_jobs"].as_u64() > Some(0) && policy["jobs"][0]["margin_ns"].as_i64() < Some(0));
    assert_eq!(run_with(&format!("{line} --process 0"), late).code, 0);
}

/// A long list of jobs is shortened only in the text output.
#[test]
fn long_lists_are_cut() {
    let kernel =
        r#"{"active_blocks":1,"regulation_period":"7us","clusters":[{"blocks":1,"e0":"1us","e1":"1us"}]}"#;
    let task = |period: u32| format!(r#"{{"kernel":{kernel},"q":0.1,"period":{period}}}"#);
    let system = format!(r#"{{"kernels":[{},{}]}}"#, task(10_000), task(300_000));
    let text = run_with(
        "budget sequence - --policy fair --lead 0ns --quiet",
        system.clone(),
    )
    .stdout;
    assert!(
        text.ends_with("… and 11 more jobs; --format json lists all jobs\n"),
        "{text}"
    );
    let json = run_with("budget sequence - --policy fair --lead 0ns --format json", system).stdout;
    let summary: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["policies"][0]["jobs"].as_array().unwrap().len(), 31);
}
