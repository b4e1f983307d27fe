//! `--overheads` of `test`, `partition`, `verify`, `simulate tasks` and `run`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Case, SET, read};
use crate::support::run;

/// Two tasks on one SM. Without preemption, `map` blocks `lidar` for almost the half of its deadline.
const SMALL: &str = r#"{"tasks":[
  {"name":"lidar","period":"20ms","deadline":"8ms","wcet":{"table":[[1,"3ms"]]}},
  {"name":"map","period":"50ms","wcet":{"table":[[1,"4ms"]]}}]}"#;

/// A folder with an overheads file for each pair of bounds.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn written(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn of(&self, occupancy: &str, wake: &str) -> String {
        let text = format!(r#"{{"occupancy_ns":"{occupancy}","wake_ns":"{wake}"}}"#);
        let path = self.written(&format!("{occupancy}-{wake}.json"), &text);
        format!("--overheads {}", path.display())
    }

    fn set(&self, text: &str) -> PathBuf {
        self.written("set.json", text)
    }
}

fn ids(result: &Value) -> Vec<String> {
    let list = result["assumptions"].as_array().unwrap();
    let id = |one: &Value| one["id"].as_str().unwrap().to_owned();
    list.iter().map(id).collect()
}

#[test]
fn a_plan_stores_its_overheads_and_verify_and_run_use_them() {
    let files = Files::new();
    for policy in ["np-edf", "np-fp", "np-fp-audsley", "lp-edf"] {
        let stated = files.of("200us", "100us");
        let case = Case::new(&format!("--gpu h100 --policy {policy} {stated}"));
        let plan = read(&case.plan);
        assert_eq!(plan["overheads"]["occupancy_ns"], 200_000);
        assert_eq!(plan["overheads"]["wake_ns"], 100_000);
        assert!(ids(&plan).contains(&"dispatch-overheads".to_owned()));
        let verify = |options: &str| {
            let (plan, set) = (case.plan.display(), case.set.display());
            run(&format!("verify {plan} {set} {options}"))
        };
        let taken = verify("");
        assert_eq!(taken.code, 0, "{}", taken.stdout);
        assert!(
            taken
                .stdout
                .contains("overheads of 200us per job and 100us per wake-up"),
            "{}",
            taken.stdout
        );
        assert_eq!(verify(&stated).code, 0);
        let other = verify(&files.of("201us", "100us"));
        assert_eq!(other.code, 1);
        assert!(
            other.stdout.contains(
                "overheads: found 200us per job and 100us per wake-up, expected 201us per job and 100us per wake-up"
            ),
            "{}",
            other.stdout
        );
        if policy.starts_with("lp") {
            continue;
        }
        let ran = run(&case.traced("--backend simulated --duration 5s"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(case.read()["gpusched"]["overheads"]["occupancy_ns"], 200_000);
        let smaller = run(&case.line(&format!("--backend simulated {}", files.of("10us", "0us"))));
        assert_eq!(smaller.code, 0, "{}", smaller.stderr);
        let larger = run(&case.line(&format!("--backend simulated {}", files.of("200us", "101us"))));
        assert_eq!(larger.code, 2);
        assert!(
            larger
                .stderr
                .contains("overheads.wake_ns: found 101us, expected at most 100us, which the plan counts"),
            "{}",
            larger.stderr
        );
    }
}

/// A plan states where its overheads come from, and no verdict depends on it.
#[test]
fn a_plan_states_the_origin_of_its_overheads() {
    let files = Files::new();
    let bounds = r#""occupancy_ns":"200us","wake_ns":"100us""#;
    let measured = r#""device":"NVIDIA H100 80GB HBM3","driver":"580.65","longest":"150us","timer_ns":32"#;
    let long = format!(r#""device":"{}","longest":"1us""#, "x".repeat(200));
    for (name, fields, origin, shown) in [
        (
            "measured",
            measured,
            json!({"source":"measured","device":"NVIDIA H100 80GB HBM3","driver":"580.65"}),
            "100us per wake-up (measured on NVIDIA H100 80GB HBM3, driver 580.65)",
        ),
        (
            "drawn",
            r#""device":"virtual time","wait":"virtual time""#,
            json!({"source":"virtual-time"}),
            "100us per wake-up (drawn in virtual time, not measured on a GPU)",
        ),
        (
            "nowhere",
            r#""longest":"1us""#,
            json!({"source":"measured"}),
            "100us per wake-up (measured on an unknown GPU)",
        ),
        (
            "long",
            &long,
            json!({"source":"measured","device":"x".repeat(200)}),
            &format!("100us per wake-up (measured on {})", "x".repeat(60)),
        ),
        (
            "stated",
            "",
            json!({"source":"stated"}),
            "100us per wake-up (stated without a measurement)",
        ),
    ] {
        let comma = if fields.is_empty() { "" } else { "," };
        let path = files.written(&format!("{name}.json"), &format!("{{{bounds}{comma}{fields}}}"));
        let case = Case::new(&format!(
            "--gpu h100 --policy np-edf --overheads {}",
            path.display()
        ));
        let mut plan = read(&case.plan);
        assert_eq!(plan["overheads_origin"], origin, "{name}");
        let (file, set) = (case.plan.display(), case.set.display());
        let page = files.0.path().join("page.html");
        let reported = run(&format!("report {file} {set} -q -o {}", page.display()));
        assert_eq!(reported.code, 0, "{name}: {}", reported.stderr);
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains(shown), "{name}");
        // A run on a GPU refuses overheads of virtual time, and the error comes before the search for a GPU.
        let ran = run(&case.line("--backend cuda"));
        let refused = ran
            .stderr
            .contains("at overheads: found virtual time, expected overheads of a GPU");
        assert_eq!(
            (ran.code, refused),
            (2, name == "drawn"),
            "{name}: {}",
            ran.stderr
        );
        assert_eq!(run(&case.line("--backend simulated")).code, 0, "{name}");
        // So do a program that opens the plan on a GPU, and an export for a GPU.
        #[cfg(target_os = "linux")]
        for allow_unproven in [false, true] {
            let options = gpusched::runtime::session::Options {
                allow_unproven,
                ..Default::default()
            };
            let opened = gpusched::runtime::session::Session::open(&case.plan, &case.set, options);
            let told = opened.map(|_| ()).map_err(|fault| fault.to_string());
            let is_refused = told.is_err_and(|text| text.contains("found virtual time"));
            assert_eq!(is_refused, name == "drawn", "{name}");
        }
        for (target, refuses) in [("green-context", true), ("csv", false)] {
            let exported = run(&format!("export {file} {set} --as {target}"));
            let code = if refuses && name == "drawn" { 2 } else { 0 };
            assert_eq!(exported.code, code, "{name} {target}: {}", exported.stderr);
            assert_eq!(
                exported.stderr.contains("found virtual time"),
                code == 2,
                "{name}"
            );
        }
        // Another plan with the same partitions keeps the origin.
        let other = files.0.path().join("other.json");
        let asked = run(&format!("what-if {file} {set} -q --new-plan {}", other.display()));
        assert_eq!(asked.code, 0, "{name}: {}", asked.stderr);
        assert_eq!(read(&other)["overheads_origin"], origin, "{name}");
        // Plans of older versions have no origin, and do not say that no measurement shows the bounds.
        let unmeasured = " Not measured.";
        let told = run(&format!("verify {file} {set}")).stdout;
        assert_eq!(
            told.contains(unmeasured),
            name == "drawn" || name == "stated",
            "{name}"
        );
        let told = told.replace(unmeasured, "");
        plan.as_object_mut().unwrap().remove("overheads_origin");
        for assumption in plan["assumptions"].as_array_mut().unwrap() {
            assumption["text"] = json!(assumption["text"].as_str().unwrap().replace(unmeasured, ""));
        }
        std::fs::write(&case.plan, plan.to_string()).unwrap();
        assert_eq!(run(&format!("verify {file} {set}")).stdout, told, "{name}");
        assert!(
            !run(&case.line("--backend cuda")).stderr.contains("virtual time"),
            "{name}"
        );
    }
}

#[test]
fn a_plan_without_overheads_states_none() {
    let files = Files::new();
    let case = Case::new("--gpu h100 --policy np-edf");
    let plan = read(&case.plan);
    assert!(plan.get("overheads").is_none() && plan.get("overheads_origin").is_none());
    assert!(!ids(&plan).contains(&"dispatch-overheads".to_owned()));
    let (plan, set) = (case.plan.display(), case.set.display());
    let checked = run(&format!("verify {plan} {set} {}", files.of("1us", "1us")));
    assert_eq!(checked.code, 1);
    assert!(
        checked
            .stdout
            .contains("overheads: found none, expected 1us per job"),
        "{}",
        checked.stdout
    );
}

#[test]
fn a_refusal_names_the_task_and_the_overheads() {
    let files = Files::new();
    let set = files.set(SMALL);
    let test = |policy: &str, options: &str| {
        run(&format!(
            "test {} --sms 1 -q --policy {policy} {options}",
            set.display()
        ))
    };
    for policy in ["np-edf", "np-fp"] {
        assert_eq!(test(policy, "").code, 0);
        let passes = test(policy, &files.of("100us", "100us"));
        assert_eq!(passes.code, 0, "{}", passes.stdout);
        for (occupancy, wake) in [("1ms", "0ns"), ("0ns", "2ms")] {
            let fails = test(policy, &files.of(occupancy, wake));
            assert_eq!(fails.code, 1, "{}", fails.stdout);
            let expected = format!("With overheads of {occupancy} per job and ");
            assert!(fails.stdout.contains(&expected), "{}", fails.stdout);
            assert!(
                fails.stdout.contains("task `lidar` needs ")
                    && fails
                        .stdout
                        .contains("Without overheads, the tasks are schedulable"),
                "{}",
                fails.stdout
            );
        }
        let huge = test(
            policy,
            &files.of("9223372036854775807ns", "9223372036854775807ns"),
        );
        assert_eq!(huge.code, 1, "{}{}", huge.stdout, huge.stderr);
    }
    for (occupancy, expected) in [
        ("5ms", "With overheads of 5ms per job"),
        ("1s", "The tasks need at least 70.2"),
    ] {
        let line = format!(
            "partition {} --sms 1 {}",
            set.display(),
            files.of(occupancy, "1ns")
        );
        let none = run(&line);
        assert_eq!(none.code, 1);
        for expected in [expected, "Without overheads, "] {
            assert!(none.stdout.contains(expected), "{}", none.stdout);
        }
    }
}

#[test]
fn accepted_sets_never_miss_in_a_simulation_with_overheads() {
    let files = Files::new();
    let set = files.set(SMALL);
    let (mut accepted, mut missed) = (0, 0);
    for (occupancy, wake) in [
        ("0us", "0us"),
        ("100us", "100us"),
        ("300us", "0us"),
        ("0us", "1ms"),
        ("1ms", "1ms"),
    ] {
        for policy in ["np-edf", "np-fp", "lp-fp"] {
            let options = format!(
                "{} --sms 1 --policy {policy} {}",
                set.display(),
                files.of(occupancy, wake)
            );
            let passes = run(&format!("test {options} -q")).code == 0;
            accepted += u32::from(passes);
            for pattern in [
                "",
                "--jitter random --times short",
                "--blocker 1",
                "--offsets random --seed 7",
            ] {
                let ran = run(&format!("simulate tasks {options} -q {pattern}"));
                assert!(ran.code < 2, "{}", ran.stderr);
                assert!(!passes || ran.code == 0, "{options} {pattern}: {}", ran.stdout);
                missed += ran.code;
            }
        }
    }
    assert!(accepted > 3 && missed > 0, "{accepted} accepted, {missed} misses");
}

#[test]
fn a_task_set_states_what_its_times_are() {
    let files = Files::new();
    let of = |times: &str| SET.replacen('{', &format!(r#"{{"times":"{times}","#), 1);
    let case = Case::of(&of("gpu"), "--gpu h100 --policy np-edf --objective margin");
    let ran = run(&case.line("--backend simulated"));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains(
            "overheads: found none, expected bounds on the overheads of the dispatcher, because the WCETs are times on the GPU alone"
        ),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    let stated = files.of("200us", "100us");
    assert_eq!(run(&case.line(&format!("--backend simulated {stated}"))).code, 0);
    let case = Case::of(&of("occupancy"), &format!("--gpu h100 --policy np-edf {stated}"));
    let plan = read(&case.plan);
    assert_eq!(
        (&plan["overheads"]["occupancy_ns"], &plan["overheads"]["wake_ns"]),
        (&0.into(), &100_000.into())
    );
    let (plan, set) = (case.plan.display(), case.set.display());
    assert_eq!(run(&format!("verify {plan} {set} {stated}")).code, 0);
    assert_eq!(run(&case.line(&format!("--backend simulated {stated}"))).code, 0);
    assert_eq!(run(&case.line("--backend simulated")).code, 0);
}

#[test]
fn bad_overheads_are_refused() {
    let files = Files::new();
    let set = files.set(SET);
    let refused = |options: &str, expected: &str| {
        let ran = run(&format!("test {} --sms 16 {options}", set.display()));
        assert_eq!(ran.code, 2, "{options}: {}", ran.stdout);
        assert!(ran.stderr.contains(expected), "{options}: {}", ran.stderr);
        assert!(ran.stdout.is_empty());
    };
    let both = r#""occupancy_ns":1,"wake_ns":1"#;
    for (text, expected) in [
        ("{}".to_owned(), "occupancy_ns"),
        (r#"{"occupancy_ns":1}"#.to_owned(), "wake_ns"),
        (r#"{"occupancy_ns":-1,"wake_ns":1}"#.to_owned(), "occupancy_ns"),
        (r#"{"occupancy_ns":1,"wake_ns":"fast"}"#.to_owned(), "wake_ns"),
        (
            r#"{"occupancy_ns":18446744073709551615,"wake_ns":1}"#.to_owned(),
            "occupancy_ns",
        ),
        (
            r#"{"occupancy_ns":9223372036854775808,"wake_ns":1}"#.to_owned(),
            "occupancy_ns",
        ),
        (format!(r#"{{{both},"dispatchers":0}}"#), "dispatchers"),
        (format!(r#"{{{both},"samples":0}}"#), "samples"),
        (
            format!(r#"{{{both},"longest":2}}"#),
            "occupancy_ns: found 1ns, expected at least 2ns",
        ),
        (
            format!(r#"{{{both},"longest":1,"timer_ns":1}}"#),
            "occupancy_ns: found 1ns, expected at least 2ns, the sum of `longest` and `timer_ns`",
        ),
        (format!(r#"{{{both},"wakeup":2}}"#), "wakeup"),
        ("[]".to_owned(), "overheads"),
    ] {
        let path = files.written("bad.json", &text);
        refused(&format!("--overheads {}", path.display()), expected);
    }
    let missing = Path::new("missing.json");
    refused(
        &format!("--overheads {}", missing.display()),
        "--overheads: found missing.json, expected a readable file",
    );
    let some = files.of("1us", "1us");
    refused(
        &format!("--policy edf {some}"),
        "--policy: found edf, expected np-edf",
    );
    refused(
        &format!("--interference conflict+bandwidth --memory-bandwidth 100GB/s {some}"),
        "--interference: found conflict+bandwidth",
    );
    let set = files.written(
        "blocks.json",
        &SET.replacen("\"deadline\"", "\"block\":\"1ms\",\"deadline\"", 1),
    );
    let ran = run(&format!("test {} --sms 16 --policy lp-edf {some}", set.display()));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("tasks[0].launches: found none"),
        "{}",
        ran.stderr
    );
}
