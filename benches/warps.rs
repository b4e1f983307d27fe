//! The warp level against GPGPU-Sim, row by row of `tasksets/reference/gpgpusim/isolation.csv`: cycles of both, and seconds of
//! both (one core each). The last lines have the errors, and per kernel how many times faster it is.
//!
//! `cargo bench --bench warps`; after `--`, part of a row's name takes the rows that have it (`vadd`, `30 SMs`, `gto`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "failing loudly is a bench's job"
)]

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/warp_reference/reference.rs"]
mod reference;

use std::collections::BTreeMap;
use std::time::Instant;

use reference::Row;

/// Runs of a row; the fastest counts.
const RUNS: usize = 3;

/// Our cycles, and our seconds.
fn measure(row: &Row) -> (u64, f64) {
    let mut best = f64::INFINITY;
    let mut cycles = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        cycles = row.run().cycles;
        best = best.min(start.elapsed().as_secs_f64());
    }
    (cycles, best)
}

fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        f64::midpoint(sorted[half - 1], sorted[half])
    }
}

fn main() {
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    println!(
        "{:<36} {:>8} {:>9} {:>8} {:>10} {:>10} {:>8}",
        "", "cycles", "reference", "error", "seconds", "reference", "ratio"
    );
    let mut errors: Vec<f64> = Vec::new();
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in reference::table("isolation") {
        let kernel = row.text("kernel");
        let name = format!(
            "{kernel}, {:>2} SMs, {}, {}",
            row.text("sms"),
            row.text("scheduler"),
            if row.number("l2_warm") == 1 {
                "warm"
            } else {
                "cold"
            }
        );
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted)) {
            continue;
        }
        let (cycles, seconds) = measure(&row);
        let error = cycles as f64 / row.real("cycles") - 1.0;
        let ratio = row.real("cpu_s") / seconds;
        println!(
            "{name:<36} {cycles:>8} {:>9} {:>7.2}% {seconds:>10.4} {:>10.3} {ratio:>8.1}",
            row.number("cycles"),
            100.0 * error,
            row.real("cpu_s"),
        );
        errors.push(error.abs());
        ratios.entry(kernel.to_owned()).or_default().push(ratio);
    }
    if errors.is_empty() {
        println!("no row has {:?}", wanted.unwrap_or_default());
        return;
    }
    println!();
    let exact = errors.iter().filter(|error| **error == 0.0).count();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let worst = errors.iter().copied().fold(0.0, f64::max);
    println!(
        "{} rows, {exact} to the cycle; mean absolute error {:.2}%, largest {:.2}%",
        errors.len(),
        100.0 * mean,
        100.0 * worst
    );
    for (kernel, mut ratios) in ratios {
        ratios.sort_by(f64::total_cmp);
        println!(
            "{kernel}: {:.1} times as fast at least, median {:.1}",
            ratios[0],
            median(&ratios)
        );
    }
}
