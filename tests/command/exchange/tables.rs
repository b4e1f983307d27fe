//! CSV tables say the same as JSON.

use gpusched_model::{Contention, TaskSet, TaskShape, task_table};
use rand::RngExt as _;
use serde_json::{Value, json};

use super::random_sets::{rng, task_set};
use super::read;
use crate::support::{answer, gpusched, rounds, run, run_with};

const CAMERA: &str = "tasksets/tasksets/camera.csv";

/// The table of the documentation, as JSON.
fn camera() -> Value {
    json!({"tasks": [
        {"name": "lidar", "period": "50ms", "deadline": "40ms", "kind": "memory", "wcet": {"table": {
            "isolated": [[2, "22ms"], [4, "12ms"], [8, "7ms"]], "conflict": [[2, "40ms"], [4, "24ms"], [8, "15ms"]]}}},
        {"name": "camera", "period": "33ms", "jitter": "500us", "kind": "compute", "wcet": {"table": {
            "isolated": [[2, "12ms"], [4, "6.5ms"], [8, "4ms"]], "conflict": [[2, "14ms"], [4, "8ms"], [8, "5ms"]]}}},
        {"name": "fusion", "period": "100ms", "deadline": "80ms", "kind": "memory", "wcet": {"table": {
            "isolated": [[4, "25ms"], [8, "14ms"]], "conflict": [[4, "50ms"], [8, "30ms"]]}}},
    ]})
}

#[test]
fn each_command_reads_a_table() {
    let json = camera().to_string();
    for line in [
        "test SET --sms 4",
        "test SET --sms 8 --format json",
        "partition SET --sms 16 --format csv",
        "import csv SET",
    ] {
        let of = |name: &str| line.replace("SET", name);
        let (table, document) = (run(&of(CAMERA)), run_with(&of("-"), json.clone()));
        assert!(table.code < 2 && !table.stdout.is_empty(), "{line}: {table:?}");
        let timed = line.contains("partition");
        assert!(
            timed || table.stdout == document.stdout,
            "{line}: {table:?} {document:?}"
        );
        // Standard input has no name, and the header tells that it is a table.
        let text = std::fs::read_to_string(crate::support::root().join(CAMERA)).unwrap();
        assert_eq!(run_with(&of("-"), text).stdout, table.stdout, "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    let mut partition = gpusched(["partition", CAMERA, "--sms", "16", "-o"]);
    assert_eq!(answer(partition.arg(&plan)).code, 0);
    let mut verify = gpusched(["verify"]);
    assert_eq!(answer(verify.arg(&plan).arg(CAMERA)).code, 0);
}

/// Between stated sizes, the WCET is the one of the next smaller size, and below the smallest size, it is unknown.
#[test]
fn unstated_sizes_have_the_safe_wcet() {
    let [set] = &read("x.csv", "period,wcet_2,wcet_8\n5ms,3ms,1ms\n").unwrap()[..] else {
        panic!()
    };
    let at = |sms| {
        set.tasks()[0]
            .wcet()
            .at(sms, Contention::Isolated)
            .map(|time| time.to_string())
    };
    let expected = [
        (1, None),
        (2, Some("3ms")),
        (7, Some("3ms")),
        (8, Some("1ms")),
        (132, Some("1ms")),
    ];
    for (sms, expected) in expected {
        assert_eq!(at(sms).as_deref(), expected, "{sms}");
    }
    assert!(!set.tasks()[0].wcet().states_conflict());
}

/// The parts of a set that decide a result, with WCETs on many numbers of SMs instead of functions.
fn content(set: &TaskSet) -> Value {
    let tasks = set.tasks().iter().map(|task| {
        let mut fields = serde_json::to_value(TaskShape::from(task.clone())).unwrap();
        let wcets = [Contention::Isolated, Contention::Conflict].map(|contention| {
            let sms = (1..=40).chain([132, 65_536]);
            sms.map(|sms| task.wcet().at(sms, contention).map(|time| time.ns()))
                .collect::<Vec<_>>()
        });
        fields["wcet"] = json!([task.wcet().states_conflict(), wcets]);
        fields["measured_on"] = json!(set.measured_on(task));
        fields
    });
    json!([
        set.name(),
        set.times().map(|times| times.to_string()),
        tasks.collect::<Vec<_>>()
    ])
}

#[test]
fn a_written_table_has_the_same_sets() {
    let mut rng = rng(52);
    for round in 0..rounds(400) {
        let count = rng.random_range(1..4);
        let sets: Vec<TaskSet> = (0..count)
            .map(|index| {
                let tasks = rng.random_range(1..6);
                let set = task_set(&mut rng, tasks, 2.0);
                let mut json = serde_json::to_value(&set).unwrap();
                let names = [
                    Value::Null,
                    json!("a,b \"c\"\nd"),
                    json!(" =1+1"),
                    json!("7"),
                    json!("τ"),
                ];
                if rng.random_bool(0.5) {
                    json["name"] = names[rng.random_range(1..names.len())].clone();
                    json["times"] = json!(["gpu", "occupancy"][index % 2]);
                }
                for task in json["tasks"].as_array_mut().unwrap() {
                    let more = [
                        ("name", names[rng.random_range(1..names.len())].clone()),
                        ("jitter", json!(rng.random_range(0..9))),
                        ("block", json!(rng.random_range(1..9))),
                        ("launches", json!(rng.random_range(1..9))),
                        ("traffic", json!(rng.random_range(0..u64::from(u32::MAX)))),
                        (
                            "bandwidth",
                            json!([[1, 7_000_000_000u64], [4, 28_000_000_000u64]]),
                        ),
                        ("wcet_source", json!("estimated")),
                    ];
                    for (field, value) in more {
                        if rng.random_bool(0.3) {
                            task[field] = value;
                        }
                    }
                    if rng.random_bool(0.1) {
                        task["wcet"] = json!([1, 5, i64::MAX][rng.random_range(0..3)]);
                    }
                }
                serde_json::from_value(json).unwrap()
            })
            .collect();
        let text = task_table::csv(&sets).unwrap();
        let again = read("-", text.clone()).unwrap_or_else(|error| panic!("{round}: {error}\n{text}"));
        let content = |sets: &[TaskSet]| sets.iter().map(content).collect::<Vec<_>>();
        assert_eq!(content(&again), content(&sets), "{round}\n{text}");
        assert_eq!(task_table::csv(&again).unwrap(), text, "{round}");
    }
}

#[test]
fn the_sets_of_the_repository_are_written_whole() {
    let folder = crate::support::root().join("tasksets/tasksets");
    for file in crate::support::files(&folder) {
        let name = file.display().to_string();
        let sets = read(&name, std::fs::read(folder.join(&file)).unwrap()).unwrap();
        let Ok(text) = task_table::csv(&sets) else {
            assert!(name.ends_with("shared-memory.json"), "{name}");
            continue;
        };
        let again = read("-", text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            again.iter().map(content).collect::<Vec<_>>(),
            sets.iter().map(content).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn generated_sets_are_a_table_or_lines() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("sets.csv");
    let line = "generate --tasks 4 --utilization 3 --count 5 --jitter 0.1 --blocks 9 --saturation 8 --seed 3";
    let mut generate = gpusched(line.split(' '));
    assert_eq!(answer(generate.arg("-o").arg(&table)).code, 0);
    let text = std::fs::read_to_string(&table).unwrap();
    assert_eq!(text.lines().count(), 1 + 5 * 4, "{text}");
    let sets = run(line).stdout;
    let mut import = gpusched(["import", "csv"]);
    assert_eq!(answer(import.arg(&table)).stdout, sets);
    // The same table on standard output, and from the sets.
    assert_eq!(run(&format!("{line} --format csv")).stdout, text);
    assert_eq!(run_with("export - --as csv", sets.clone()).stdout, text);
    // On 1 to 8 SMs, the table has the WCETs of the functions.
    let sizes = run_with("export - --as csv --sms 8", sets.clone()).stdout;
    assert!(
        sizes.contains(",wcet_8_ns,") && !sizes.contains("work_ns"),
        "{sizes}"
    );
    for sms in [1, 5, 8] {
        let test =
            |sets: String| run_with(&format!("test - --sms {sms} --policy edf --format csv"), sets).stdout;
        assert_eq!(test(sizes.clone()), test(sets.clone()));
    }
}

#[test]
fn formulas_stay_texts() {
    let set = r#"{"name":"=1+1","tasks":[{"name":"@x","period":"5ms","wcet":"1ms"},{"name":"'=y","period":"5ms","wcet":"1ms"}]}"#;
    let text = run_with("export - --as csv", set).stdout;
    assert_eq!(
        text,
        "set_name,name,period_ns,wcet_ns\n'=1+1,'@x,5000000,1000000\n'=1+1,''=y,5000000,1000000\n"
    );
    let [again] = &read("x", text).unwrap()[..] else {
        panic!()
    };
    assert_eq!(
        (again.name(), again.label(0), again.label(1)),
        (Some("=1+1"), "@x".into(), "'=y".into())
    );
}

/// pandas writes 5.0 if another cell of the column is empty, and a spreadsheet writes a byte order mark and CRLF.
#[test]
fn tables_of_other_programs_are_read() {
    let text = "\u{feff}period_ns,deadline_ns,name,work_ns,serial,wcet,launches\r\n5000000,4000000.0,a,9,1.0,,2.0\r\n\r\n6000000,,b,8,0.5,proportional,\r\n";
    let [set] = &read("-", text).unwrap()[..] else {
        panic!()
    };
    let json = json!({"tasks": [
        {"name": "a", "period": 5_000_000, "deadline": 4_000_000, "launches": 2, "wcet": {"amdahl": {"work": 9, "serial": 1}}},
        {"name": "b", "period": 6_000_000, "wcet": {"proportional": {"work": 8, "serial": 0.5}}},
    ]});
    assert_eq!(set, &serde_json::from_value::<TaskSet>(json).unwrap());
}
