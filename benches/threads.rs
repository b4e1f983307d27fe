//! Simulates kernels on all SMs of a simulated GPU, on one thread and on several threads in turn, and prints the ratio of the
//! fastest times. All results must be equal.
//!
//! Run with `cargo bench --bench threads`. A number after `--` states the number of threads (2).

#![allow(clippy::unwrap_used, reason = "failing loudly is a bench's job")]

use std::time::Instant;

use gpusched::gpu::gpu::{Launch, Results, Settings, WarmBuffer, run};
use gpusched::gpu::program::Overrides;
use gpusched::gpu::{Machine, Program};

/// Number of runs on each number of threads. The fastest run counts.
const RUNS: usize = 5;

/// Programs of `tasksets/kernels/programs` with their grids.
const KERNELS: [(&str, &str, &str); 6] = [
    (
        "hotspot",
        include_str!("../tasksets/kernels/programs/hotspot.json"),
        "960",
    ),
    (
        "fma4",
        include_str!("../tasksets/kernels/programs/fma4.json"),
        "2400",
    ),
    (
        "saxpyl",
        include_str!("../tasksets/kernels/programs/saxpyl.json"),
        "300",
    ),
    ("pc", include_str!("../tasksets/kernels/programs/pc.json"), "1200"),
    (
        "vadd",
        include_str!("../tasksets/kernels/programs/vadd.json"),
        "4800",
    ),
    (
        "conv2d",
        include_str!("../tasksets/kernels/programs/conv2d.json"),
        "2400",
    ),
];

fn main() {
    // The first 1 MiB of the buffers is in L2.
    let warm = vec![WarmBuffer {
        kernel: 0,
        address: 0xC000_0000,
        bytes: 1 << 20,
    }];
    let threads = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(2);
    for gpu in ["rtx2060", "titanv"] {
        for (name, text, grid) in KERNELS {
            let program: Program = serde_json::from_str(text).unwrap();
            let overrides = Overrides {
                grid: Some(grid.parse().unwrap()),
                ..Overrides::default()
            };
            let launch = [Launch::of_program(&program.with(&overrides).unwrap()).unwrap()];
            let machine = Machine::named(gpu).unwrap();
            let mut best = [f64::INFINITY; 2];
            let mut first: Option<Results> = None;
            for _ in 0..RUNS {
                for (best, threads) in best.iter_mut().zip([1, threads]) {
                    let settings = Settings {
                        parallel: threads > 1,
                        warm: warm.clone(),
                        ..Settings::default()
                    };
                    let pool = rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .unwrap();
                    let start = Instant::now();
                    let results = pool.install(|| run(&machine, &launch, &settings)).unwrap();
                    *best = best.min(start.elapsed().as_secs_f64());
                    assert!(*first.get_or_insert_with(|| results.clone()) == results);
                }
            }
            let ([one, more], cycles) = (best, first.unwrap().cycles);
            println!(
                "{gpu} {name}: {cycles} cycles, {:.0} kcycles/s, {:.2} times as fast on {threads} threads",
                cycles as f64 / one / 1e3,
                one / more
            );
        }
    }
}
