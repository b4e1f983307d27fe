//! SimSo and SchedCAT: what their formats can say comes back equal, and the rest is named.

use gpusched_model::{Contention, TaskSet};
use rand::RngExt as _;

use super::random_sets::{rng, task_set};
use super::read;
use crate::support::{Answer, rounds, run, run_with};

fn only(answer: &Answer) -> TaskSet {
    assert_eq!(answer.code, 0, "{answer:?}");
    read("-", answer.stdout.clone()).unwrap().remove(0)
}

/// (name, period, deadline, WCET on `sms` SMs) of each task [ns]
fn plain(set: &TaskSet, sms: u32) -> Vec<(Option<String>, u64, u64, Option<u64>)> {
    let tasks = set.tasks().iter();
    let wcet = |task: &gpusched_model::Task| Some(task.wcet().at(sms, Contention::Isolated)?.ns());
    tasks
        .map(|task| {
            (
                task.name().map(str::to_owned),
                task.period().ns(),
                task.deadline().ns(),
                wcet(task),
            )
        })
        .collect()
}

#[test]
fn files_of_the_tools_are_read_exactly() {
    let answer = run("import simso tasksets/other_tools/simso-script.xml");
    let set = only(&answer);
    assert_eq!(set.name(), Some("simso-script"));
    let ms = 1_000_000u64;
    let task = |name: &str, period: u64, wcet: u64| {
        (Some(name.to_owned()), period * ms, period * ms, Some(wcet * ms))
    };
    assert_eq!(
        plain(&set, 1),
        [task("T1", 7, 3), task("T2", 12, 3), task("T3", 20, 5)]
    );
    assert!(
        answer
            .stderr
            .contains("left out: 1 processor with the scheduler \"simso.schedulers.RM\""),
        "{answer:?}"
    );
    // The WCETs hold on 16 SMs, and on fewer SMs, they are unknown.
    let set = only(&run(
        "import schedcat tasksets/other_tools/schedcat-nolock.xml --sms 16 -q",
    ));
    assert_eq!((set.tasks().len(), plain(&set, 15)[0].3), (8, None));
    assert_eq!(
        plain(&set, 16)[0],
        (None, 92_000_000, 92_000_000, Some(77_458_000))
    );
    // U = 77458/92000 + … of eight tasks, in the order of the file.
    let utilization: f64 = plain(&set, 16)
        .iter()
        .map(|(_, period, _, wcet)| wcet.unwrap() as f64 / *period as f64)
        .sum();
    assert!((utilization - 5.359_5).abs() < 1e-3, "{utilization}");
}

#[test]
fn parts_without_an_effect_are_named() {
    let simso = "<simulation etm=\"fixedpenalty\" penalty_preemption=\"9\"><sched className=\"x.py\" overhead=\"1\"/>\
        <processors><processor name=\"a\" id=\"1\" speed=\"0.5\" cs_overhead=\"2\"/></processors>\
        <tasks><task name=\"a\" period=\"7\" deadline=\"6\" WCET=\"3\" activationDate=\"2\" preemption_cost=\"1\" my=\"1\"/></tasks></simulation>";
    let answer = run_with("import simso -", simso);
    for part in [
        "processor.cs_overhead",
        "sched.overhead",
        "simulation.penalty_preemption",
        "task.preemption_cost",
        "processor.speed",
        "task.activationDate",
        "task.my",
    ] {
        assert!(answer.stderr.contains(part), "{part}: {answer:?}");
    }
    let schedcat = "<testpoint><config cap=\"4\"/><taskset><task id=\"3\" period=\"7.5\" wcet=\"3\" deadline=\"5\" partition=\"1\" wss=\"4\">\
        <resources/><affinity><cpu id=\"1\"/></affinity></task></taskset><taskset><task period=\"7\" wcet=\"3\"/></taskset></testpoint>";
    let answer = run_with("import schedcat - --unit ns", schedcat);
    for part in ["cap=4", "affinity, partition, wss of tasks", "in ns"] {
        assert!(answer.stderr.contains(part), "{part}: {answer:?}");
    }
    let sets = read("-", answer.stdout).unwrap();
    // Periods and deadlines round down.
    assert_eq!(plain(&sets[0], 1), [(Some("3".into()), 7, 5, Some(3))]);
    assert_eq!(plain(&sets[1], 1), [(None, 7, 7, Some(3))]);
    let set = r#"{"name":"n","times":"gpu","tasks":[{"name":"τ","period":"5ms","jitter":"1ms","block":"1us","kind":"memory","wcet":"1ms"}],
        "other_traffic":[{"period":"1ms","traffic":5}]}"#.replace('\n', "");
    for tool in ["simso", "schedcat"] {
        let answer = run_with(&format!("export - --as {tool} --sms 8"), set.clone());
        assert_eq!(answer.code, 0, "{answer:?}");
        for part in [
            "warning: left out: jitter of 1 task",
            "block of 1 task",
            "kind of 1 task",
            "other_traffic",
            "times of the set",
            "name of the set",
        ] {
            assert!(answer.stderr.contains(part), "{tool} {part}: {answer:?}");
        }
        assert!(
            run_with(&format!("export - --as {tool} --sms 8 -q"), set.clone())
                .stderr
                .lines()
                .all(|line| line.starts_with("warning"))
        );
    }
    assert!(
        run_with("export - --as simso --sms 8", set)
            .stderr
            .contains("changed: names of 1 task")
    );
}

/// Only attributes whose loss is known to be safe are notes. All others are warnings, also with `-q`.
#[test]
fn unknown_attributes_are_warnings() {
    let simso = |more: &str| {
        format!(
            "<simulation><tasks><task name=\"a\" period=\"7\" deadline=\"6\" WCET=\"3\" {more}/></tasks></simulation>"
        )
    };
    let schedcat = |more: &str| format!("<taskset><task period=\"7\" wcet=\"3\" {more}/></taskset>");
    for (tool, safe, unsafe_) in [
        ("simso", simso("activationDate=\"2\""), simso("jitter=\"2\"")),
        (
            "schedcat",
            schedcat("partition=\"1\" wss=\"4\""),
            schedcat("jitter=\"2\""),
        ),
    ] {
        let import = |file: String| run_with(&format!("import {tool} - -q"), file);
        let (safe, warned) = (import(safe), import(unsafe_));
        let assumption = "note: assumption, unsafe if violated: each WCET holds on 1 SM\n";
        assert_eq!(
            (safe.code, safe.stderr.as_str()),
            (0, assumption),
            "{tool}: {safe:?}"
        );
        assert!(
            warned.code == 0
                && warned.stderr.starts_with("warning")
                && warned.stderr.contains("left out: task.jitter"),
            "{tool}: {warned:?}"
        );
    }
}

/// Export and import return the tasks in one partition. So a test in one partition has the same result.
#[test]
fn exported_sets_come_back() {
    let mut rng = rng(7);
    let mut schedulable = 0;
    let count = rounds(60usize);
    for round in 0..count {
        let tasks = rng.random_range(1..6);
        let set = serde_json::to_string(&task_set(&mut rng, tasks, 1.5)).unwrap();
        let sms = rng.random_range(8..20);
        let test = run_with(
            &format!("test - --sms {sms} --policy edf --format json"),
            set.clone(),
        );
        for (tool, unit) in [("simso", ""), ("schedcat", " --unit ns")] {
            let file = run_with(&format!("export - --as {tool} --sms {sms}{unit}"), set.clone());
            assert_eq!(file.code, 0, "{round}: {file:?}");
            let import = |file: &str| run_with(&format!("import {tool} - --sms {sms}{unit}"), file);
            let again = import(&file.stdout);
            let exported = read("-", set.clone()).unwrap().remove(0);
            let (left, right) = (plain(&only(&again), sms), plain(&exported, sms));
            assert_eq!(
                left.iter().map(|task| (task.1, task.2)).collect::<Vec<_>>(),
                right.iter().map(|task| (task.1, task.2)).collect::<Vec<_>>()
            );
            let again_tested = run_with(
                &format!("test - --sms {sms} --policy edf --interference none --format json"),
                again.stdout.clone(),
            );
            assert_eq!(again_tested.code, test.code, "{round}: {set}\n{again:?}");
            // A second export and import changes nothing.
            let second = run_with(
                &format!("export - --as {tool} --sms {sms}{unit}"),
                again.stdout.clone(),
            );
            assert_eq!(
                (&second.stdout, &import(&second.stdout).stdout),
                (&file.stdout, &again.stdout),
                "{round}"
            );
        }
        schedulable += usize::from(test.code == 0);
    }
    assert!(schedulable > 0 && schedulable < count, "{schedulable} of {count}");
}

/// Rounding to whole units is safe: longer WCETs, and shorter periods and deadlines.
#[test]
fn rounding_is_safe() {
    let set = r#"{"tasks":[{"period":"5000001ns","deadline":"4000999ns","wcet":"1000001ns"}]}"#;
    let answer = run_with("export - --as schedcat --sms 1 --unit us", set);
    assert!(
        answer
            .stdout
            .contains("<task id=\"1\" period=\"5000\" wcet=\"1001\" deadline=\"4000\"/>"),
        "{answer:?}"
    );
    assert!(answer.stderr.contains("changed: times of 1 task"), "{answer:?}");
    let simso = run_with("export - --as simso --sms 1", set).stdout;
    assert!(
        simso.contains("period=\"5.000001\"") && simso.contains("WCET=\"1.000001\""),
        "{simso}"
    );
}
