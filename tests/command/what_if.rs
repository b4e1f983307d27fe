//! Promise: `what-if` answers from a stored plan, states each difference, and writes a plan that `verify` accepts.

use serde_json::Value;

use crate::support::ADAS;
use crate::support::checkout::Checkout;
use crate::support::transcript::Transcript;

#[test]
fn changes_of_a_plan_are_stated() {
    let checkout = Checkout::new();
    let more = r#"{"tasks":[{"name":"radar","period":"20ms","wcet":{"table":[[1,"9ms"]]}},
        {"name":"logger","period":"1s","wcet":{"table":[[1,"1ms"]]}}]}"#;
    std::fs::write(checkout.path("more.json"), more).unwrap();
    std::fs::write(
        checkout.path("tiny.json"),
        r#"{"tasks":[{"period":"1s","wcet":{"table":[[1,"1us"]]}}]}"#,
    )
    .unwrap();
    std::fs::write(
        checkout.path("huge.json"),
        r#"{"tasks":[{"period":"1ms","wcet":{"table":[[1,"2ms"]]}}]}"#,
    )
    .unwrap();
    let mut told = Transcript::default();
    let mut run = |line: &str, code: i32| {
        let shown = checkout.sh(line);
        assert_eq!(shown.code, code, "{line}: {}", shown.text);
        told.case(line, shown.text);
    };
    run(&format!("gpusched partition {ADAS} --sms 12 -q -o plan.json"), 0);
    run(&format!("gpusched what-if plan.json {ADAS}"), 0);
    run(
        &format!("gpusched what-if plan.json {ADAS} -q --add tiny.json"),
        0,
    );
    run(
        &format!(
            "gpusched what-if plan.json {ADAS} -q --sms 20 --add more.json --new-plan new.json --new-set set.json"
        ),
        0,
    );
    run("gpusched verify new.json set.json --sms 20 -q", 0);
    run(
        &format!("gpusched what-if plan.json {ADAS} -q --add huge.json"),
        1,
    );
    run(&format!("gpusched what-if plan.json {ADAS} -q --scale 1.5"), 1);
    run(
        &format!("gpusched what-if plan.json {ADAS} -q --sms 40 --scale 1.5 --move all"),
        0,
    );
    run(&format!("gpusched what-if plan.json {ADAS} -q --move 0"), 0);
    run(
        &format!("gpusched what-if plan.json {ADAS} --gpu orin --format csv"),
        0,
    );
    run(
        &format!("gpusched what-if plan.json {ADAS} --gpu orin --format json"),
        0,
    );
    insta::assert_snapshot!(told);
}

#[test]
fn wrong_changes_are_refused() {
    let checkout = Checkout::new();
    let run = |line: &str| checkout.sh(line);
    run(&format!("gpusched partition {ADAS} --sms 12 -q -o plan.json"));
    run(&format!("gpusched partition {ADAS} --sms 2 -q -o none.json"));
    run(&format!("gpusched partition {ADAS} --gpu orin -q -o orin.json"));
    let text = std::fs::read_to_string(checkout.path("plan.json")).unwrap();
    let mut plan: Value = serde_json::from_str(&text).unwrap();
    plan["partitions"][0]["sms"] = Value::from(1);
    std::fs::write(checkout.path("wrong.json"), plan.to_string()).unwrap();
    std::fs::write(
        checkout.path("times.json"),
        r#"{"times":"gpu","tasks":[{"period":"1s","wcet":{"table":[[1,"1us"]]}}]}"#,
    )
    .unwrap();
    let mut refusals = Transcript::default();
    for arguments in [
        "none.json SET",
        "wrong.json SET",
        "plan.json tasksets/tasksets/orin-measured.json",
        "plan.json tasksets/end_to_end/waters2019-iii-alt-fp-avg.json",
        "plan.json SET --move 7",
        "plan.json SET --move x",
        "plan.json SET --gpu orin --move all",
        "orin.json SET --gpu h100 --move 0",
        "plan.json SET --scale 0",
        "plan.json SET --scale 1000000 --add plan.json",
        "plan.json SET --granularity tpc",
        "plan.json SET --add times.json --new-plan written.json",
        "plan.json SET --new-plan plan.json",
    ] {
        let shown = run(&format!("gpusched what-if {}", arguments.replace("SET", ADAS)));
        assert_eq!(shown.code, 2, "{arguments}: {}", shown.text);
        assert!(shown.text.starts_with("error: "), "{arguments}: {}", shown.text);
        refusals.case(arguments, shown.text);
    }
    assert!(!checkout.path("written.json").exists());
    insta::assert_snapshot!(refusals);
}

/// Other numbers of SMs are the same GPU for the notes, and times on the GPU need overheads.
#[test]
fn notes_are_about_the_changes() {
    let checkout = Checkout::new();
    std::fs::write(
        checkout.path("times.json"),
        r#"{"times":"gpu","tasks":[{"period":"1s","wcet":{"table":[[1,"1ms"]]}}]}"#,
    )
    .unwrap();
    let run = |line: &str| {
        let shown = checkout.sh(line);
        assert_eq!(shown.code, 0, "{line}: {}", shown.text);
        shown.text
    };
    run("gpusched partition times.json --sms 12 -q -o plan.json");
    let other = "the other GPU";
    let overheads = "no overheads of dispatchers are stated";
    let more = run("gpusched what-if plan.json times.json --sms 20");
    assert!(more.contains(overheads) && !more.contains(other), "{more}");
    let elsewhere = run("gpusched what-if plan.json times.json --gpu orin");
    assert!(
        elsewhere.contains(overheads) && elsewhere.contains(other),
        "{elsewhere}"
    );
    let quiet = run("gpusched what-if plan.json times.json --gpu orin -q");
    assert!(!quiet.contains(overheads) && !quiet.contains(other), "{quiet}");
    run("gpusched partition times.json --sms 12 -q --policy edf -o preemptive.json");
    let preemptive = run("gpusched what-if preemptive.json times.json --sms 12");
    assert!(!preemptive.contains(overheads), "{preemptive}");
}

/// The plan contains no tasks, so an error about an added task names its file, and its position there.
#[test]
fn an_error_about_an_added_task_names_its_file() {
    let checkout = Checkout::new();
    let task = |sectors: &str| {
        format!(
            r#"{{"period":"1ms","wcet":{{"table":[[1,"10us"]]}},"sectors":{{"reads":16,"writes":0{sectors}}}}}"#
        )
    };
    let write = |name: &str, tasks: &[String]| {
        let text = format!(r#"{{"tasks":[{}]}}"#, tasks.join(","));
        std::fs::write(checkout.path(name), text).unwrap();
    };
    let (known, unknown) = (task(r#","hold":16,"blocks":1"#), task(r#","blocks":1"#));
    write("set.json", &[known.clone(), known.clone()]);
    write("more.json", &[known, unknown]);
    let rates = r#"{"machine":"titanv","patterns":[],"universal":{"l2_bytes_per_second":"28GB/s","dram_bytes_per_second":"586MB/s"},
        "balanced":{"l2_bytes_per_second":"642GB/s","dram_bytes_per_second":"56GB/s"}}"#;
    std::fs::write(checkout.path("rates.json"), rates).unwrap();
    let made = checkout.sh(
        "gpusched partition set.json --gpu titanv --granularity sm --policy dm --interference memory-time --memory-rates rates.json \
         -q -o plan.json",
    );
    assert_eq!(made.code, 0, "{}", made.text);
    let refused = checkout.sh("gpusched what-if plan.json set.json --add more.json -q");
    assert_eq!(refused.code, 2, "{}", refused.text);
    let place = "more.json: at tasks[1].sectors.hold";
    assert!(refused.text.contains(place), "{}", refused.text);
}
