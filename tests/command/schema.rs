//! Inputs and outputs of gpusched match its schemas.

use crate::support::{ADAS, root, run, run_with, tenths};
use serde_json::Value;

fn validator(name: &str) -> crate::support::schema::Validator {
    let answer = run(&format!("schema {name}"));
    assert_eq!(answer.code, 0);
    let schema: Value = serde_json::from_str(&answer.stdout).unwrap();
    crate::support::schema::validator_for(&schema)
}

fn check(validator: &crate::support::schema::Validator, json: &str) {
    let value: Value = serde_json::from_str(json).unwrap();
    let errors: Vec<String> = validator.errors(&value);
    assert!(errors.is_empty(), "{json}\n{errors:#?}");
}

#[test]
fn all_schemas_are_listed_and_valid() {
    let list = run("schema").stdout;
    let names: Vec<&str> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for name in [
        "task-set",
        "verdict",
        "plan",
        "overheads",
        "study",
        "findings",
        "provenance",
        "kernel",
        "platform",
        "device",
        "kernel",
        "benchmarks",
        "budget-results",
        "bound",
        "nominal",
        "simulation",
        "system",
        "sequence",
        "task-simulation",
        "validation",
        "scenario",
        "block-simulation",
        "comparison",
        "group",
        "memory-profile",
        "prediction",
        "machine",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    for name in names {
        validator(name);
    }
}

#[test]
fn input_files_follow_their_schema() {
    let task_set = validator("task-set");
    check(&task_set, &std::fs::read_to_string(root().join(ADAS)).unwrap());
    check(&task_set, &tenths(3));
    for wcet in ["amdahl", "proportional"] {
        let answer = run(&format!(
            "generate --tasks 8 --utilization 3 --count 50 --wcet {wcet}"
        ));
        assert_eq!(answer.stdout.lines().count(), 50);
        answer.stdout.lines().for_each(|line| check(&task_set, line));
    }
    let (kernel, benchmarks, system) = (validator("kernel"), validator("benchmarks"), validator("system"));
    let mut files = 0;
    let results = validator("budget-results");
    for folder in ["tasksets/kernels", "tasksets/kernels/synthetic"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let of = match () {
                () if text.contains("\"benchmarks\":") => &benchmarks,
                () if text.contains("\"results\":") => &results,
                () if text.contains("\"kernels\":") => &system,
                () => &kernel,
            };
            check(of, &text);
            files += 1;
        }
    }
    assert!(files >= 10);
    let device = validator("device");
    for entry in std::fs::read_dir(root().join("tasksets/devices")).unwrap() {
        check(&device, &std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    let platform = validator("platform");
    for entry in std::fs::read_dir(root().join("tasksets/platforms")).unwrap() {
        check(
            &platform,
            &std::fs::read_to_string(entry.unwrap().path()).unwrap(),
        );
    }
}

#[test]
fn simulations_follow_their_schema() {
    let simulation = validator("simulation");
    for options in [
        "",
        "--offset random --runs 3 --blocks drawn --q 0 --policy fair",
        "--optimum --cores 1,gcc,0.05 --sharing equal --runs 2",
    ] {
        let command = "budget simulate tasksets/kernels/histo-table1.json --format json";
        let answer = run(&format!("{command} {options}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check(&simulation, &answer.stdout);
    }
}

#[test]
fn sequences_follow_their_schema() {
    let sequence = validator("sequence");
    for options in [
        "",
        "--offset random --runs 3 --blocks drawn --dispatch np-fp --policy fair",
    ] {
        let command = "budget sequence tasksets/kernels/two-kernels.json --format json";
        let answer = run(&format!("{command} {options}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check(&sequence, &answer.stdout);
    }
    let once = r#"{"kernels":[{"q":0,"kernel":{"active_blocks":1,"regulation_period":"1ms","clusters":[{"blocks":1,"e0":1,"e1":1}]}}]}"#;
    check(
        &sequence,
        &run_with("budget sequence - --format json", once).stdout,
    );
    let system = validator("system");
    check(&system, once);
    for (good, bad) in [
        ("\"q\":0", "\"p\":0"),
        ("\"kernel\"", "\"task\""),
        ("\"kernels\"", "\"kernel\""),
    ] {
        let value: Value = serde_json::from_str(&once.replace(good, bad)).unwrap();
        assert!(!system.is_valid(&value), "{bad}");
        assert_eq!(
            run_with("budget sequence -", once.replace(good, bad)).code,
            2,
            "{bad}"
        );
    }
}

#[test]
fn simulations_of_tasks_and_validations_follow_their_schemas() {
    let simulation = validator("task-simulation");
    for options in [
        "",
        "--offsets random --jitter none --arrivals sporadic --times short --blocker 2",
    ] {
        let answer = run(&format!(
            "simulate tasks {ADAS} --gpu orin --format json {options}"
        ));
        check(&simulation, &answer.stdout);
    }
    let answer = run("validate --systems 320 --format json --quiet");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check(&validator("validation"), &answer.stdout);
}

#[test]
fn kernel_profiles_follow_their_schema() {
    let kernel = validator("kernel");
    check(
        &kernel,
        &std::fs::read_to_string(root().join("tasksets/traces/two-paths.json")).unwrap(),
    );
    let answer = run("wcet cluster tasksets/traces/two-paths.csv --format json --quiet");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check(&kernel, &answer.stdout);
}

/// Content of a TOML file as JSON.
fn json_of(toml: &str) -> String {
    serde_json::to_string(&toml::from_str::<Value>(toml).unwrap()).unwrap()
}

#[test]
fn studies_and_their_files_follow_their_schemas() {
    let study = validator("study");
    let mut studies = 0;
    for entry in std::fs::read_dir(root().join("analysis")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            check(&study, &json_of(&std::fs::read_to_string(path).unwrap()));
            studies += 1;
        }
    }
    assert!(studies >= 4);
    let small = include_str!("../study_support/small.toml");
    check(&study, &json_of(small));
    for (good, bad) in [
        ("sets = 9", "sets = \"9\""),
        ("sets = 9", "set = 9"),
        ("step = 2", "step = -2"),
        ("tasks = [5, 8]", "tasks = []"),
        ("heuristic = \"bf\"", "heuristic = \"best\""),
        ("wcet = \"amdahl\"", "wcet = \"table\""),
        ("memory-share = 0.5", "memory-share = 2"),
        ("id = \"pays\"", ""),
    ] {
        assert!(small.contains(good), "{good}");
        let value: Value = serde_json::from_str(&json_of(&small.replace(good, bad))).unwrap();
        assert!(!study.is_valid(&value), "{bad}");
    }
    let cases = include_str!("../study_support/cases.toml");
    check(&study, &json_of(cases));
    for (good, bad) in [
        ("kind = \"cases\"", "kind = \"partitioning\""),
        ("kind = \"cases\"", ""),
        ("measure = \"nominal\"", "measure = \"normal\""),
        ("measure = \"nominal\"", ""),
        ("name = \"budget\"", ""),
        ("slowdown = 0.1", "slowdown = -0.1"),
        ("slowdown = 0.1", "slow = 0.1"),
        ("parts = 4", "parts = 0"),
        ("x = \"q\"", "x = 1"),
        ("x = \"q\"", "kind = \"pie\""),
    ] {
        assert!(cases.contains(good), "{good}");
        let value: Value = serde_json::from_str(&json_of(&cases.replacen(good, bad, 1))).unwrap();
        assert!(!study.is_valid(&value), "{bad}");
    }

    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().display();
    assert_eq!(
        run(&format!("study run analysis/smoke.toml --sets 1 -o {output}")).code,
        0
    );
    for (name, file) in [
        ("findings", "smoke.claims.json"),
        ("provenance", "smoke.provenance.json"),
    ] {
        check(
            &validator(name),
            &std::fs::read_to_string(folder.path().join(file)).unwrap(),
        );
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let task_set = validator("task-set");
    for (good, bad) in [
        ("10ms", "10 minutes"),
        ("10ms", "-1ms"),
        ("\"10ms\"", "1.5"),
        ("\"10ms\"", "-1"),
        ("\"10ms\"", "null"),
        ("\"10ms\"", "9223372036854775808"),
        ("\"period\"", "\"perod\""),
        ("\"table\"", "\"tables\""),
        ("[[1,\"1ms\"]]", "7"),
        ("{\"tasks\":", "{\"task\":"),
        (crate::support::TASK, ""),
    ] {
        let json = tenths(1);
        assert!(json.contains(good), "{good}");
        let json = json.replace(good, bad);
        let value: Value = serde_json::from_str(&json).unwrap();
        assert!(!task_set.is_valid(&value), "{json}");
        assert_eq!(run_with("test - --sms 1", json.clone()).code, 2, "{json}");
    }
}

#[test]
fn answers_follow_their_schema() {
    let (verdict, plan) = (validator("verdict"), validator("plan"));
    let unknown = r#"{"tasks":[{"period":"1s","wcet":{"table":[[4,"1ms"]]}}]}"#;
    let tight = r#"{"tasks":[{"period":9,"deadline":2,"wcet":{"table":[[1,2]]}},{"period":9,"deadline":2,"wcet":{"table":[[1,2]]}}]}"#;
    let late = r#"{"tasks":[{"period":9,"deadline":1,"wcet":{"table":[[1,2]]}}]}"#;
    let stream = [&tenths(3), &tenths(30), unknown, tight, late]
        .map(|set| format!("{set}\n"))
        .concat();
    let policies = gpusched::model::Policy::all().map(gpusched::model::Policy::name);
    for policy in policies {
        for sms in ["1", "2", "4"] {
            let answer = run_with(
                &format!("test - --sms {sms} --policy {policy} --format json"),
                stream.clone(),
            );
            let negative = answer.stdout.contains(r#""schedulable":false"#);
            assert_eq!(
                (answer.code, answer.stdout.lines().count()),
                (i32::from(negative), 5)
            );
            answer.stdout.lines().for_each(|line| check(&verdict, line));
            for heuristic in ["sms", "bf", "1g", "one-per-partition", "ffd", "wfd"] {
                let line = format!(
                    "partition - --sms {sms} --policy {policy} --heuristic {heuristic} --format json"
                );
                let answer = run_with(&line, stream.clone());
                assert_eq!(answer.stdout.lines().count(), 5);
                answer.stdout.lines().for_each(|line| check(&plan, line));
            }
        }
    }
}

#[test]
fn predictions_follow_their_schema() {
    let (group, profile, prediction) = (
        validator("group"),
        validator("memory-profile"),
        validator("prediction"),
    );
    for entry in std::fs::read_dir(root().join("tasksets/kernels/profiles/masola23")).unwrap() {
        check(&profile, &std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    for number in 1..=7 {
        let path = format!("tasksets/groups/masola23-experiment-{number}.json");
        check(&group, &std::fs::read_to_string(root().join(&path)).unwrap());
        let answer = run(&format!(
            "predict {path} --format json --model fluid,masola,masola-repaired,naive"
        ));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check(&prediction, &answer.stdout);
    }
    let inline = r#"{"platform":{"sms":4},"kernels":[{"sms":4,"profile":{"name":"k","points":[{"sms":4,"time":"1us","bandwidth":1}]}}]}"#;
    check(&group, inline);
    check(&prediction, &run_with("predict - --format json", inline).stdout);
    for bad in [
        inline.replace("\"sms\":4,\"profile\"", "\"profile\""),
        inline.replace("\"points\"", "\"point\""),
        inline.replace("\"platform\"", "\"gpu\""),
    ] {
        assert!(!group.is_valid(&serde_json::from_str(&bad).unwrap()), "{bad}");
        assert_eq!(run_with("predict -", bad).code, 2);
    }
}
