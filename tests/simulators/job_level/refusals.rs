//! Bad usage and bad plans: exit code 2, one message, no output.

use crate::support::{ADAS, files, run, run_with};

#[test]
fn bad_usage_is_refused() {
    #[rustfmt::skip] // a table
    let cases: &[(&str, &[&str])] = &[
        ("simulate", &["tasks"]),
        ("simulate tasks", &["<SET>"]),
        ("simulate tasks SET", &["none of --sms, --platform and --plan", "--plan PLAN"]),
        ("simulate tasks SET --sms 8 --platform orin", &["both --sms and --platform"]),
        ("simulate tasks SET --sms 0", &["--sms", "1 to 65536"]),
        ("simulate tasks SET --plan missing.json", &["missing.json: cannot open"]),
        ("simulate tasks SET --plan SET", &["adas.json", "unknown field `name`"]),
        ("simulate tasks SET --plan p.json --sms 8", &["--plan", "--sms"]),
        ("simulate tasks SET --sms 8 --policy work-capacity", &["found work-capacity, a condition that schedules nothing"]),
        ("simulate tasks SET --sms 8 --policy fifo", &["fifo", "np-edf"]),
        ("simulate tasks SET --sms 8 --offsets none", &["none", "synchronous"]),
        ("simulate tasks SET --sms 8 --jitter early", &["early", "late"]),
        ("simulate tasks SET --sms 8 --times long", &["long", "short"]),
        ("simulate tasks SET --sms 8 --shortest 0.5", &["--shortest: found --times wcet"]),
        ("simulate tasks SET --sms 8 --times short --shortest 0", &["--shortest", "above 0"]),
        ("simulate tasks SET --sms 8 --times short --shortest 1.5", &["--shortest", "at most 1"]),
        ("simulate tasks SET --sms 8 --times short --shortest NaN", &["--shortest"]),
        ("simulate tasks SET --sms 8 --duration 5", &["--duration", "unit"]),
        ("simulate tasks SET --sms 8 --duration=-5ms", &["--duration"]),
        ("simulate tasks SET --sms 8 --duration 9000000000s", &["--duration", "expected at most"]),
        ("simulate tasks SET --sms 8 --blocker 99", &["--blocker: found task 99"]),
        ("simulate tasks SET --sms 8 --blocker=-1", &["--blocker"]),
        ("simulate tasks SET --sms 8 --intervals 5", &["--intervals: found no --utilization"]),
        ("simulate tasks SET --sms 8 --utilization u.csv --intervals 0", &["--intervals"]),
        ("simulate tasks SET --sms 8 --utilization missing/u.csv", &["missing/u.csv: cannot create"]),
        ("simulate tasks SET --sms 8 -o missing/s.json", &["missing/s.json: cannot create"]),
        ("simulate tasks missing.json --sms 8", &["missing.json: cannot open"]),
    ];
    for (line, expected) in cases {
        let answer = run(&line.replace("SET", ADAS));
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{line}: {answer:?}"
        );
        for text in *expected {
            assert!(
                answer.stderr.contains(text),
                "{line}: no {text:?} in {}",
                answer.stderr
            );
        }
    }
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
    for (set, expected) in [(&primes, "longer than 2^62 ns"), (&many, "1000000001 jobs")] {
        let answer = run_with("simulate tasks - --sms 1", set.clone());
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(
            answer.stderr.contains(expected) && answer.stderr.contains("expected --duration"),
            "{answer:?}"
        );
        let answer = run_with("simulate tasks - --sms 1 --duration 10ms", set.clone());
        assert_eq!(answer.code, 0, "{answer:?}");
    }
    let answer = run_with("simulate tasks - --sms 1 --duration 1000000s", many);
    assert!(
        answer.code == 2 && answer.stderr.contains("expected at most 100000000000"),
        "{answer:?}"
    );
    let huge = format!(
        r#"{{"tasks":[{}]}}"#,
        r#"{"period":"9e9s"}"#
            .replace("9e9s", "5000000000s")
            .replace('}', r#","wcet":{"table":[[1,9223372036854775807]]}}"#)
    );
    let answer = run_with("simulate tasks - --sms 1 --duration 1s", huge);
    assert!(
        answer.code == 2 && answer.stderr.contains("may take longer than 2^62 ns"),
        "{answer:?}"
    );
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plan = run(&format!("partition {ADAS} --platform xavier --format json")).stdout;
    let path = folder.path().join("plan.json");
    let part = |tasks: &str| {
        let start = plan.find("\"tasks\":[").unwrap();
        let end = start + plan[start..].find(']').unwrap();
        format!("{}\"tasks\":[{tasks}{}", &plan[..start], &plan[end..])
    };
    let no_model = plan.replace("\"interference\":\"conflict\"", "\"interference\":null");
    let two = format!("{plan}{plan}");
    for (text, expected) in [
        (
            part("0,0"),
            "partitions[0].tasks: found task 0, which partitions[0] has as well",
        ),
        (part("99"), "partitions[0].tasks: found task 99, expected at most"),
        (part(""), "expected a plan that places every task"),
        (no_model, "expected --interference"),
        (two, "expected as many as in"),
        (String::new(), "expected a plan"),
    ] {
        std::fs::write(&path, text).unwrap();
        let answer = run(&format!("simulate tasks {ADAS} --plan {}", path.display()));
        assert_eq!(answer.code, 2, "{expected}: {answer:?}");
        assert!(answer.stderr.contains(expected), "{expected}: {answer:?}");
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
}

#[test]
fn an_order_that_does_not_exist_is_refused() {
    let set = r#"{"tasks":[{"period":10,"deadline":4,"wcet":{"table":[[1,3]]}},{"period":10,"deadline":5,"wcet":{"table":[[1,3]]}}]}"#;
    let answer = run_with("simulate tasks - --sms 1 --policy fp-audsley", set);
    assert!(
        answer.code == 2
            && answer
                .stderr
                .contains("found fp-audsley, which finds no priorities"),
        "{answer:?}"
    );
    let unknown = r#"{"tasks":[{"period":10,"wcet":{"table":[[2,3]]}}]}"#;
    let answer = run_with("simulate tasks - --sms 1", unknown);
    assert!(
        answer.code == 2
            && answer
                .stderr
                .contains("tasks[0].wcet: found no known WCET on 1 SMs"),
        "{answer:?}"
    );
}
