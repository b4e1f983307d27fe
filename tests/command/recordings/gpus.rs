//! In a recording of several GPUs, sizes, names and notes are about the GPU that ran the jobs. No job is on two GPUs.

use std::path::Path;

use serde_json::{Value, json};

use super::run::{Kernel, Range, Run};
use super::writers;
use crate::support::run;

/// The GPUs 0 and 1 of all files here.
const GPUS: [(&str, u32); 2] = [("NVIDIA A100", 108), ("NVIDIA L4", 58)];

/// Jobs of two kernels with a period of 1 ms. `device` returns the GPU of a kernel from the number of its job and its own number.
fn jobs(name: &str, thread: i64, device: impl Fn(i64, i64) -> i64) -> Run {
    let mut run = Run::default();
    for job in 0..8 {
        let release = 1_000_000 * job;
        run.ranges.push(Range {
            name: format!("{name}#{job}"),
            start: release,
            end: Some(release + 10_000),
            thread,
        });
        run.kernels.extend([0, 1].map(|number| Kernel {
            name: format!("k{number}"),
            start: release + 20_000 + 60_000 * number,
            end: release + 70_000 + 60_000 * number,
            device: device(job, number),
            context: 1,
            green: 0,
            stream: thread - 93,
            call: (release + 1_000 + number, thread),
        }));
    }
    run
}

/// Writes `run` in each format that states the GPUs of launches and of ranges, with the GPUs of [`GPUS`].
fn files(folder: &Path, run: &Run) -> [String; 2] {
    let [sqlite, trace] = ["run.sqlite", "run.json"].map(|name| folder.join(name));
    let _ = std::fs::remove_file(&sqlite);
    writers::sqlite(&sqlite, run, &writers::SCHEMAS[0]);
    let database = rusqlite::Connection::open(&sqlite).unwrap();
    database.execute_batch("DELETE FROM TARGET_INFO_GPU").unwrap();
    writers::kineto(&trace, run, false, false);
    let mut properties = Vec::new();
    for (id, (name, sms)) in GPUS.iter().enumerate() {
        let row = format!("INSERT INTO TARGET_INFO_GPU VALUES ({id}, '{name}', {sms})");
        database.execute_batch(&row).unwrap();
        properties.push(format!(
            "{{\"id\": {id}, \"name\": \"{name}\", \"numSms\": {sms}}}"
        ));
    }
    let text = std::fs::read_to_string(&trace).unwrap();
    let (before, after) = text.split_once("\"deviceProperties\": [").unwrap();
    let (_, after) = after.split_once("],\n").unwrap();
    let text = format!(
        "{before}\"deviceProperties\": [{}],\n{after}",
        properties.join(", ")
    );
    std::fs::write(&trace, text).unwrap();
    [sqlite, trace].map(|path| path.display().to_string())
}

#[test]
fn jobs_on_two_gpus_are_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut both = jobs("detector", 100, |_, kernel| kernel);
    let other = jobs("lidar", 101, |_, _| 0);
    both.kernels.extend(other.kernels);
    both.ranges.extend(other.ranges);
    for file in files(folder.path(), &both) {
        let answer = run(&format!("recording tasks {file}@16 --warm-up 1"));
        let found = "found 7 jobs of \"detector\" with kernels on the GPUs 0 and 1, expected jobs with all kernels on one GPU";
        assert!(
            answer.code == 2 && answer.stderr.contains(found),
            "{}",
            answer.stderr
        );
        assert!(answer.stderr.contains("--name"), "{}", answer.stderr);
        let answer = run(&format!("recording tasks {file} --warm-up 1 --name lidar"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(set["tasks"][0]["wcet"]["table"][0][0], 108, "{file}");
        // An audit finds these jobs, with and without a plan.
        let [set, plan] = ["set.json", "plan.json"].map(|name| folder.path().join(name));
        std::fs::write(&set, TWO).unwrap();
        let [set, plan] = [&set, &plan].map(|path| path.display().to_string());
        assert_eq!(run(&format!("partition {set} --sms 32 -q -o {plan}")).code, 0);
        let audit = run(&format!("recording audit {file}@16 --set {set}"));
        let detail = "ran on the GPUs 0 and 1, but a partition is on one GPU";
        assert!(
            audit.code == 1 && audit.stdout.contains(detail),
            "{}",
            audit.stdout
        );
        let audit = run(&format!("recording audit {file} --set {set} --plan {plan}"));
        let detail = "ran in context 1 of GPU 1, but the partition is context 1 of GPU 0";
        assert!(
            audit.code == 1 && audit.stdout.contains(detail),
            "{}",
            audit.stdout
        );
    }
}

const TWO: &str = r#"{"tasks":[{"name":"detector","period":"1ms","wcet":{"table":[[16,"300us"]]}},
    {"name":"lidar","period":"1ms","wcet":{"table":[[16,"300us"]]}}]}"#;

#[test]
fn sizes_and_names_are_those_of_the_gpu_that_ran_the_jobs() {
    let folder = tempfile::tempdir().unwrap();
    for (device, &(name, sms)) in GPUS.iter().enumerate() {
        for file in files(folder.path(), &jobs("detector", 100, |_, _| device as i64)) {
            for (size, stated) in [
                (String::new(), sms),
                ("@16".to_owned(), 16),
                ("@50%".to_owned(), sms / 2),
            ] {
                let answer = run(&format!("recording tasks {file}{size}"));
                assert_eq!(answer.code, 0, "{file}{size}: {}", answer.stderr);
                let set: Value = serde_json::from_str(&answer.stdout).unwrap();
                let task = &set["tasks"][0];
                assert_eq!(task["wcet"]["table"][0][0], stated, "{file}{size}");
                let measured = &task["measured_on"];
                assert_eq!(
                    [&measured["gpu"], &measured["sms"]],
                    [&json!(name), &json!(sms)],
                    "{file}{size}"
                );
            }
            // A size above the number of SMs of this GPU is wrong, also if the other GPU is larger.
            let answer = run(&format!("recording tasks {file}@{}", sms + 1));
            assert_eq!(answer.code, 2, "{file}: {}", answer.stdout);
            // An audit assumes this GPU.
            let set = folder.path().join("set.json");
            std::fs::write(&set, TWO).unwrap();
            let audit = run(&format!("recording audit {file} --set {}", set.display()));
            let note = format!("gpusched assumes the whole GPU, {sms} SMs");
            assert!(audit.stderr.contains(&note), "{}", audit.stderr);
        }
    }
    // Files of other tools, where each launch is a job.
    let run_on = |device| jobs("detector", 100, move |_, _| device);
    let [trace, agents] = ["kernels.csv", "agents.json"].map(|name| folder.path().join(name));
    for (device, &(name, sms)) in GPUS.iter().enumerate() {
        writers::rocprofv3(&agents, &run_on(device as i64), false);
        let text = std::fs::read_to_string(&agents).unwrap();
        let listed = GPUS.iter().enumerate().map(|(id, (name, sms))| {
            format!("{{\"id\": {{\"handle\": {id}}}, \"type\": 2, \"cu_count\": {sms}, \"product_name\": \"{name}\"}}")
        });
        let (before, after) = text.split_once("{\"type\": 2").unwrap();
        let (_, after) = after.split_once('}').unwrap();
        let text = format!("{before}{}{after}", listed.collect::<Vec<String>>().join(", "));
        std::fs::write(&agents, text).unwrap();
        let answer = run(&format!("recording tasks {} --by kernel", agents.display()));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(set["tasks"][0]["wcet"]["table"][0][0], sms);
        assert_eq!(set["tasks"][0]["measured_on"]["gpu"], name);
    }
    let mut both = run_on(0);
    both.kernels
        .iter_mut()
        .for_each(|kernel| kernel.name = "on 0".to_owned());
    both.kernels.extend(run_on(1).kernels);
    writers::gpu_trace(&trace, &both, "ns");
    let text = std::fs::read_to_string(&trace).unwrap();
    let text = text
        .replace("NVIDIA Test (0)", "NVIDIA A100 (0)")
        .replace("NVIDIA Test (1)", "NVIDIA L4 (1)");
    std::fs::write(&trace, text).unwrap();
    let answer = run(&format!("recording tasks {}@16 --by kernel", trace.display()));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    for (task, name) in [(0, "NVIDIA A100"), (1, "NVIDIA L4")] {
        assert_eq!(set["tasks"][task]["measured_on"]["gpu"], name, "{set}");
    }
    // Each job on one of two different GPUs: their times are not one C(m).
    for file in files(folder.path(), &jobs("detector", 100, |job, _| job % 2)) {
        let answer = run(&format!("recording tasks {file}"));
        let found = "several GPUs with different numbers of SMs";
        assert!(
            answer.code == 2 && answer.stderr.contains(found),
            "{}",
            answer.stderr
        );
        let answer = run(&format!("recording tasks {file}@16"));
        let found = "recordings of `NVIDIA A100` and of `NVIDIA L4`";
        assert!(
            answer.code == 2 && answer.stderr.contains(found),
            "{}",
            answer.stderr
        );
        let audit = run(&format!(
            "recording audit {file} --set {}",
            folder.path().join("set.json").display()
        ));
        assert!(
            !audit.stderr.contains("assumes the whole GPU"),
            "{}",
            audit.stderr
        );
        assert!(
            audit.stdout.contains("the number of SMs of the run is unknown"),
            "{}",
            audit.stdout
        );
    }
}

#[test]
fn only_kernels_of_one_gpu_interfere() {
    let folder = tempfile::tempdir().unwrap();
    for (device, interfere) in [(0, true), (1, false)] {
        let mut both = jobs("detector", 100, |_, _| 0);
        let other = jobs("lidar", 101, |_, _| device);
        both.kernels.extend(other.kernels);
        both.ranges.extend(other.ranges);
        for file in files(folder.path(), &both) {
            let answer = run(&format!("recording tasks {file}@16"));
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            let note = "kernels of \"detector\", \"lidar\" ran at the same time on one GPU";
            assert_eq!(answer.stderr.contains(note), interfere, "{}", answer.stderr);
        }
    }
}
