//! Task sets know where their WCETs were measured. A plan for another GPU gives a warning and has an unsafe assumption.

use std::path::Path;

use serde_json::{Value, json};

use super::run::{Kernel, Range, Run};
use super::tasks::{periodic, write};
use super::writers;
use crate::support::{run, run_with};

const SET: &str =
    r#"{"measured_on":{"gpu":"GPU","sms":SMS},"tasks":[{"period":"10ms","kind":"compute","wcet":"1ms"}]}"#;

fn set(gpu: &str, sms: u32) -> String {
    SET.replace("GPU", gpu).replace("SMS", &sms.to_string())
}

/// Returns the names and texts of the assumptions of the plan `text`.
fn assumptions(text: &str) -> Vec<(String, String)> {
    let plan: Value = serde_json::from_str(text).unwrap();
    let list = plan["assumptions"].as_array().unwrap();
    let field = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    list.iter()
        .map(|one| (field(one, "id"), field(one, "text")))
        .collect()
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_plan_for_another_gpu_says_so_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (gpu, sms, planned, other) in [
        ("NVIDIA Orin", 16, "orin", false),
        ("Orin", 8, "orin", true),
        ("NVIDIA Orin", 16, "thor", true),
        ("NVIDIA H100 80GB HBM3", 132, "h100", false),
        ("NVIDIA H100 80GB HBM3", 132, "h200", true),
        ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", 42, "a100", true),
    ] {
        let case = format!("{gpu} with {sms} SMs on {planned}");
        std::fs::write(path("set.json"), set(gpu, sms)).unwrap();
        let (set, plan) = (path("set.json"), path("plan.json"));
        // The option `--quiet` keeps the warning.
        let line = format!("partition {set} --gpu {planned} --granularity sm --policy np-edf -q -o {plan}");
        let answer = run(&line);
        assert_eq!(
            (
                answer.code,
                answer.stderr.contains("warning: the WCET of task `#0` is from")
            ),
            (0, other),
            "{case}"
        );
        let listed = assumptions(&std::fs::read_to_string(&plan).unwrap());
        let found = listed.iter().find(|(id, _)| id == "wcet-other-gpu");
        assert_eq!(found.is_some(), other, "{case}: {listed:?}");
        assert!(
            listed.iter().all(|(_, text)| !text.contains("GPU unknown")),
            "{case}: {listed:?}"
        );
        let answer = run(&format!("verify {plan} {set}"));
        assert_eq!(answer.code, 0, "{case}: {}{}", answer.stdout, answer.stderr);
        let answer = run(&format!("report {plan} {set} -q -o {}", path("plan.html")));
        assert_eq!(
            (answer.code, answer.stderr.starts_with("warning: the WCET")),
            (0, other),
            "{case}"
        );
        let page = std::fs::read_to_string(path("plan.html")).unwrap();
        assert!(page.contains("WCETs measured on"), "{case}");
        assert_eq!(page.contains("(another GPU)"), other, "{case}");
        let answer = run(&format!(
            "test {set} --gpu {planned} --policy np-edf --format json -q"
        ));
        assert_eq!(answer.stderr.contains("warning: the WCET"), other, "{case}");
        assert_eq!(answer.stdout.contains("wcet-other-gpu"), other, "{case}");
        // A number of SMs without a device is no other GPU.
        let answer = run(&format!("test {set} --sms 4 --policy np-edf --format json"));
        assert!(
            !answer.stderr.contains("warning") && !answer.stdout.contains("wcet-other-gpu"),
            "{case}"
        );
    }
}

#[test]
fn a_plan_without_the_assumption_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("set.json"), set("NVIDIA Orin", 16)).unwrap();
    let set = path("set.json").display().to_string();
    let line = format!("partition {set} --gpu thor --granularity sm --policy np-edf --format json -q");
    let mut plan: Value = serde_json::from_str(&run(&line).stdout).unwrap();
    let list = plan["assumptions"].as_array_mut().unwrap();
    list.retain(|one| one["id"] != "wcet-other-gpu");
    std::fs::write(path("plan.json"), plan.to_string()).unwrap();
    let answer = run(&format!("verify {} {set}", path("plan.json").display()));
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    assert!(answer.stdout.contains("wcet-other-gpu"), "{}", answer.stdout);
}

#[test]
fn unknown_names_are_not_compared_and_the_text_says_so() {
    for (measured, note, unknown) in [
        (r#""measured_on":{"gpu":"Some Board"},"#, true, true),
        (r#""measured_on":{"tool":"nsys"},"#, false, true),
        ("", false, true),
        (r#""measured_on":{"gpu":"orin"},"#, false, false),
    ] {
        let set = format!(r#"{{{measured}"tasks":[{{"period":"10ms","kind":"compute","wcet":"1ms"}}]}}"#);
        let answer = run_with(
            "partition - --gpu orin --granularity sm --policy np-edf --format json",
            set.as_str(),
        );
        let noted = answer.stderr.contains("gpusched does not know this name");
        assert_eq!((answer.code, noted), (0, note), "{set}: {}", answer.stderr);
        let listed = assumptions(&answer.stdout);
        let (_, text) = listed.iter().find(|(id, _)| id == "wcet-stated").unwrap();
        assert_eq!(text.contains("(1 of 1 task, GPU unknown)"), unknown, "{text}");
        // Without a device, the GPU is not in question.
        let answer = run_with("partition - --sms 4 --policy np-edf --format json", set.as_str());
        assert!(!answer.stdout.contains("GPU unknown"), "{set}");
    }
}

#[test]
fn a_task_overrides_its_set_and_bad_statements_are_errors() {
    let tasks = r#"{"measured_on":{"gpu":"orin"},"tasks":[
        {"period":"10ms","kind":"compute","wcet":"1ms"},
        {"name":"own","period":"10ms","kind":"memory","wcet":"1ms","measured_on":{"gpu":"thor"}}]}"#;
    for (gpu, named) in [("orin", "`own` is from `thor`"), ("thor", "`#0` is from `orin`")] {
        let answer = run_with(&format!("test - --gpu {gpu} --policy np-edf"), tasks);
        assert!(answer.stderr.contains(named), "{}", answer.stderr);
        assert!(answer.stdout.contains("(1 of 2 tasks)"), "{}", answer.stdout);
    }
    for (measured, wanted) in [
        (r#"{"samples":3}"#, "neither `gpu` nor `tool`"),
        (r#"{"gpu":"orin","sms":0}"#, "sms: found 0"),
        (r#"{"gpu":"orin","margin":0.5}"#, "margin: found 0.5"),
        (r#"{"gpu":"orin","date":"yesterday"}"#, "date: found"),
        (r#"{"gpu":"orin","warm_up":"soon"}"#, "a number of jobs"),
        (r#"{"gpu":"orin","clok":1}"#, "clok"),
        (r#""orin""#, "measured_on"),
    ] {
        for set in [
            format!(r#"{{"measured_on":{measured},"tasks":[{{"period":"10ms","wcet":"1ms"}}]}}"#),
            format!(r#"{{"tasks":[{{"period":"10ms","wcet":"1ms","measured_on":{measured}}}]}}"#),
        ] {
            let answer = run_with("test - --sms 1 --policy np-edf", set.as_str());
            assert_eq!(answer.code, 2, "{set}");
            assert!(answer.stderr.contains(wanted), "{set}: {}", answer.stderr);
        }
    }
}

/// The periodic run has jobs of two kernels, with 40 % and 60 % of the time of the job, and a gap of 5 us.
#[test]
fn recordings_state_their_gpu_their_rules_and_the_longest_block() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &[300, 100, 90, 80]);
    let out = folder.path().join("set.json");
    let line = format!(
        "recording tasks {file}@4 --warm-up 1 --margin 1.5 -q -o {}",
        out.display()
    );
    assert_eq!(run(&line).code, 0);
    let first = json_of(&out);
    let task = &first["tasks"][0];
    assert_eq!(task["wcet"], json!({"table": [[4, 157_500]]}));
    assert_eq!(task["block"], 90_000);
    let measured = &task["measured_on"];
    assert_eq!(measured["tool"].as_str().unwrap().split(' ').next(), Some("nsys"));
    assert_eq!(
        (
            &measured["samples"],
            &measured["margin"],
            &measured["warm_up"],
            measured.get("date")
        ),
        (&json!(3), &json!(1.5), &json!(1), None)
    );
    // The same recording gives the same bytes.
    let bytes = std::fs::read(&out).unwrap();
    assert_eq!(run(&line).code, 0);
    assert_eq!(std::fs::read(&out).unwrap(), bytes);
    // The margin is in the text of the assumption.
    let answer = run(&format!(
        "partition {} --sms 4 --policy np-edf -q --format json",
        out.display()
    ));
    let listed = assumptions(&answer.stdout);
    let (_, text) = listed.iter().find(|(id, _)| id == "wcet-measured").unwrap();
    assert!(
        text.contains("which is 1.5 times the longest measured time"),
        "{text}"
    );
}

/// One kernel per job has no block that is shorter than the kernel. The GPU of the file is in the task.
#[test]
fn jobs_of_one_kernel_have_no_block() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = Run {
        gpu: Some(("NVIDIA Orin", 16)),
        ..Run::default()
    };
    for job in 0..4 {
        let release = 1_000_000 * job;
        recorded.ranges.push(Range {
            name: format!("camera#{job}"),
            start: release,
            end: Some(release + 10_000),
            thread: 100,
        });
        recorded.kernels.push(Kernel {
            name: "k".to_owned(),
            start: release + 20_000,
            end: release + 120_000,
            device: 0,
            context: 1,
            green: 0,
            stream: 7,
            call: (release + 100, 100),
        });
    }
    let file = folder.path().join("run.sqlite");
    writers::sqlite(&file, &recorded, &writers::SCHEMAS[0]);
    let answer = run(&format!("recording tasks {} -q", file.display()));
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let task = &set["tasks"][0];
    assert_eq!(task.get("block"), None);
    assert_eq!(
        (&task["measured_on"]["gpu"], &task["measured_on"]["sms"]),
        (&json!("NVIDIA Orin"), &json!(16))
    );
    assert_eq!(task["measured_on"].get("warm_up"), None);
    let on = |gpu: &str| {
        run_with(
            &format!("test - --gpu {gpu} --policy np-edf -q"),
            answer.stdout.as_str(),
        )
        .stderr
    };
    assert_eq!(on("orin"), "");
    assert!(on("h100").contains("is from `NVIDIA Orin` with 16 SMs, but the GPU is `h100` with 132 SMs"));
}

/// A kernel of 7 ms is blocked by a task with one job of 20 ms, but not by the same job if it consists of short kernels.
#[test]
fn recorded_blocks_let_a_short_deadline_pass() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = Run::default();
    for job in 0..5 {
        let release = 100_000_000 * job;
        for (name, start, kernels, length) in
            [("short", 0, 1, 2_000_000), ("long", 30_000_000, 10, 2_000_000)]
        {
            let thread = 100 + kernels;
            recorded.ranges.push(Range {
                name: format!("{name}#{job}"),
                start: release + start,
                end: Some(release + start + 10_000),
                thread,
            });
            for kernel in 0..kernels {
                let begin = release + start + 20_000 + kernel * length;
                recorded.kernels.push(Kernel {
                    name: name.to_owned(),
                    start: begin,
                    end: begin + length,
                    device: 0,
                    context: 1,
                    green: 0,
                    stream: 7,
                    call: (release + start + 100, thread),
                });
            }
        }
    }
    let file = folder.path().join("run.sqlite");
    writers::sqlite(&file, &recorded, &writers::SCHEMAS[0]);
    let tasks = run(&format!(
        "recording tasks {}@4 --margin 1 --deadline short=10ms -q",
        file.display()
    ));
    assert_eq!(tasks.code, 0, "{}", tasks.stderr);
    let set: Value = serde_json::from_str(&tasks.stdout).unwrap();
    let blocks: Vec<Option<&Value>> = set["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task.get("block"))
        .collect();
    assert_eq!(blocks, [None, Some(&json!(2_000_000))]);
    let code = |policy: &str| {
        run_with(
            &format!("test - --sms 4 --policy {policy} -q"),
            tasks.stdout.as_str(),
        )
        .code
    };
    assert_eq!((code("np-edf"), code("lp-edf")), (1, 0));
}

/// A recording that breaks guarantees only in its first job gives a note that names the option.
#[test]
fn an_audit_points_to_the_warm_up() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "run.sqlite", &[300, 100, 90, 80]);
    let out = folder.path().join("set.json").display().to_string();
    assert_eq!(
        run(&format!("recording tasks {file}@4 --warm-up 1 -q -o {out}")).code,
        0
    );
    let audit = format!("recording audit {file}@4 --set {out}");
    let answer = run(&audit);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    let stated = "without the first job of each task, the run breaks no guarantee; the task set leaves out this warm-up, so only if \
                  these jobs need not meet deadlines, ignore them with `--warm-up 1`";
    assert!(answer.stderr.contains(stated), "{}", answer.stderr);
    assert_eq!(run(&format!("{audit} --warm-up 1")).code, 0);
    assert!(!answer.stderr.contains("early release"), "{}", answer.stderr);
    // A task set that does not state its warm-up.
    let mut set = json_of(Path::new(&out));
    set["tasks"][0].as_object_mut().unwrap().remove("measured_on");
    std::fs::write(&out, set.to_string()).unwrap();
    let answer = run(&audit);
    let guessed = "only if these jobs need not meet deadlines, ignore them with `--warm-up 1`";
    assert!(answer.stderr.contains(guessed), "{}", answer.stderr);
    // A good job before the slow one shows that the slow one is no warm-up, although the task set leaves out two jobs.
    let second = write(folder.path(), "second.sqlite", &[100, 300, 90, 80]);
    let two = folder.path().join("two.json").display().to_string();
    set["tasks"][0]["measured_on"] = json!({"tool": "nsys", "warm_up": 2});
    std::fs::write(&two, set.to_string()).unwrap();
    for (recorded, hinted) in [(&file, true), (&second, false)] {
        let answer = run(&format!("recording audit {recorded}@4 --set {two}"));
        let stated = answer.stderr.contains("`--warm-up 2`");
        assert_eq!(
            (answer.code, stated),
            (1, hinted),
            "{}{}",
            answer.stdout,
            answer.stderr
        );
    }
    // A later job also breaks its guarantee, so the warm-up is not the cause.
    let worse = write(folder.path(), "worse.sqlite", &[300, 100, 90, 280]);
    let answer = run(&format!("recording audit {worse}@4 --set {out}"));
    assert_eq!(
        (answer.code, answer.stderr.contains("--warm-up")),
        (1, false),
        "{}",
        answer.stderr
    );
}

/// The reason for one partition of all SMs is the measurement, and not the load.
#[test]
fn a_plan_says_that_only_the_whole_gpu_was_measured() {
    let plan = |first: u32, sms: u32, options: &str| {
        let set = json!({"measured_on": {"gpu": "NVIDIA Orin", "sms": 16}, "tasks": [
            {"period": "10ms", "kind": "compute", "wcet": {"table": [[first, "2ms"], [16, "1ms"]]}},
            {"name": "slow", "period": "10ms", "kind": "memory", "wcet": {"table": [[sms, "1ms"]]}},
        ]});
        let answer = run_with(
            &format!("partition - --gpu orin --granularity sm {options}"),
            set.to_string(),
        );
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stderr
    };
    let note = "note: task `slow` was measured only on the whole GPU, 16 SMs, so no partition of such a task is smaller; with \
                measurements on fewer SMs, a plan may need fewer SMs";
    assert!(plan(4, 16, "").contains(note), "{}", plan(4, 16, ""));
    for quiet in [plan(4, 8, ""), plan(4, 16, "-q")] {
        assert!(!quiet.contains("measured only"), "{quiet}");
    }
}

/// Newer exports state the identity of a GPU with its name, and older exports with the CUDA device.
#[test]
fn exports_of_nsys_state_the_identity_of_the_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let of_device = "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, numMultiprocessors INTEGER, uuid TEXT); \
                     INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 48, 'GPU-old')";
    let of_gpu = |uuid: &str| {
        format!("ALTER TABLE TARGET_INFO_GPU ADD uuid; UPDATE TARGET_INFO_GPU SET uuid = {uuid}")
    };
    let second = of_gpu("'GPU-1'") + "; INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA Test', 48, 'GPU-2')";
    let long = "x".repeat(101);
    for (index, (sql, shown, stated)) in [
        (of_gpu("'GPU-new'"), Some("GPU-new"), Some("GPU-new")),
        (of_device.to_owned(), Some("GPU-old"), Some("GPU-old")),
        (
            format!("{}; {of_device}", of_gpu("'GPU-new'")),
            Some("GPU-new"),
            Some("GPU-new"),
        ),
        (
            format!("{}; {of_device}", of_gpu("NULL")),
            Some("GPU-old"),
            Some("GPU-old"),
        ),
        (of_gpu("''"), None, None),
        (of_gpu("x'0102'"), None, None),
        (of_gpu(&format!("'{long}'")), Some(long.as_str()), None),
        // The kernels ran on GPU 0 of two.
        (second, Some("GPU-1"), Some("GPU-1")),
        (String::new(), None, None),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{index}.sqlite"));
        writers::sqlite(&file, &periodic(&[100, 100, 90]), &writers::SCHEMAS[0]);
        let file = file.display();
        rusqlite::Connection::open(file.to_string())
            .unwrap()
            .execute_batch(&sql)
            .unwrap();
        let summary = run(&format!("recording summary {file} --format json"));
        assert_eq!(summary.code, 0, "{sql}: {}", summary.stderr);
        let found: Value = serde_json::from_str(&summary.stdout).unwrap();
        assert_eq!(
            found["gpus"][0].get("uuid").and_then(Value::as_str),
            shown,
            "{sql}"
        );
        let text = run(&format!("recording summary {file}")).stdout;
        let line = shown.map_or("NVIDIA Test, 48 SMs\n".to_owned(), |uuid| {
            format!("NVIDIA Test, 48 SMs, {uuid}\n")
        });
        assert!(text.contains(&line), "{sql}: {text}");
        let tasks = run(&format!("recording tasks {file}@4 -q"));
        assert_eq!(tasks.code, 0, "{sql}: {}", tasks.stderr);
        let set: Value = serde_json::from_str(&tasks.stdout).unwrap();
        let measured = &set["tasks"][0]["measured_on"];
        assert_eq!(measured.get("uuid").and_then(Value::as_str), stated, "{sql}");
        assert_eq!(measured["gpu"], "NVIDIA Test", "{sql}");
    }
}
