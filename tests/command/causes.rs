//! Promise: a refusal, a negative result in a file, and a doubtful input name their cause.
#![cfg(feature = "cli")]

use std::path::Path;

use crate::support::{ADAS, Answer, run};

const SYSTEM: &str = "tasksets/end_to_end/waters2019-alternatives.json";

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[track_caller]
fn says(answer: &Answer, code: i32, parts: &[&str]) {
    let text = answer.stdout.clone() + &answer.stderr;
    assert_eq!(answer.code, code, "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn a_table_above_the_largest_partition_names_the_granularity() {
    let folder = tempfile::tempdir().unwrap();
    let set = |sms: u32| {
        let text =
            format!(r#"{{"tasks":[{{"name":"a","period":"33ms","wcet":{{"table":[[{sms},"2ms"]]}}}}]}}"#);
        write(folder.path(), &format!("{sms}.json"), &text)
    };
    let green = |sms| {
        run(&format!(
            "partition {} --gpu h100 --granularity green-context",
            set(sms)
        ))
    };
    says(&green(128), 0, &["SCHEDULABLE on 128 of 132 SMs"]);
    says(
        &green(130),
        1,
        &[
            "starts above the largest partition, so its WCET is unknown",
            "The first WCET of task `a` is for 130 SMs. The GPU has 132 SMs, but a partition of granularity green-context has at most 128",
        ],
    );
    let answer = run(&format!("partition {} --sms 8", set(130)));
    says(
        &answer,
        1,
        &["The first WCET of task `a` is for 130 SMs, but the GPU has 8 SMs."],
    );
}

#[test]
fn a_file_without_a_plan_comes_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    let partition = |more: &str| run(&format!("partition {ADAS} {more} -o {}", plan.display()));
    for (more, parts) in [
        (
            "--sms 4",
            &[
                "note: NOT SCHEDULABLE: ",
                "Lemma 1",
                "1.424 more than the GPU has",
            ][..],
        ),
        (
            "--sms 7 --heuristic ffd",
            &["note: NO PLAN FOUND by heuristic `ffd`"],
        ),
    ] {
        let answer = partition(more);
        says(&answer, 1, parts);
        assert!(answer.stdout.is_empty() && plan.exists());
    }
    for more in ["--sms 4 -q", "--sms 10 -q", "--sms 10"] {
        let answer = partition(more);
        assert!(
            !answer.stderr.contains("PLAN") && !answer.stderr.contains("SCHEDULABLE"),
            "{answer:?}"
        );
    }
}

#[test]
fn a_plan_of_another_set_or_of_a_system_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (plan, of_system) = (path("plan.json"), path("system.json"));
    assert_eq!(run(&format!("partition {ADAS} --sms 12 -q -o {plan}")).code, 0);
    assert_eq!(
        run(&format!("partition {SYSTEM} --sms 16 -q -o {of_system}")).code,
        0
    );
    let fewer = "tasksets/tasksets/shared-memory.json";
    let hint = "hint: write the plan again for this task set; `gpusched verify --identity logical` lists all differences";
    says(
        &run(&format!("verify {plan} {fewer}")),
        1,
        &[
            "found `shared-memory`, expected `adas`, the name in the identity",
            hint,
        ],
    );
    says(
        &run(&format!("run {plan} {fewer} --backend simulated")),
        2,
        &[
            "found `shared-memory`, expected `adas`, the name in the identity",
            hint,
        ],
    );
    // The same number of tasks, with other periods.
    let text = std::fs::read_to_string(crate::support::root().join(ADAS)).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
    for task in other["tasks"].as_array_mut().unwrap() {
        task["period"] = "12ms".into();
        task.as_object_mut().unwrap().remove("deadline");
    }
    let other = write(folder.path(), "other.json", &other.to_string());
    says(
        &run(&format!("verify {plan} {other}")),
        1,
        &[
            "REFUSED at identity.tasks[0]: found another period, deadline or jitter",
            hint,
        ],
    );
    says(
        &run(&format!("run {plan} {other} --backend simulated")),
        2,
        &[hint],
    );
    // The hint is only about partitions.
    let answer = run(&format!("verify {plan} {ADAS} --sms 11"));
    assert!(answer.code != 0 && !answer.stdout.contains(hint), "{answer:?}");
    for command in ["verify", "run --backend simulated", "what-if"] {
        let answer = run(&format!("{command} {of_system} {ADAS}"));
        says(
            &answer,
            2,
            &[
                "looks like an end-to-end plan",
                "hint: give an end-to-end plan to `gpusched verify`, with its system",
            ],
        );
    }
    let answer = run(&format!("run {plan} {SYSTEM} --backend simulated"));
    says(&answer, 2, &["looks like an end-to-end system"]);
}

#[test]
fn overheads_of_another_gpu_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, device: &str| {
        let text = format!(r#"{{"occupancy_ns":"30us","wake_ns":"10us","device":"{device}"}}"#);
        write(folder.path(), name, &text)
    };
    let drawn = file("virtual.json", "virtual time");
    let measured = |name: &str, more: &str| {
        let both = r#""occupancy_ns":"30us","wake_ns":"10us","longest":"29us","device":"#;
        write(folder.path(), name, &format!("{{{both}{more}}}"))
    };
    let without = measured("without.json", r#""NVIDIA H100""#);
    let with = measured("with.json", r#""NVIDIA H100","timer_ns":"1us""#);
    let drawn_longest = measured("drawn.json", r#""virtual time""#);
    let orin = file("orin.json", "Orin");
    let h100 = file("h100.json", "NVIDIA H100 80GB HBM3");
    let unknown = file("unknown.json", "Some card");
    let set = write(
        folder.path(),
        "set.json",
        r#"{"measured_on":{"gpu":"NVIDIA H100"},"tasks":[{"name":"a","period":"33ms","wcet":"2ms","wcet_source":"measured"}]}"#,
    );
    let noted = |more: &str, overheads: &str| {
        let answer = run(&format!("partition {set} {more} --overheads {overheads}"));
        let lines = answer
            .stderr
            .lines()
            .filter(|line| line.contains("the overheads were"));
        (
            answer.code,
            lines.map(str::to_owned).collect::<Vec<String>>().join("\n"),
        )
    };
    let virtual_time = "note: the overheads were drawn in virtual time, so they say nothing about a GPU";
    assert_eq!(noted("--sms 8", &drawn), (0, virtual_time.to_owned()));
    assert_eq!(noted("--sms 8 -q", &drawn), (0, String::new()));
    assert_eq!(noted("--sms 8", &drawn_longest), (0, virtual_time.to_owned()));
    let timer = "note: the overheads were measured without the step of the timer (`timer_ns`), so the bound per job may be too low by one step";
    assert_eq!(noted("--sms 8", &without), (0, timer.to_owned()));
    assert_eq!(noted("--sms 8", &with), (0, String::new()));
    // The refusal needs no driver: it comes before the plan is read.
    let line = format!("run missing.json {set} --backend cuda --overheads {drawn}");
    says(
        &run(&line),
        2,
        &[
            "--overheads: found virtual time, expected overheads of a GPU",
            "measure overhead",
        ],
    );
    let other = "note: the overheads were measured on `Orin`, but the WCETs are from `NVIDIA H100`; they can be longer there";
    assert_eq!(noted("--sms 8", &orin), (0, other.to_owned()));
    let other =
        "note: the overheads were measured on `Orin`, but the GPU is `h100`; they can be longer there";
    assert_eq!(noted("--gpu h100", &orin), (0, other.to_owned()));
    for (more, overheads) in [
        ("--gpu h100", &h100),
        ("--sms 8", &h100),
        ("--gpu h100", &unknown),
        ("--sms 8", &unknown),
    ] {
        assert_eq!(noted(more, overheads), (0, String::new()), "{more} {overheads}");
    }
}

#[test]
fn times_with_warm_caches_only_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let fit = |rows: &[&str]| {
        let text = format!("sms,time_us,contention,cache\n{}\n", rows.join("\n"));
        let file = write(folder.path(), "times.csv", &text);
        run(&format!("wcet fit {file} --period 1ms"))
    };
    let note = |sms: &str| format!("all isolated times on {sms} SMs are with warm caches");
    let both = fit(&[
        "4,80,isolated,warm",
        "4,95,isolated,cold",
        "8,60,isolated,cold",
        "8,50,isolated,warm",
    ]);
    says(&both, 0, &["\"wcet\":{\"table\":[[4,95000],[8,60000]]}"]);
    assert!(!both.stderr.contains("warm caches"), "{}", both.stderr);
    let some = fit(&[
        "4,80,isolated,warm",
        "8,60,isolated,cold",
        "8,50,isolated,warm",
        "12,40,isolated,warm",
    ]);
    says(&some, 0, &[&note("4, 12"), "`measure kernel --cold`"]);
    // Jobs in conflict follow a job of another kernel.
    let conflict = fit(&["4,80,isolated,cold", "4,90,conflict,warm"]);
    assert!(!conflict.stderr.contains("warm caches"), "{}", conflict.stderr);
    let unstated = fit(&["4,80,isolated,", "8,70,isolated,"]);
    assert!(!unstated.stderr.contains("warm caches"), "{}", unstated.stderr);
}

#[test]
fn files_without_kernels_name_what_to_record() {
    let folder = tempfile::tempdir().unwrap();
    let header = "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"";
    let markers = format!("{header}\n\"MARKER_CORE_API\",\"step\",100,101,1,1000,2000\n");
    let counters = "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
                    \"0\",\"10\",\"k\",\"1\",\"7\",\"duration\",\"ns\",\"12001\"\n";
    let sums = "Total Time (ns),Instances,Min (ns),Max (ns),Range\n1000,1,1000,1000,step\n";
    for (name, text, hint) in [
        (
            "markers.csv",
            markers.as_str(),
            "hint: record kernels: `rocprofv3 --kernel-trace",
        ),
        (
            "counters.csv",
            counters,
            "hint: Nsight Compute states no start of a kernel",
        ),
        (
            "sums.csv",
            sums,
            "hint: add the report of all launches, `nsys stats --report cuda_gpu_trace",
        ),
    ] {
        let file = write(folder.path(), name, text);
        for by in ["range", "kernel", "stream"] {
            says(&run(&format!("recording tasks {file}@8 --by {by}")), 2, &[hint]);
        }
    }
}
