//! Checks Lemma 1 in a million random runs, and measures the speed of simulations of whole
//! kernels. Run with `cargo bench --bench regulation`, or with `-- RUNS SEED` for another number
//! of random runs and another seed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../tests/analysis/bandwidth/cases.rs"]
mod cases;
#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../tests/analysis/kernel_wcet"]
mod kernel_wcet {
    pub mod random;
}

use std::time::Instant;

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::{Factor, Kernel, Straddling};
use gpusched::simulator::regulation::{AccessPattern, BlockTimes, Setting, Simulator};
use rayon::prelude::*;

/// Number of runs that use one stream of random numbers.
const CHUNK: u64 = 1_000;

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok());
    let (runs, seed) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(1));
    lemma(runs, seed);
    speed(2_500);
}

fn lemma(runs: u64, seed: u64) {
    let start = Instant::now();
    let chunks = (0..runs.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
        let mut rng = kernel_wcet::random::rng(seed.wrapping_mul(1 << 32) + chunk);
        let (mut late, mut worst, mut raised, mut periods) = ([0u64; 4], 0.0f64, 0u64, 0u64);
        for run in chunk * CHUNK..runs.min((chunk + 1) * CHUNK) {
            let case = cases::Case::new(&mut rng, seed, run, &AccessPattern::ALL);
            let found = case.run(&mut case.allocator.clone(), false);
            let policy = BudgetPolicy::ALL
                .iter()
                .position(|&policy| policy == case.policy)
                .unwrap();
            late[policy] += u64::from(found.late);
            worst = worst.max(found.finish / case.allocator.deadline().ns() as f64);
            let nominal = case.allocator.nominal().ns() as f64 / case.allocator.period().ns() as f64;
            raised += u64::from(found.q_mean > nominal + 0.01);
            periods += found.count;
        }
        (late, worst, raised, periods)
    });
    let (late, worst, raised, periods) = chunks.reduce(
        || ([0; 4], 0.0, 0, 0),
        |a, b| {
            let late = [0, 1, 2, 3].map(|policy| a.0[policy] + b.0[policy]);
            (late, a.1.max(b.1), a.2 + b.2, a.3 + b.3)
        },
    );
    println!("{runs} random runs, {periods} periods, more than the nominal budget in {raised} runs");
    println!(
        "late under NOMINAL, FAIR, GREEDY, SMOOTH: {late:?}; the last at {worst:.9} of its nominal WCET"
    );
    println!(
        "{:.1} s on {} threads\n",
        start.elapsed().as_secs_f64(),
        rayon::current_num_threads()
    );
    assert_eq!(late, [0; 4]);
}

fn speed(runs: u64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tasksets/kernels/histo-table1.json");
    let kernel: Kernel = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let q = Factor::from_f64(0.13).unwrap();
    println!(
        "{runs} runs of histo, {} blocks each, under each of four policies [s]\n",
        kernel.blocks()
    );
    println!("{:>12} {:>6} {:>6}", "pattern", "wcet", "drawn");
    for pattern in AccessPattern::ALL {
        let times = [BlockTimes::Wcet, BlockTimes::Drawn].map(|blocks| {
            let setting = Setting {
                pattern,
                blocks,
                offset_ns: None,
                ..Setting::default()
            };
            let simulator = Simulator::new(&kernel, setting, 1).unwrap();
            let start = Instant::now();
            let late: u64 = (0..runs)
                .into_par_iter()
                .map(|run| {
                    let execution = simulator.execution(run);
                    let under = BudgetPolicy::ALL.map(|policy| {
                        let mut allocator = Allocator::new(&kernel, q, policy, Straddling::End).unwrap();
                        simulator.run(&execution, policy, &mut allocator, false)
                    });
                    under.iter().filter(|run| run.late).count() as u64
                })
                .sum();
            assert_eq!(late, 0);
            start.elapsed().as_secs_f64()
        });
        println!("{:>12} {:>6.1} {:>6.1}", pattern.to_string(), times[0], times[1]);
    }
}
