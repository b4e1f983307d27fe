//! Measures the analysis of time slices and its verification: 1,000 tasks with one kernel each on 16 contexts. Run with
//! `cargo bench --bench contexts`. Every time is the least of three runs, on one thread.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::time::Instant;

use gpusched::end_to_end::analyze;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;
use gpusched::verification::verify_system;
use rand::{RngExt as _, SeedableRng as _};

const TASKS: usize = 1000;
const CONTEXTS: usize = 16;

fn main() {
    println!(
        "{:>8} {:>12} {:>12} {:>8}",
        "policy", "analysis [s]", "verify [s]", "bounded"
    );
    for policy in ["np-fifo", "fp", "np-fp", "edf", "np-edf"] {
        let system = draw(policy);
        let (mut analysis, mut verification) = (f64::INFINITY, f64::INFINITY);
        let mut bounded = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let answer = analyze(&system);
            analysis = analysis.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            verify_system(&answer, &system).unwrap();
            verification = verification.min(start.elapsed().as_secs_f64());
            bounded = answer.response_times_ns.iter().flatten().count();
        }
        println!("{policy:>8} {analysis:>12.3} {verification:>12.3} {bounded:>8}");
    }
}

/// Returns a system with a load of about 0.35. The slices are 1 ms, the overruns 10 µs, and a switch takes 20 µs.
fn draw(policy: &str) -> System {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let contexts = (0..CONTEXTS)
        .map(|context| {
            format!(r#"{{"name":"x{context}","slice":"1ms","overrun":"10us","policy":"{policy}"}}"#)
        })
        .collect::<Vec<String>>();
    let tasks = (0..TASKS)
        .map(|task| {
            let period = [1000, 2000, 5000, 10_000][rng.random_range(0..4usize)];
            let wcet = period * rng.random_range(200..500u64) / 1000;
            let context = task % CONTEXTS;
            format!(
                r#"{{"name":"t{task}","period":"{period}ms","priority":{task},"segments":[{{"on":"x{context}","wcet":"{wcet}us"}}]}}"#
            )
        })
        .collect::<Vec<String>>();
    let text = format!(
        r#"{{"partitions":[{{"name":"gpu","sms":8,"policy":"time-sliced","switch":"20us","contexts":[{}]}}],"tasks":[{}]}}"#,
        contexts.join(","),
        tasks.join(",")
    );
    let draft = Draft::from_json(&text).map_err(|(_, refusal)| refusal).unwrap();
    System::new(&draft, Interference::None).unwrap()
}
