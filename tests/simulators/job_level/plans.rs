//! Tests of plans that a GPU cannot run. gpusched reports such a plan and simulates all other
//! plans.

use serde_json::Value;

use crate::support::{ADAS, run, tenths};

/// The second of three task sets has too much work for the GPU, so its plan has no partitions.
#[test]
fn a_plan_without_partitions_does_not_end_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (sets, plans) = (path("sets.jsonl"), path("plans.jsonl"));
    std::fs::write(&sets, [tenths(3), tenths(50), tenths(2)].join("\n")).unwrap();
    assert_eq!(run(&format!("partition {sets} --sms 2 -q -o {plans}")).code, 1);
    let simulate = |options: &str| {
        let answer = run(&format!(
            "simulate tasks {sets} --plan {plans} --duration 100ms {options}"
        ));
        assert_eq!(answer.code, 1, "{answer:?}");
        answer
    };
    let why = "the minimum work of the tasks exceeds the capacity of the GPU (Lemma 1): no plan exists";
    let text = simulate("");
    let lines: Vec<&str> = text.stdout.lines().collect();
    assert!(
        lines.len() == 3 && lines[0].starts_with("0: NO DEADLINE MISSED in 30 jobs"),
        "{text:?}"
    );
    assert_eq!(
        lines[1],
        format!("1: NOT SIMULATED: the plan has no partitions: {why}")
    );
    assert!(
        lines[2].starts_with("2: NO DEADLINE MISSED in 20 jobs"),
        "{text:?}"
    );
    assert_eq!(text.stderr, "");

    let json = simulate("--format json").stdout;
    let answers: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reasons = answers.iter().map(|answer| answer["failure"]["reason"].as_str());
    assert!(reasons.eq([None, Some("work-exceeds-gpu"), None]), "{json}");
    assert_eq!(
        (&answers[1]["jobs"], &answers[1]["misses"]),
        (&0.into(), &0.into())
    );
    let schema: Value = serde_json::from_str(&run("schema task-simulation").stdout).unwrap();
    let schema = crate::support::schema::validator_for(&schema);
    assert!(answers.iter().all(|answer| schema.is_valid(answer)));

    let csv = simulate("--format csv");
    assert_eq!(
        csv.stderr,
        format!("warning: task set 1 is not simulated: {why}\n")
    );
    assert!(
        csv.stdout.contains("\n2,0,0,0,") && !csv.stdout.contains("\n1,"),
        "{csv:?}"
    );
}

#[test]
fn one_plan_without_partitions_is_told_like_many() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json").display().to_string();
    assert_eq!(run(&format!("partition {ADAS} --sms 4 -o {plan}")).code, 1);
    let answer = run(&format!("simulate tasks {ADAS} --plan {plan}"));
    assert!(
        answer.code == 1
            && answer
                .stdout
                .starts_with("NOT SIMULATED: the plan has no partitions: the minimum work"),
        "{answer:?}"
    );
}

/// Each partition is simulated separately, so only the warning shows that the partitions do not fit concurrently.
#[test]
fn more_sms_than_the_gpu_has_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.json").display().to_string();
    let plan = run(&format!(
        "partition {ADAS} --sms 8 --heuristic fewest-sms --format json"
    ))
    .stdout;
    let simulate = |sms: &str| {
        std::fs::write(
            &path,
            plan.replace("\"gpu_sms\":8", &format!("\"gpu_sms\":{sms}")),
        )
        .unwrap();
        run(&format!(
            "simulate tasks {ADAS} --plan {path} --duration 100ms -q"
        ))
    };
    assert_eq!(simulate("8").stderr, "");
    let answer = simulate("4");
    assert_eq!(
        (answer.code, answer.stderr),
        (
            0,
            format!(
                "warning: {path}: plan 0: found partitions with 8 SMs in total, expected at most the 4 of the GPU, because \
                 partitions run concurrently\n"
            )
        )
    );
}
