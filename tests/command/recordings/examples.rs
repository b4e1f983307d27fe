//! The synthetic recordings in `tasksets/recordings/robot`, which the documentation uses. `GPUSCHED_UPDATE=1` writes them again.
//!
//! A robot has three tasks. Each task was "recorded" alone on 4, 8 and 12 SMs of an Orin, and together with the others on 8 SMs.
//! The last recording is a run of the plan. Kernel times are C(m) = a/m + b, shortened by up to 6 % at random.

use std::path::PathBuf;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::audits::simulate;
use super::run::{Kernel, Range, Run};
use super::writers::{SCHEMAS, sqlite};
use crate::support::{root, run};

/// Name, period, a and b of each task [us].
const TASKS: [(&str, i64, i64, i64); 3] = [
    ("camera", 33_000, 60_000, 2_000),
    ("lidar", 100_000, 180_000, 4_000),
    ("planner", 50_000, 40_000, 3_000),
];

/// Duration of each phase of a recording [us].
const PHASE: i64 = 1_000_000;

/// C(m) of task `index` on `sms` SMs [ns]. On 12 SMs, the planner uses a slower variant of its kernels.
fn wcet(index: usize, sms: u32) -> i64 {
    let (name, _, a, b) = TASKS[index];
    let slower = if name == "planner" && sms == 12 { 1_400 } else { 0 };
    1_000 * (a / i64::from(sms) + b + slower)
}

/// Adds the jobs of task `index` from `start` to `end` [us], with three kernels per job.
fn jobs(run: &mut Run, rng: &mut ChaCha8Rng, index: usize, (start, end): (i64, i64), longest: i64) {
    let (name, period, _, _) = TASKS[index];
    let mut release = 1_000 * start;
    let mut number = 0;
    while release < 1_000 * end {
        let late = rng.random_range(0..120_000);
        let thread = 4_000 + index as i64;
        // The first job of a phase compiles kernels, and takes three times as long.
        let longest = if number == 0 { 3 * longest } else { longest };
        let total = longest - rng.random_range(0..longest / 16);
        let mut now = release + late + 60_000;
        for (part, share) in [3, 5, 2].into_iter().enumerate() {
            let length = total * share / 10;
            run.kernels.push(Kernel {
                name: format!("void {name}::stage{part}<float>(float const*, float*, int)"),
                start: now,
                end: now + length,
                device: 0,
                context: 1,
                green: 0,
                stream: 13 + index as i64,
                call: (release + late + 10_000 * (1 + part as i64), thread),
            });
            now += length + 4_000;
        }
        run.ranges.push(Range {
            name: format!("{name}#{number}"),
            start: release + late,
            end: Some(now + 20_000),
            thread,
        });
        release += 1_000 * period;
        number += 1;
    }
}

fn alone(sms: u32) -> Run {
    let (mut run, mut rng) = (Run::default(), ChaCha8Rng::seed_from_u64(u64::from(sms)));
    for index in 0..TASKS.len() {
        let start = PHASE * index as i64;
        jobs(
            &mut run,
            &mut rng,
            index,
            (start, start + PHASE),
            wcet(index, sms),
        );
    }
    run
}

fn together(sms: u32) -> Run {
    let (mut run, mut rng) = (Run::default(), ChaCha8Rng::seed_from_u64(99));
    for index in 0..TASKS.len() {
        jobs(&mut run, &mut rng, index, (0, PHASE), wcet(index, sms) * 13 / 10);
    }
    run
}

fn deployed() -> Run {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("robot.json");
    let recordings = "tasksets/recordings/robot";
    let line = format!(
        "recording tasks {recordings}/alone-4.sqlite@4 {recordings}/alone-8.sqlite@8 {recordings}/alone-12.sqlite@12 \
         --conflict {recordings}/together-8.sqlite@8 --warm-up 1 --gaps separate -q -o {}",
        set.display()
    );
    assert_eq!(run(&line).code, 0);
    let gpu = "--gpu orin --granularity green-context";
    simulate(set.to_str().unwrap(), gpu, "--duration 1s --times short").run
}

#[test]
fn recordings_of_the_robot_are_as_described() {
    let folder = root().join("tasksets/recordings/robot");
    let update = std::env::var_os("GPUSCHED_UPDATE").is_some();
    type Recorded = (&'static str, fn() -> Run);
    let runs: [Recorded; 5] = [
        ("alone-4", || alone(4)),
        ("alone-8", || alone(8)),
        ("alone-12", || alone(12)),
        ("together-8", || together(8)),
        ("deployed", deployed),
    ];
    for (name, create) in runs {
        let path: PathBuf = folder.join(format!("{name}.sqlite"));
        let recorded = Run {
            gpu: Some(("Orin (synthetic)", 16)),
            ..create()
        };
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            let _ = std::fs::remove_file(&path);
            sqlite(&path, &recorded, &SCHEMAS[4]);
        }
        let answer = run(&format!("recording summary {} --format json", path.display()));
        let answer: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let counts = recorded
            .kernels
            .iter()
            .map(|kernel| kernel.end - kernel.start)
            .sum::<i64>();
        let total: i64 = answer["kernels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kernel| kernel["total_ns"].as_i64().unwrap())
            .sum();
        assert_eq!(
            (answer["launches"].as_u64(), total),
            (Some(recorded.kernels.len() as u64), counts),
            "{name}"
        );
    }
}
