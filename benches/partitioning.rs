//! Measures the speed of the partitioning heuristics and of the task-set generator. Run with
//! `cargo bench --bench partitioning`.
//!
//! SMS-INA and its reference implementation run in turn on batches of the same sets, so that a
//! ratio of times is meaningful on a noisy machine. The two implementations must return the same
//! plans. Every figure is the median over sets and repetitions, on one thread. All sets have
//! proportional WCETs, EDF, D = 0.75 T, and U = 50 per 68 SMs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../tests/oracle/mod.rs"]
mod oracle;

use gpusched::interference::model_of;
use std::hint::black_box;
use std::time::Instant;

use gpusched::generation::{Recipe, Source, WcetModel, uunifast};
use gpusched::interference::Interference;
use gpusched::model::{Plan, Policy, TaskSet};
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::{Heuristic, HeuristicKind, Options, Problem, partition};
use rand::SeedableRng;

const SMS: u32 = 68;

fn main() {
    println!("SMS-INA against the plain transcription, M = {SMS}: median time per set [µs]\n");
    println!(
        "{:>5} {:>6} {:>12} {:>14} {:>7}",
        "n", "sets", "gpusched", "transcription", "ratio"
    );
    for (tasks, sets, repetitions) in [(50, 20, 15), (100, 8, 5), (200, 4, 3)] {
        compare(tasks, sets, repetitions);
    }

    println!("\nGrowth in n, M = {SMS}: median time per set [µs], and merges tried\n");
    header("n");
    for tasks in [25, 50, 100, 200, 400] {
        growth(tasks, tasks, SMS);
    }

    println!("\nGrowth in M, n = 100: median time per set [µs], and merges tried\n");
    header("M");
    for sms in [17, 34, 68, 136, 272] {
        growth(sms as usize, 100, sms);
    }

    println!("\nUUniFast: median vectors per second\n");
    println!("{:>5} {:>14}", "n", "vectors/s");
    for tasks in [10, 50, 200] {
        println!("{tasks:>5} {:>14.0}", uunifast_rate(tasks));
    }
}

fn draw(tasks: usize, sms: u32, sets: u64) -> Vec<TaskSet> {
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let utilization = 50.0 * f64::from(sms) / f64::from(SMS);
    let source = Source::new(&recipe, tasks, utilization, 1).expect("a valid recipe");
    (0..sets)
        .map(|set| source.draw(50, set).expect("a task set"))
        .collect()
}

/// Returns the plans of `sets`, and the time of each search [µs].
fn plans(sets: &[TaskSet], sms: u32, heuristic: &Heuristic, times: &mut Vec<f64>) -> Vec<Plan> {
    sets.iter()
        .map(|set| {
            let start = Instant::now();
            let problem =
                Problem::new(set, sms, Policy::Edf, model_of(Interference::Conflict)).expect("a problem");
            let plan = black_box(partition(&problem, heuristic));
            times.push(start.elapsed().as_secs_f64() * 1e6);
            plan
        })
        .collect()
}

fn compare(tasks: usize, sets: u64, repetitions: usize) {
    let sets = draw(tasks, SMS, sets);
    let heuristic = Heuristic::from(HeuristicKind::Sms);
    let (mut library, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..repetitions {
        let plans = plans(&sets, SMS, &heuristic, &mut library);
        for (set, plan) in sets.iter().zip(plans) {
            let start = Instant::now();
            let machine = oracle::transcription::machine(set, SMS, Policy::Edf, Interference::Conflict);
            let answer = black_box(machine.partition_and_allocate(&heuristic));
            reference.push(start.elapsed().as_secs_f64() * 1e6);

            let same = plan
                .partitions
                .iter()
                .map(|p| (p.sms, &p.tasks))
                .eq(answer.parts.iter().map(|p| (p.sms, &p.tasks)));
            assert!(same && plan.schedulable == answer.schedulable, "the plans differ");
            assert_eq!(plan.stats.merges_tested, answer.merges, "the merges differ");
        }
    }
    let (library, reference) = (median(library), median(reference));
    println!(
        "{tasks:>5} {:>6} {library:>12.0} {reference:>14.0} {:>7.1}",
        sets.len(),
        reference / library
    );
}

fn heuristics() -> [(&'static str, Heuristic); 7] {
    let active = Options {
        forbidden: Some(Forbidden::Act),
        ..Options::default()
    };
    let active = |kind: HeuristicKind| kind.with(&active).expect("options with an effect");
    [
        ("SMS-INA", HeuristicKind::Sms.into()),
        ("SMS-ACT", active(HeuristicKind::Sms)),
        ("BF-INA", HeuristicKind::Bf.into()),
        ("BF-ACT", active(HeuristicKind::Bf)),
        ("1G", HeuristicKind::OneGpu.into()),
        ("FFD", HeuristicKind::Ffd.into()),
        ("WFD", HeuristicKind::Wfd.into()),
    ]
}

fn header(axis: &str) {
    print!("{axis:>5}");
    for (name, _) in heuristics() {
        print!(" {name:>9}");
    }
    println!(" {:>13} {:>13}", "SMS-INA tries", "BF-INA tries");
}

fn growth(value: usize, tasks: usize, sms: u32) {
    let sets = draw(tasks, sms, 10);
    print!("{value:>5}");
    let mut tries = Vec::new();
    for (_, heuristic) in heuristics() {
        let (mut times, mut merges) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let plans = plans(&sets, sms, &heuristic, &mut times);
            merges.extend(plans.iter().map(|plan| plan.stats.merges_tested as f64));
        }
        print!(" {:>9.0}", median(times));
        tries.push(median(merges));
    }
    println!(" {:>13.0} {:>13.0}", tries[0], tries[2]);
}

fn uunifast_rate(tasks: usize) -> f64 {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut shares = vec![0.0; tasks];
    let vectors = 2_000_000 / tasks;
    let rates = (0..9)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..vectors {
                uunifast::fill(&mut rng, 34.0, &mut shares);
                black_box(&shares);
            }
            vectors as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    median(rates)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
