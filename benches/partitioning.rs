//! Speed of the partitioning search against the plain transcription that the tests use as oracle, in one run, so that a
//! ratio is meaningful on a noisy machine; and of the generator. `cargo bench`
//!
//! Every figure is the median over repetitions; both programs take turns on the same sets and must give the same plans.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // failing loudly is a test's job

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use std::hint::black_box;
use std::time::Instant;

use gpusched::generation::{Recipe, Source, WcetModel, uunifast};
use gpusched::interference::Interference;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use rand::SeedableRng;

fn main() {
    println!("SMS-INA, proportional/EDF, U = 50, M = 68, one thread; median time per set [µs]\n");
    println!(
        "{:>5} {:>6} {:>12} {:>14} {:>7}",
        "n", "sets", "gpusched", "transcription", "ratio"
    );
    for (tasks, sets, repetitions) in [(50, 20, 5), (200, 4, 3)] {
        compare(tasks, sets, repetitions);
    }
    println!("\nUUniFast, one thread; median vectors per second\n");
    println!("{:>5} {:>14}", "n", "vectors/s");
    for tasks in [10, 50, 200] {
        println!("{tasks:>5} {:>14.0}", uunifast_rate(tasks));
    }
}

fn compare(tasks: usize, sets: u64, repetitions: usize) {
    let recipe = Recipe {
        wcet: WcetModel::Proportional,
        ..Recipe::default()
    };
    let source = Source::new(&recipe, tasks, 50.0, 1).expect("a valid recipe");
    let sets: Vec<TaskSet> = (0..sets)
        .map(|set| source.draw(50, set).expect("a task set"))
        .collect();
    let heuristic = Heuristic::from(HeuristicKind::Sms);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..repetitions {
        for set in &sets {
            let start = Instant::now();
            let problem = Problem::new(set, 68, Policy::Edf, Interference::Conflict.model()).expect("68 SMs");
            let plan = black_box(partition(&problem, &heuristic));
            ours.push(start.elapsed().as_secs_f64() * 1e6);

            let start = Instant::now();
            let machine = oracle::transcription::machine(set, 68, Policy::Edf, Interference::Conflict);
            let answer = black_box(machine.partition_and_allocate(&heuristic));
            theirs.push(start.elapsed().as_secs_f64() * 1e6);

            let same = plan
                .partitions
                .iter()
                .map(|p| (p.sms, &p.tasks))
                .eq(answer.parts.iter().map(|p| (p.sms, &p.tasks)));
            assert!(same && plan.schedulable == answer.schedulable, "the plans differ");
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{tasks:>5} {:>6} {ours:>12.0} {theirs:>14.0} {:>7.1}",
        sets.len(),
        theirs / ours
    );
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
