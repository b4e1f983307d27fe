//! `gpusched simulate tasks` prints the simulated events.

use serde_json::Value;

use crate::support::{ADAS, Answer, run, run_with};

/// Two tasks that need 2 of 4 us and 3 of 8 us. Under EDF, both meet their deadlines, although the long task has the
/// same deadline as the second job of the short task and loses the tie. Without preemption, the short task misses its
/// deadline if the long task is already running.
const PAIR: &str = r#"{"name":"pair","tasks":[
    {"name":"short","period":"4us","deadline":"4us","block":"500ns","wcet":{"table":[[1,"2us"]]}},
    {"period":"8us","block":"1us","wcet":{"table":[[1,"3us"]]}}]}"#;

fn simulate(options: &str, stdin: &str) -> Answer {
    run_with(&format!("simulate tasks - --sms 1 {options}"), stdin)
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn each_job_is_a_row() {
    let answer = simulate("--policy edf --format csv", PAIR);
    assert_eq!(answer.code, 0, "{answer:?}");
    let expected = "\
set,partition,task,job,arrival_ns,release_ns,start_ns,finish_ns,execution_ns,response_ns,deadline_ns,preemptions,missed
0,0,0,0,0,0,0,2000,2000,2000,4000,0,false
0,0,0,1,4000,4000,4000,6000,2000,2000,8000,0,false
0,0,1,0,0,0,2000,7000,3000,7000,8000,1,false
";
    assert_eq!(answer.stdout, expected);
    // The long task starts 1 ns earlier, so the first job of the short task ends at 5 us - 1 ns + 2 us.
    let answer = simulate("--policy np-edf --blocker 1 --format csv", PAIR);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer
            .stdout
            .contains("\n0,0,0,0,1,1,3000,5000,2000,4999,4001,0,true\n"),
        "{}",
        answer.stdout
    );
}

#[test]
fn preemption_at_block_boundaries_costs_a_block() {
    let answer = simulate("--policy lp-fp --blocker 1 --format csv", PAIR);
    // The long task is preempted at 1000 ns. It needs one block of 1000 ns more, so it would run from 3000 to 6000 ns
    // without the arrival at 4001 ns.
    assert!(
        answer
            .stdout
            .contains("\n0,0,0,0,1,1,1000,3000,2000,2999,4001,0,false\n"),
        "{}",
        answer.stdout
    );
    assert!(
        answer
            .stdout
            .contains("\n0,0,1,0,0,0,0,9000,3000,9000,8000,2,true\n"),
        "{}",
        answer.stdout
    );
}

#[test]
fn summaries_agree_with_the_rows() {
    let options = "--policy lp-edf --offsets random --jitter random --times short --arrivals sporadic --duration 400us --seed 3";
    let answer = simulate(&format!("{options} --format json"), PAIR);
    let summary = json(&answer);
    let rows = simulate(&format!("{options} --format csv"), PAIR).stdout;
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert_eq!(summary["jobs"], rows.len());
    assert_eq!(
        summary["misses"],
        rows.iter().filter(|row| row[12] == "true").count()
    );
    assert_eq!(i32::from(summary["misses"] != 0), answer.code);
    assert_eq!(summary["duration_ns"], 400_000);
    let number = |row: &[&str], column: usize| row[column].parse::<u64>().unwrap();
    for task in 0..2 {
        let found = &summary["partitions"][0]["tasks"][task];
        let own = rows.iter().filter(|row| row[2] == task.to_string());
        assert_eq!(found["jobs"], own.clone().count());
        assert_eq!(
            found["response_max_ns"],
            own.clone().map(|row| number(row, 9)).max().unwrap()
        );
        assert_eq!(
            found["preemptions"],
            own.clone().map(|row| number(row, 11)).sum::<u64>()
        );
        let mean = own.clone().map(|row| number(row, 9)).sum::<u64>() as f64 / own.count() as f64;
        assert!((found["response_mean_ns"].as_f64().unwrap() - mean).abs() < 1e-6 * mean);
    }
    assert_ne!(
        json(&simulate(
            &format!("{options} --seed 4 --format json").replace("--seed 3 ", ""),
            PAIR
        )),
        summary
    );
}

#[test]
fn plans_are_simulated_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    let (plan, use_it) = (plan.display(), folder.path().join("use.csv"));
    for policy in ["edf", "np-fp", "lp-edf", "fp-audsley"] {
        assert_eq!(
            run(&format!(
                "partition {ADAS} --gpu orin --policy {policy} -o {plan} --format json"
            ))
            .code,
            0
        );
        let line = format!(
            "simulate tasks {ADAS} --plan {plan} --format json --utilization {}",
            use_it.display()
        );
        let answer = run(&line);
        assert_eq!(answer.code, 0, "{policy}: {answer:?}");
        let (summary, expected): (Value, Value) = (
            json(&answer),
            serde_json::from_str(&std::fs::read_to_string(plan.to_string()).unwrap()).unwrap(),
        );
        let (found, parts) = (
            summary["partitions"].as_array().unwrap(),
            expected["partitions"].as_array().unwrap(),
        );
        assert_eq!(found.len(), parts.len());
        for (found, part) in found.iter().zip(parts) {
            assert_eq!(
                (&found["sms"], &found["policy"]),
                (&part["sms"], &Value::from(policy))
            );
            let tasks: Vec<&Value> = found["tasks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|task| &task["task"])
                .collect();
            assert_eq!(
                tasks,
                part["tasks"].as_array().unwrap().iter().collect::<Vec<_>>()
            );
        }
        let table = std::fs::read_to_string(&use_it).unwrap();
        let busy = |partition: &str| -> f64 {
            let rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
            let own: Vec<f64> = rows
                .filter(|row| row[2] == partition)
                .map(|row| row[4].parse().unwrap())
                .collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        let share =
            |part: &Value| part["busy_ns"].as_f64().unwrap() / summary["duration_ns"].as_f64().unwrap();
        for (index, part) in found.iter().enumerate() {
            assert!(
                (busy(&index.to_string()) - share(part)).abs() < 0.01,
                "{policy} {index}"
            );
        }
        let all: f64 = found
            .iter()
            .map(|part| share(part) * part["sms"].as_f64().unwrap())
            .sum();
        assert!(
            (busy("all") - all / 16.0).abs() < 0.01,
            "{policy}: {} {all}",
            busy("all")
        );
    }
}

#[test]
fn sets_are_answered_in_their_order() {
    let sets = run("generate --tasks 5 --utilization 0.6 --count 7").stdout;
    let together = run_with(
        "simulate tasks - --sms 1 --format json --times short",
        sets.clone(),
    )
    .stdout;
    assert_eq!(together.lines().count(), 7);
    let text = run_with("simulate tasks - --sms 1 --times short", sets.clone());
    assert_eq!(text.stdout.lines().count(), 7);
    assert!(text.stdout.lines().next().unwrap().starts_with("0: "), "{text:?}");
    let alone = run_with(
        "simulate tasks - --sms 1 --format json --times short",
        sets.lines().next().unwrap(),
    );
    // In a stream of results, assumptions have no texts.
    let [alone, first] = [&alone.stdout, &together].map(|json| {
        let (answer, _) = json.split_once(",\"assumptions\":").unwrap();
        answer
    });
    assert_eq!(alone, first);
}
