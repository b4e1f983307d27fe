//! Promise: commands accept the policy `concurrent`, state its assumptions, and refuse it where a dispatcher would be needed.
#![cfg(feature = "cli")]

use serde_json::Value;

use crate::support::{run, run_with};

/// Two tasks that meet their deadlines together on 2 SMs, also with a variation of 20 %.
const PAIR: &str = r#"{"name":"pair","tasks":[
    {"name":"a","period":"10ms","wcet":{"table":[[1,"3ms"],[2,"2ms"]]}},
    {"name":"b","period":"8ms","wcet":{"table":[[1,"4ms"],[2,"3ms"]]}}]}"#;

fn json(line: &str, set: &str) -> (i32, Value) {
    let answer = run_with(&format!("{line} --format json --quiet"), set);
    let value = serde_json::from_str(&answer.stdout);
    (
        answer.code,
        value.unwrap_or_else(|_| panic!("{line}: {answer:?}")),
    )
}

fn ids(answer: &Value) -> Vec<&str> {
    let list = answer["assumptions"].as_array().unwrap();
    list.iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn the_test_adds_the_variation_and_states_the_assumptions() {
    let (code, found) = json("test - --sms 2 --policy concurrent", PAIR);
    assert_eq!((code, &found["strength"]), (0, &Value::from("exact")));
    assert_eq!(
        found["response_times_ns"],
        serde_json::json!([6_000_000, 6_000_000])
    );
    let ids = ids(&found);
    assert!(
        ids.contains(&"serial-sum") && ids.contains(&"own-streams"),
        "{ids:?}"
    );
    // The serial sum contains contention, so the default counts no conflict.
    assert!(
        ids.contains(&"interference-none") && !ids.contains(&"conflict-as-isolated"),
        "{ids:?}"
    );
    let text = found["assumptions"].to_string();
    assert!(
        text.contains("1/(1 + 20 %)") && !text.contains("do not contend"),
        "{text}"
    );
    let (_, found) = json("test - --sms 2 --policy concurrent --variation 0", PAIR);
    assert_eq!(
        found["response_times_ns"],
        serde_json::json!([5_000_000, 5_000_000])
    );
    let (code, found) = json("test - --sms 2 --policy concurrent --variation 61", PAIR);
    assert_eq!(
        (code, &found["evidence"]["reason"]),
        (1, &Value::from("deadline-missed"))
    );
    let line = "test - --sms 2 --policy np-edf --variation 20";
    run_with(line, PAIR).assert_refused(line, "variation");
}

#[test]
fn a_plan_is_proven_only_if_the_user_accepts_the_assumption() {
    let folder = tempfile::tempdir().unwrap();
    let (set, plan) = (folder.path().join("set.json"), folder.path().join("plan.json"));
    std::fs::write(&set, PAIR).unwrap();
    let (set, path) = (set.display(), plan.display());
    let made = run(&format!(
        "partition {set} --sms 2 --heuristic 1g --policy concurrent --variation 10 -o {path}"
    ));
    assert_eq!(made.code, 0, "{made:?}");
    let text = std::fs::read_to_string(&plan).unwrap();
    let stored: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&stored["variation_percent"], &stored["interference"]),
        (&Value::from(10), &Value::from("none"))
    );
    let verify = |options: &str| run(&format!("verify {path} {set} {options}"));
    let open = verify("");
    assert!(open.code == 1 && open.stdout.contains("not proven"), "{open:?}");
    assert_eq!(verify("--policy concurrent").code, 1); // below the tested variation of 20 %
    assert_eq!(verify("--policy concurrent --variation 10").code, 0);
    assert!(
        verify("--policy concurrent --variation 20")
            .stdout
            .contains("REFUSED")
    );
    // The verifier recomputes the response times with the stated variation, and requires that a plan states one.
    for (old, new) in [
        (r#""variation_percent":10"#, r#""variation_percent":9"#),
        (r#""variation_percent":10,"#, ""),
        ("5500000", "5499999"),
        (r#""policy":"concurrent""#, r#""policy":"np-edf""#),
    ] {
        assert!(text.contains(old), "{old}: {text}");
        std::fs::write(&plan, text.replace(old, new)).unwrap();
        assert!(verify("--policy concurrent").stdout.contains("REFUSED"), "{old}");
    }
    std::fs::write(&plan, &text).unwrap();
    let simulated = |options: &str| {
        run(&format!(
            "simulate tasks {set} --plan {path} --format json {options}"
        ))
    };
    let shared: Value = serde_json::from_str(&simulated("").stdout).unwrap();
    let starved: Value = serde_json::from_str(&simulated("--starve 0").stdout).unwrap();
    assert_eq!(
        (&shared["misses"], &starved["misses"]),
        (&Value::from(0), &Value::from(0))
    );
    assert!(starved.to_string().contains("5500000"), "{starved}");
    let starve = "simulate tasks - --sms 2 --starve 0";
    run_with(starve, PAIR).assert_refused(starve, "starve");
    let line = format!("run {path} {set} --backend simulated");
    run(&line).assert_refused(&line, "one kernel of a partition at a time");
}

#[test]
fn no_analysis_of_shared_memory_or_overheads_accepts_it() {
    for options in [
        "--interference conflict+bandwidth --memory-bandwidth 1GB/s",
        "--overheads tasksets/measurements/h100/gpu/overheads.json",
    ] {
        let line = format!("test - --sms 2 --policy concurrent {options}");
        let answer = run_with(&line, PAIR);
        assert_eq!(answer.code, 2, "{line}: {answer:?}");
    }
}

#[test]
fn validation_of_one_policy_repeats_with_any_number_of_threads() {
    let line = "validate --policy concurrent --systems 60 --format json --quiet";
    let (one, two) = (
        run(&format!("{line} --threads 1")),
        run(&format!("{line} --threads 2")),
    );
    assert_eq!((one.code, &one.stdout), (0, &two.stdout));
    let found: Value = serde_json::from_str(&one.stdout).unwrap();
    let policies = found["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 1);
    assert_eq!(
        (&policies[0]["policy"], &policies[0]["systems"]),
        (&Value::from("concurrent"), &Value::from(60))
    );
    for line in [
        "validate --policy work-capacity --systems 1",
        "validate --policy edf --shared-memory --systems 1",
        "validate --policy edf --warps --systems 1",
    ] {
        assert_eq!(run(line).code, 2, "{line}");
    }
}
