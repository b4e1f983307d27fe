//! `gpusched export`: a stored plan gives the same export as `partition --export`, and an invalid plan is not exported.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::transcript::Transcript;
use crate::support::{ADAS, files, run, run_with};

#[test]
fn stored_plans_are_exported_like_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json").display().to_string();
    let mut exported = 0;
    for device in ["orin", "a100", "h100", "tasksets/devices/titanv.json"] {
        for (granularity, tool) in [
            ("tpc", "libsmctrl"),
            ("gpc", "libsmctrl"),
            ("mps", "mps"),
            ("mig", "mig"),
            ("green-context", "green-context"),
            ("sm", "csv"),
            ("tpc", "csv"),
            ("mig", "csv"),
        ] {
            let options = format!("{ADAS} --gpu {device} --granularity {granularity} --heuristic savings");
            let answer = run(&format!("partition {options} -o {plan}"));
            if answer.code != 0 {
                continue; // the device lacks these sizes, or no plan exists
            }
            let at_once = run(&format!("partition {options} --export {tool}"));
            let later = run(&format!("export {plan} {ADAS} --as {tool}"));
            // Only `partition` warns about shared ports.
            let renamed = |text: &str| -> String {
                let lines = text
                    .lines()
                    .filter(|line| !line.starts_with("warning: partitions "));
                lines
                    .map(|line| line.replace("--export: ", "--as: ") + "\n")
                    .collect()
            };
            assert_eq!(
                (at_once.code, &at_once.stdout),
                (later.code, &later.stdout),
                "{options}"
            );
            assert_eq!(renamed(&at_once.stderr), later.stderr, "{options}");
            exported += usize::from(later.code == 0);
            let same = run(&format!("export {plan} {ADAS} --as {tool} --gpu {device}"));
            assert_eq!(same, later, "{options}");
        }
    }
    assert!(exported > 10, "{exported}");
}

/// The export depends only on the plan, not on its heuristic or bound.
#[test]
fn a_bound_is_not_waited_for() {
    let options = format!("{ADAS} --gpu a100 --granularity tpc --heuristic auto");
    let plan = run(&format!("partition {options} --format json")).stdout;
    let mut value: Value = serde_json::from_str(&plan).unwrap();
    let exported = run_with(&format!("export - {ADAS} --as libsmctrl"), plan);
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    value["bound"]["sms"] = json!(0); // `verify` rejects this bound
    let text = value.to_string();
    assert_eq!(run_with(&format!("verify - {ADAS}"), text.clone()).code, 1);
    assert_eq!(
        run_with(&format!("export - {ADAS} --as libsmctrl"), text),
        exported
    );
}

#[test]
fn what_does_not_hold_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("masks.h").display().to_string();
    let plan = run(&format!(
        "partition {ADAS} --gpu a100 --granularity tpc --format json"
    ))
    .stdout;
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let mut told = Transcript::default();
    type Change<'a> = &'a dyn Fn(&mut Value);
    let mut refused = |given: &str, change: Change, options: &str| {
        let mut plan = plan.clone();
        change(&mut plan);
        let line = format!("export - {ADAS} {options} -o {target}");
        told.refusal(given, &run_with(&line, plan.to_string()));
        assert!(files(folder.path()).is_empty());
    };
    for options in [
        "--as mig",
        "--as libsmctrl --gpu orin",
        "--as libsmctrl --format json",
    ] {
        refused(options, &|_| {}, options);
    }
    let changes: [(&str, Change); 6] = [
        ("no hardware", &|plan| {
            drop(plan.as_object_mut().unwrap().remove("hardware"))
        }),
        ("task 1 twice", &|plan| {
            plan["partitions"][0]["tasks"] = json!([0, 1])
        }),
        ("no such TPC", &|plan| {
            plan["partitions"][0]["place"]["tpcs"][0] = json!(54)
        }),
        ("half a TPC", &|plan| plan["partitions"][0]["sms"] = json!(1)),
        ("fewer SMs", &|plan| plan["gpu_sms"] = json!(16)),
        ("unknown field", &|plan| plan["unknown"] = json!(16)),
    ];
    for (given, change) in changes {
        refused(given, change, "--as libsmctrl");
    }
    let twice = run_with(
        &format!("export - {ADAS} --as libsmctrl"),
        format!("{plan}\n{plan}\n"),
    );
    told.refusal("two plans", &twice);
    told.refusal("- -", &run_with("export - - --as csv", ""));
    assert_snapshot!(told);
}

/// A plan with a negative verdict is a valid result without an export.
#[test]
fn a_plan_that_fails_is_not_exported() {
    let set = r#"{"tasks":[{"period":"1ms","wcet":{"amdahl":{"work":"200ms","serial":0,"conflict":1}}}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("set.json"), set).unwrap();
    let answer = run(&format!(
        "partition {} --gpu a100 --granularity tpc -o {}",
        path("set.json"),
        path("plan.json")
    ));
    assert_eq!(answer.code, 1);
    let answer = run(&format!(
        "export {} {} --as csv -o {}",
        path("plan.json"),
        path("set.json"),
        path("out.csv")
    ));
    assert_eq!(
        (answer.code, answer.stderr.as_str()),
        (
            1,
            "note: gpusched does not export the plan, because the plan is not schedulable\n"
        )
    );
    assert_eq!(files(folder.path()).len(), 2);
}
