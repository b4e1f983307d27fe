//! `gpusched simulate blocks`.

use serde_json::Value;

use crate::support::{root, run, run_with};

const FIG5: &str = "tasksets/scenarios/sanudo20-fig5-right.json";

fn json(line: &str) -> Value {
    let answer = run(line);
    assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// All sample scenarios.
fn samples() -> Vec<String> {
    let mut samples: Vec<String> = std::fs::read_dir(root().join("tasksets/scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .map(|name| format!("tasksets/scenarios/{name}"))
        .collect();
    samples.sort();
    assert!(samples.len() >= 5);
    samples
}

#[test]
fn the_contract() {
    let answer = json(&format!("simulate blocks {FIG5} --format json"));
    let block: Value =
        serde_json::from_str(r#"{"kernel":1,"block":2,"sm":4,"start_ns":0,"end_ns":1000000}"#).unwrap();
    assert_eq!(answer["blocks"][4 + 2], block);
    assert_eq!(answer["blocks"].as_array().unwrap().len(), 8);
    let kernel: Value =
        serde_json::from_str(r#"{"kernel":1,"ready_ns":0,"start_ns":0,"end_ns":1000000}"#).unwrap();
    assert_eq!(answer["kernels"][1], kernel);
    assert_eq!(answer["copies"], Value::Array(Vec::new()));
    assert_eq!(answer["end_ns"], 1_000_000);
}

/// Contention inside an SM is not modeled by default, so a note says when it matters.
#[test]
fn kernels_that_share_an_sm_are_noted() {
    let text = std::fs::read_to_string(root().join(FIG5)).unwrap();
    let mut scenario: Value = serde_json::from_str(&text).unwrap();
    for format in ["text", "json", "csv"] {
        let line = format!("simulate blocks - --format {format}");
        let answer = run_with(&line, scenario.to_string());
        assert!(
            answer
                .stderr
                .starts_with("note: blocks of different kernels run on one SM"),
            "{}",
            answer.stderr
        );
        assert_eq!(run_with(&format!("{line} -q"), scenario.to_string()).stderr, "");
    }
    // In the left half of the figure, each kernel has its own SMs.
    let apart = run("simulate blocks tasksets/scenarios/sanudo20-fig5-left.json");
    assert_eq!(apart.stderr, "");
    scenario["interference"] = serde_json::json!({"factors": {"intra_sm": 1.5}});
    let slowed = run_with("simulate blocks - --format json", scenario.to_string());
    assert_eq!(slowed.stderr, "");
    let end = serde_json::from_str::<Value>(&slowed.stdout).unwrap()["end_ns"]
        .as_u64()
        .unwrap();
    assert!(end.abs_diff(1_500_000) <= 1, "{end}");
}

#[test]
fn csv_has_the_same_blocks_as_json_in_the_order_of_their_ends() {
    for sample in samples() {
        let answer = json(&format!("simulate blocks {sample} --format json"));
        let number = |block: &Value, field: &str| block[field].as_u64().unwrap();
        let mut expected: Vec<[u64; 5]> = answer["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|block| ["kernel", "block", "sm", "start_ns", "end_ns"].map(|field| number(block, field)))
            .collect();
        let csv = run(&format!("simulate blocks {sample} --format csv")).stdout;
        let mut rows: Vec<[u64; 5]> = csv
            .lines()
            .skip(1)
            .map(|line| {
                let row: Vec<u64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
                row.try_into().unwrap()
            })
            .collect();
        assert!(csv.starts_with("kernel,block,sm,start_ns,end_ns\n") && !rows.is_empty());
        assert!(rows.is_sorted_by_key(|row| row[4]), "{sample}");
        assert!(expected.is_sorted(), "{sample}");
        rows.sort_unstable();
        expected.sort_unstable();
        assert_eq!(rows, expected, "{sample}");
    }
}

#[test]
fn options_change_the_scenario() {
    let sms = |options: &str| -> Vec<u64> {
        let answer = json(&format!("simulate blocks {FIG5} --format json {options}"));
        let blocks = answer["blocks"].as_array().unwrap().iter();
        blocks.map(|block| block["sm"].as_u64().unwrap()).collect()
    };
    assert_eq!(sms(""), [0, 2, 4, 6, 0, 2, 4, 6]);
    assert_eq!(sms("--block-scheduler round-robin"), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!(sms("--block-scheduler slots --gpu tx2"), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(sms("--gpu k5000")[..4], [7, 6, 5, 4]);
    let drawn = r#"{"platform":"tx2","kernels":[{"stream":0,"blocks":9,"threads":64,"block_time":{"uniform":["1us","9us"]}}]}"#;
    let with = |seed: u32| run_with(&format!("simulate blocks - --format json --seed {seed}"), drawn).stdout;
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn a_long_list_of_blocks_is_whole() {
    // The number of blocks exceeds the write buffer and is not a multiple of its size.
    let long =
        r#"{"platform":"tx2","kernels":[{"stream":0,"blocks":10001,"threads":64,"block_time":"1us"}]}"#;
    let answer: Value =
        serde_json::from_str(&run_with("simulate blocks - --format json", long).stdout).unwrap();
    let blocks = answer["blocks"].as_array().unwrap();
    let numbers = blocks.iter().map(|block| block["block"].as_u64().unwrap());
    assert!(numbers.eq(0..10001));
    assert_eq!(
        run_with("simulate blocks - --format csv", long)
            .stdout
            .lines()
            .count(),
        10_002
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_simulation() {
    // The maximum number of blocks would take many seconds, but the test ends immediately.
    let endless =
        r#"{"platform":"tx2","kernels":[{"stream":0,"blocks":200000000,"threads":64,"block_time":"1ns"}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("endless.json");
    std::fs::write(&file, endless).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(["simulate", "blocks", "--format", "csv"])
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut lines, &mut line).unwrap();
    assert_eq!(line, "kernel,block,sm,start_ns,end_ns\n");
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn scenarios_and_answers_follow_their_schemas() {
    let validator = |name: &str| crate::support::schema::validator_for(&json(&format!("schema {name}")));
    let (scenario, simulation) = (validator("scenario"), validator("block-simulation"));
    for sample in samples() {
        let text = std::fs::read_to_string(root().join(&sample)).unwrap();
        for (validator, value) in [
            (&scenario, serde_json::from_str(&text).unwrap()),
            (
                &simulation,
                json(&format!("simulate blocks {sample} --format json")),
            ),
        ] {
            let errors: Vec<String> = validator.errors(&value);
            assert!(errors.is_empty(), "{sample}: {errors:?}");
        }
        // A scenario that is read, written and read again stays the same.
        let read: gpusched::model::Scenario = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(
            serde_json::from_str::<gpusched::model::Scenario>(&written).unwrap(),
            read,
            "{sample}"
        );
    }
}

#[test]
fn runs_of_sms_are_short() {
    let early = [0, 2, 3, 5, 6, 7, 63, 64];
    let times: Vec<&str> = (0..65)
        .map(|sm| if early.contains(&sm) { "1us" } else { "9ms" })
        .collect();
    let scenario = serde_json::json!({
        "platform": {"sms": 65, "threads_per_sm": 64, "sm_order": "ascending"},
        "kernels": [
            {"name": "A", "stream": 0, "blocks": 65, "threads": 64, "block_time": {"times": times}},
            {"name": "B", "stream": 1, "blocks": 8, "threads": 64, "block_time": "1ms"},
        ],
    });
    let text = run_with("simulate blocks -", scenario.to_string()).stdout;
    let ends: Vec<&str> = text
        .lines()
        .skip(2)
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(ends, ["0-64", "0,2,3,5-7,63,64"], "{text}");
}
