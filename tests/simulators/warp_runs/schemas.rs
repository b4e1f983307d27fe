//! Input and output conform to the schemas.

use gpusched::gpu::WarpRun;
use gpusched::gpu::scenario::Setup;
use serde_json::{Value, json};

use crate::support::{root, run};
use crate::warp_runs::{SMALL, json};

fn validator(name: &str) -> crate::support::schema::Validator {
    let answer = run(&format!("schema {name}"));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    crate::support::schema::validator_for(&serde_json::from_str(&answer.stdout).unwrap())
}

#[test]
fn scenarios_follow_their_schema() {
    let schema = validator("warp-run");
    let mut files = 0;
    for entry in std::fs::read_dir(root().join("tasksets/runs")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(schema.is_valid(&value), "{}", path.display());
        let scenario: WarpRun = serde_json::from_str(&text).unwrap();
        Setup::new(&scenario, &path).unwrap();
        // The scenarios of some studies contain many kernels, blocks or memory clients, and running all of them takes a minute.
        let kernels = value["kernels"].as_array().unwrap();
        let short = |kernel: &Value| kernel["grid"].as_u64().is_none_or(|blocks| blocks <= 500);
        if kernels.len() <= 2 && kernels.iter().all(short) && value.get("clients").is_none() {
            assert_eq!(run(&format!("simulate warps {}", path.display())).code, 0);
            files += 1;
        }
    }
    assert!(files >= 1);
    let small: Value = serde_json::from_str(SMALL).unwrap();
    let scenario = |kernel: Value| json!({"machine": "rtx2060", "kernels": [kernel]});
    for good in [
        json!({"program": small}),
        json!({"program": "pc.json", "grid": [2, 3], "sms": "0-3", "parameters": {"n": 3}}),
        json!({"program": {"trace": "kernel-1.traceg"}, "sms": [1, 2]}),
    ] {
        assert!(schema.is_valid(&scenario(good.clone())), "{good}");
    }
    for bad in [
        json!({}),
        json!({"program": 3}),
        json!({"program": {}}),
        json!({"program": "pc.json", "grids": 4}),
        json!({"program": "pc.json", "launch": -1}),
    ] {
        assert!(!schema.is_valid(&scenario(bad.clone())), "{bad}");
    }
}

#[test]
fn answers_follow_their_schemas() {
    let vadd = "tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 4";
    let answer = json(&format!("simulate warps {vadd} --scheduler qaws --budget vadd=3"));
    assert!(validator("warp-results").is_valid(&answer), "{answer}");
    let profile = validator("warp-profile");
    for options in [
        "",
        "--estimate",
        "--estimate=1000",
        "--traffic --vary 2",
        "--traffic --l2 cold --l2-ways 4 --channels 6",
        "--l2 thrashed",
    ] {
        let answer = json(&format!("simulate profile {vadd} {options}"));
        assert!(profile.is_valid(&answer), "{answer}");
    }
    let mut answer = json(&format!("simulate profile {vadd} --estimate"));
    for bad in [
        json!({}),
        json!({"rounds": 1}),
        json!({"rounds": 1001}),
        json!({"rounds": 2, "x": 0}),
    ] {
        answer["estimate"] = bad;
        assert!(!profile.is_valid(&answer), "{answer}");
    }
}
