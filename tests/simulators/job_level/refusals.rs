//! Invalid usage and invalid plans: exit code 2, one message, no output.

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals};
use crate::support::{ADAS, files, run, run_with};

#[test]
fn bad_usage_is_refused() {
    let told = refusals([
        "simulate tasks",
        "simulate tasks SET",
        "simulate tasks SET --sms 8 --gpu orin",
        "simulate tasks SET --sms 0",
        "simulate tasks SET --plan missing.json",
        "simulate tasks SET --plan SET",
        "simulate tasks SET --plan p.json --sms 8",
        "simulate tasks SET --sms 8 --policy work-capacity",
        "simulate tasks SET --sms 8 --policy fifo",
        "simulate tasks SET --sms 8 --offsets none",
        "simulate tasks SET --sms 8 --jitter early",
        "simulate tasks SET --sms 8 --times long",
        "simulate tasks SET --sms 8 --shortest 0.5",
        "simulate tasks SET --sms 8 --times short --shortest 0",
        "simulate tasks SET --sms 8 --times short --shortest 1.5",
        "simulate tasks SET --sms 8 --times short --shortest NaN",
        "simulate tasks SET --sms 8 --duration 5",
        "simulate tasks SET --sms 8 --duration=-5ms",
        "simulate tasks SET --sms 8 --duration 9000000000s",
        "simulate tasks SET --sms 8 --blocker 99",
        "simulate tasks SET --sms 8 --blocker=-1",
        "simulate tasks SET --sms 8 --intervals 5",
        "simulate tasks SET --sms 8 --utilization u.csv --intervals 0",
        "simulate tasks SET --sms 8 --utilization missing/u.csv",
        "simulate tasks SET --sms 8 -o missing/s.json",
        "simulate tasks missing.json --sms 8",
    ]);
    assert_snapshot!(told);
    let answer = run("simulate");
    assert!(answer.code == 2 && answer.stderr.contains("tasks"), "{answer:?}");
}

#[test]
fn what_takes_too_long_asks_for_a_duration() {
    let task = |period: &str| format!(r#"{{"period":"{period}","wcet":{{"table":[[1,10]]}}}}"#);
    let set = |periods: &[&str]| {
        let tasks: Vec<String> = periods.iter().map(|period| task(period)).collect();
        format!(r#"{{"tasks":[{}]}}"#, tasks.join(","))
    };
    let primes = set(&["999999937ns", "999999929ns", "999999893ns"]);
    let many = set(&["1us", "1000s"]);
    let mut told = Transcript::default();
    for (given, set) in [("primes", &primes), ("many", &many)] {
        told.refusal(given, &run_with("simulate tasks - --sms 1", set.clone()));
        let answer = run_with("simulate tasks - --sms 1 --duration 10ms", set.clone());
        assert_eq!(answer.code, 0, "{answer:?}");
    }
    told.refusal(
        "many, 1000000s",
        &run_with("simulate tasks - --sms 1 --duration 1000000s", many),
    );
    let huge = format!(
        r#"{{"tasks":[{}]}}"#,
        r#"{"period":"9e9s"}"#
            .replace("9e9s", "5000000000s")
            .replace('}', r#","wcet":{"table":[[1,9223372036854775807]]}}"#)
    );
    told.refusal("huge", &run_with("simulate tasks - --sms 1 --duration 1s", huge));
    assert_snapshot!(told);
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = run(&format!("partition {ADAS} --sms 8 --policy edf --format json")).stdout;
    let path = folder.path().join("plan.json");
    let part = |tasks: &str| {
        let start = plan.find("\"tasks\":[").unwrap();
        let end = start + plan[start..].find(']').unwrap();
        format!("{}\"tasks\":[{tasks}{}", &plan[..start], &plan[end..])
    };
    let no_model = plan.replace("\"interference\":\"conflict\"", "\"interference\":null");
    let two = format!("{plan}{plan}");
    let mut told = Transcript::in_folder(folder.path());
    for (given, text) in [
        ("task 0 twice", part("0,0")),
        ("task 99", part("99")),
        ("no task", part("")),
        ("no model", no_model),
        ("two plans", two),
        ("nothing", String::new()),
    ] {
        std::fs::write(&path, text).unwrap();
        let answer = run(&format!("simulate tasks {ADAS} --plan {}", path.display()));
        told.refusal(given, &answer);
        let out = folder.path().join("out.json");
        assert_eq!(
            run(&format!(
                "simulate tasks {ADAS} --plan {} -o {}",
                path.display(),
                out.display()
            ))
            .code,
            2
        );
        assert_eq!(files(folder.path()).len(), 1);
    }
    assert_snapshot!(told);
}

#[test]
fn an_order_that_does_not_exist_is_refused() {
    let set = r#"{"tasks":[{"period":10,"deadline":4,"wcet":{"table":[[1,3]]}},{"period":10,"deadline":5,"wcet":{"table":[[1,3]]}}]}"#;
    let unknown = r#"{"tasks":[{"period":10,"wcet":{"table":[[2,3]]}}]}"#;
    let mut told = Transcript::default();
    told.refusal(
        "no order",
        &run_with("simulate tasks - --sms 1 --policy fp-audsley", set),
    );
    told.refusal("no WCET", &run_with("simulate tasks - --sms 1", unknown));
    assert_snapshot!(told);
}
